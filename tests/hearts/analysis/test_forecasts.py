"""Forecasts: certain outcomes, probabilities that add up, and their error on recorded hands."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from hearts.analysis.forecasts import forecasts_of, trick_starts
from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import rules_word, state_of
from hearts.engine.playouts import Playout
from hearts.game.cards import SEATS
from hearts.game.deal import Deal, moments
from hearts.game.records import read_records
from hearts.game.rules import PASSING, QUEEN, STANDARD
from hearts.kernels.core.state import final_points
from hearts.kernels.playouts.batch import finish
from tests.hearts.games import VARIANTS, new_deal, one_suit_each
from tests.hearts.games import finish as played_out
from tests.hearts.play import random_deal
from tests.hearts.playouts import play_out

DATA = Path(__file__).parents[2] / "data"
RECORDS = tuple(islice(read_records(DATA / "engine-dev.jsonl.gz"), 40))


@pytest.mark.parametrize("playout", Playout)
@pytest.mark.parametrize("rules", VARIANTS.values(), ids=list(VARIANTS))
def test_what_is_taken_in_playouts_gives_their_points(playout, rules):
    states = np.array([state_of(random_deal(rules, cards, cards)) for cards in range(0, 48, 3)])
    taken = np.empty(len(states), dtype=np.uint64)
    finish(playout_code(playout), states, rules_word(rules), epsilon_word(0.1), np.uint64(7), taken)
    points = np.empty((len(states), SEATS), dtype=np.int64)
    for word, row in zip(taken, points, strict=True):
        final_points(word, rules_word(rules), row)
    assert (points == play_out(states, rules, playout, seed=7)).all()


def test_the_end_is_what_came_to_be():
    for record in RECORDS:
        deal = record.deal
        forecasts = forecasts_of(deal, playouts=50)
        assert forecasts.queen.shape == forecasts.moon.shape == (14, SEATS)
        assert np.allclose(forecasts.queen.sum(axis=1), 1)  # one seat takes Q♠
        assert (forecasts.moon.sum(axis=1) <= 1).all()
        for row in (-2, -1):  # with one card each there is no choice
            assert forecasts.queen[row].tolist() == [bool(cards & QUEEN) for cards in deal.taken]
            assert forecasts.moon[row].tolist() == [seat == deal.shooter for seat in range(SEATS)]


def test_forecasts_come_nearer_to_the_truth():
    """The mean squared error at the start, in the middle and late; one in four would be 0.75."""
    errors = []
    for record in RECORDS:
        truth = np.array([bool(cards & QUEEN) for cards in record.deal.taken])
        found = forecasts_of(record.deal, playouts=100).queen
        errors.append(np.square(found - truth).sum(axis=1))
    start, middle, late = np.mean(errors, axis=0)[[0, 5, 9]]
    assert 0.75 > start > middle > late


def test_a_moon_that_nobody_can_stop_is_certain():
    deal = played_out(Deal.of(STANDARD, one_suit_each(2)), np.random.default_rng(0))
    assert (forecasts_of(deal, playouts=20).moon == [0, 0, 1, 0]).all()
    without = replace(STANDARD, no_shooting=True)
    deal = played_out(Deal.of(without, one_suit_each(2)), np.random.default_rng(0))
    assert not forecasts_of(deal, playouts=20).moon.any()


def test_the_same_seed_gives_the_same_forecasts():
    deal = RECORDS[0].deal
    first, again, other = (forecasts_of(deal, seed=seed).as_object() for seed in (1, 1, 2))
    assert first == again != other


def test_a_hand_is_rewound_choice_by_choice():
    rng = np.random.default_rng(3)
    direction = RECORDS[0].deal.direction
    deal = played_out(new_deal(PASSING, direction, rng), rng)
    found = list(moments(deal))
    assert len(found) == SEATS * bool(direction) + 52
    for before, seat, cards in found:
        assert cards & before.hands[seat] == cards
        assert before.passing or (before.turn == seat and cards & before.legal)
    starts = list(trick_starts(deal))
    assert [len(start.tricks) for start in starts] == list(range(14))
    assert starts[-1] == deal


def test_a_hand_that_stops_early_has_forecasts_up_to_there():
    deal = random_deal(PASSING, 22, 4)
    assert forecasts_of(deal, playouts=10).queen.shape == (6, SEATS)
    fresh = Deal.random(PASSING, RECORDS[0].deal.direction, np.random.default_rng(0))
    assert fresh.passing == bool(fresh.direction)
    assert forecasts_of(fresh, playouts=10).moon.shape == (0 if fresh.passing else 1, SEATS)
