"""Fitting: slopes against differences, styles found again."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from hearts.game.errors import InvalidConfig as Refused
from hearts.game.records import read_records
from models.fit import PHASES, Examples, fit_book, log_likelihood, split
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


def test_a_fit_is_deterministic_and_better_than_no_preference(records, examples):
    fitted, rest = split(records)
    assert len(rest) == len(records) // 3
    some = Examples.of(fitted)
    book = fit_book(some, 3, rounds=4)
    again = fit_book(some, 3, rounds=4)
    for one, other in zip(book.styles, again.styles, strict=True):
        assert one.name == other.name
        assert all(map(np.array_equal, one.weights, other.weights))
    assert sum(style.share for style in book.styles) == pytest.approx(1)
    indifferent = Style("", 1.0, neutral(), np.zeros(4))
    left_out = Examples.of(rest)
    assert log_likelihood(left_out, book.styles) > 0.75 * log_likelihood(left_out, [indifferent])


def test_a_book_knows_its_tables_and_what_its_players_cost(records):
    """Programs that search surprise more than bots with rules, and sit at tables of their own."""
    book = fit_book(Examples.of(records), 3, rounds=4)
    assert set(book.tables) == {"xinxin-10k", "heuristics"}
    for shares in book.tables.values():
        assert shares.sum() == pytest.approx(1)
    searching, ruled = (int(book.tables[name].argmax()) for name in ("xinxin-10k", "heuristics"))
    assert searching != ruled
    cost = [book.styles[i].surprise[:-1].mean() for i in (searching, ruled)]
    assert cost[0] > 1.5 * cost[1]
    assert (book.common > book.styles[ruled].surprise).all()  # which suits nobody best


def test_surprise_is_what_an_action_costs(examples):
    weights = neutral()
    found = examples.surprise(weights)
    for phase, choices in enumerate(examples.phases):
        seen = examples.seen[:, phase].sum()
        assert found[phase] == pytest.approx(-choices.logs(weights[phase]).sum() / seen)
        assert len(choices.player) <= seen
    hands = len(examples.labels) // 4
    assert examples.seen[:, :-1].sum() == 51 * hands  # the opening lead is no choice


def test_players_without_preferences_choose_among_cards(examples):
    leads = examples.phases[0]
    sizes = np.exp(leads.features[:, 0])
    totals = np.add.reduceat(sizes, leads.starts[:-1])
    expected = np.log(sizes[leads.chosen] / totals)
    assert leads.logs(neutral()[0]) == pytest.approx(expected)


def test_a_book_is_read_back(tmp_path):
    rng = np.random.default_rng(0)
    weights = tuple(np.round(rng.normal(size=len(names)), 4) for names in FEATURES.values())
    styles = tuple(
        Style(name, 0.5, weights, np.array([s, s, s, 3.0]))
        for name, s in (("one", 0.3), ("two", 0.7))
    )
    tables = {"here": np.array([0.9, 0.1]), "there": np.array([0.0, 1.0])}
    book = StyleBook(styles, tables, np.array([1.0, 0.5, 0.7, 4.0]), 100, "make")
    path = tmp_path / "styles.json"
    book.write(path)
    back = read_styles(path)
    assert (back.command, back.hands) == ("make", 100)
    for one, other in zip(book.styles, back.styles, strict=True):
        assert (one.name, one.share) == (other.name, other.share)
        assert all(map(np.array_equal, one.weights, other.weights))
    assert np.array_equal(back.kinds, book.kinds)
    assert np.array_equal(back.allowance, book.allowance)


def test_the_more_players_a_style_was_fitted_to_the_more_it_counts():
    weights = neutral()
    styles = (
        Style("common, rules", 0.7, weights, np.full(4, 0.2)),
        Style("common", 0.25, weights, np.full(4, 0.8)),
        Style("rare", 0.05, weights, np.full(4, 0.8)),
    )
    book = StyleBook(styles, {"any": np.array([0.7, 0.25, 0.05])}, np.ones(4), 250)
    assert book.power == pytest.approx([1.5 * 700 / 750, 250 / 300, 50 / 100, 0.75, 1.0])
    assert book.kinds.sum() == pytest.approx(1)
    assert (book.kinds > 0).all()  # nobody is impossible anywhere
    # A usual action counts with its power as it would without: exp(-s)^p · exp((p - 1) s).
    usual = book.power * -0.8 + book.allowance[:, 1]
    assert usual[1:3] == pytest.approx([-0.8, -0.8])


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}', '{"format": 2, "features": {}}'])
def test_what_is_no_book_is_refused(tmp_path, text):
    path = tmp_path / "styles.json"
    path.write_text(text)
    with pytest.raises(Refused, match=r"styles\.json is no book of styles"):
        read_styles(path)
