"""Expectation-maximization: deterministic, better than chance, with plausible styles."""

import numpy as np
import pytest

from models.decisions import Decisions
from models.fit import fit_book, log_likelihood, split
from models.styles import Style, neutral
from tests.models.records import some_decisions, some_records


def test_a_fit_is_deterministic_and_better_than_a_neutral_player():
    fitted, rest = split(some_records())
    assert len(rest) == len(some_records()) // 3
    decisions = Decisions.of(fitted)
    book = fit_book(decisions, 3, iterations=4)
    again = fit_book(decisions, 3, iterations=4)
    for one, other in zip(book.styles, again.styles, strict=True):
        assert one.name == other.name
        assert all(map(np.array_equal, one.weights, other.weights))
    assert sum(style.share for style in book.styles) == pytest.approx(1)
    indifferent = Style("", 1.0, neutral(), np.zeros(4))
    left_out = Decisions.of(rest)
    assert log_likelihood(left_out, book.styles) > 0.75 * log_likelihood(left_out, [indifferent])


def test_a_fit_finds_tables_and_the_predictability_of_styles():
    """Programs that search are less predictable than bots with rules, and sit at other tables."""
    book = fit_book(some_decisions(), 3, iterations=4)
    assert set(book.tables) == {"xinxin-10k", "heuristics"}
    for shares in book.tables.values():
        assert shares.sum() == pytest.approx(1)
    searching, ruled = (int(book.tables[name].argmax()) for name in ("xinxin-10k", "heuristics"))
    assert searching != ruled
    mean_nll = [book.styles[i].mean_nll[:-1].mean() for i in (searching, ruled)]
    assert mean_nll[0] > 1.5 * mean_nll[1]
    assert (book.shrunk_nll > book.styles[ruled].mean_nll).all()
