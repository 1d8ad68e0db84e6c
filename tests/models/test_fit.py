"""Fitting: slopes against differences, minima that are known, styles found again."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from hearts.errors import InvalidConfig as Refused
from hearts.records import read_records
from models.fit import PHASES, Examples, fit_styles, log_likelihood, minimize, split
from models.styles import FEATURES, Style, StyleBook, neutral, read_styles

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def records():
    return [
        record
        for name in ("xinxin-10k-dev", "heuristics-dev")
        for record in islice(read_records(DATA / f"{name}.jsonl.gz"), 24)
    ]


@pytest.fixture(scope="module")
def examples(records):
    return Examples.of(records)


def test_every_decision_is_there(records, examples):
    leads, follows, discards, passes = examples.phases
    assert len(examples.labels) == 4 * len(records)
    assert len(passes.player) == 4 * sum(bool(record.deal.direction) for record in records)
    decisions = sum(len(each.player) for each in (leads, follows, discards))
    assert 0.5 * 52 * len(records) < decisions < 0.8 * 52 * len(records)


@pytest.mark.parametrize("phase", range(4))
def test_slopes_are_what_differences_say(examples, phase):
    rng = np.random.default_rng(phase)
    choices = examples.phases[phase]
    weights = neutral()[phase] + rng.normal(0, 0.3, len(FEATURES[PHASES[phase]]))
    shares = rng.random(len(choices.player))
    value, slope = choices.loss(shares, weights)
    assert value == pytest.approx(-shares @ choices.logs(weights))
    for place in rng.choice(len(weights), 6, replace=False):
        step = np.zeros_like(weights)
        step[place] = 1e-5
        up, down = (choices.loss(shares, weights + sign * step)[0] for sign in (1, -1))
        assert slope[place] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-4)


def test_the_minimizer_finds_a_known_minimum():
    curvature = np.diag([1.0, 10.0, 100.0]) + 0.3
    goal = np.array([1.0, -2.0, 3.0])

    def loss(x):
        off = x - goal
        return 0.5 * off @ curvature @ off, curvature @ off

    assert minimize(loss, np.zeros(3), most=50) == pytest.approx(goal, abs=1e-3)


def test_a_fit_is_deterministic_and_better_than_no_preference(records, examples):
    fitted, rest = split(records)
    assert len(rest) == len(records) // 3
    some = Examples.of(fitted)
    styles = fit_styles(some, 3, rounds=4)
    again = fit_styles(some, 3, rounds=4)
    for one, other in zip(styles, again, strict=True):
        assert one.name == other.name
        assert all(map(np.array_equal, one.weights, other.weights))
    assert sum(style.share for style in styles) == pytest.approx(1)
    indifferent = Style("", 1.0, neutral())
    left_out = Examples.of(rest)
    assert log_likelihood(left_out, styles) > 0.75 * log_likelihood(left_out, [indifferent])


def test_players_without_preferences_choose_among_cards(examples):
    leads = examples.phases[0]
    sizes = np.exp(leads.features[:, 0])
    totals = np.add.reduceat(sizes, leads.starts[:-1])
    expected = np.log(sizes[leads.chosen] / totals)
    assert leads.logs(neutral()[0]) == pytest.approx(expected)


def test_a_book_is_read_back(tmp_path):
    rng = np.random.default_rng(0)
    weights = tuple(np.round(rng.normal(size=len(names)), 4) for names in FEATURES.values())
    book = StyleBook((Style("one", 0.5, weights, 0.3), Style("two", 0.5, weights, 0.7)), "make", 7)
    path = tmp_path / "styles.json"
    book.write(path)
    back = read_styles(path)
    assert (back.command, back.hands) == ("make", 7)
    for one, other in zip(book.styles, back.styles, strict=True):
        assert replace(one, weights=()) == replace(other, weights=())
        assert all(map(np.array_equal, one.weights, other.weights))
    assert book.shares.sum() == pytest.approx(1)
    assert list(book.tempered) == [False, True, True, True]


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}', '{"format": 2, "features": {}}'])
def test_what_is_no_book_is_refused(tmp_path, text):
    path = tmp_path / "styles.json"
    path.write_text(text)
    with pytest.raises(Refused, match=r"styles\.json is no book of styles"):
        read_styles(path)
