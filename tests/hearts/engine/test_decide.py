"""Decisions: forced cards, repeatability, blunders, and stopped searches."""

from dataclasses import replace

import numpy as np
import pytest

from hearts.engine.config import ALGORITHMS, OPPONENTS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.explain import explain
from hearts.game.cards import bit, count, parse_cards
from hearts.game.deal import Deal
from hearts.game.errors import IllegalMove
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View
from tests.hearts.engine.searches import EARLY, QUICK, VIEWS, without_time
from tests.hearts.play import positions, random_deal


def test_a_single_legal_card_is_answered_at_once():
    deal = next(deal for deal in positions(STANDARD, 3) if count(deal.legal) == 1 and deal.tricks)
    decision = decide(View.of(deal, deal.turn or 0), SearchConfig(simulations=1_000_000))
    assert (decision.simulations, decision.worlds, decision.cards) == (0, 0, ())
    assert bit(decision.card) == deal.legal
    assert decision.forced
    assert decision.exact


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        (random_deal(STANDARD, 6, 1), "seat 0 is not to play: seat . is"),
        (random_deal(STANDARD, 52, 1), "seat 0 is not to play: the hand is over"),
        (
            Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(1)),
            "seat 0 is not to play: cards are to be passed",
        ),
    ],
)
def test_who_is_not_to_play_is_told_so(deal, message):
    assert deal.turn != 0
    with pytest.raises(IllegalMove, match=message):
        decide(View.of(deal, 0), QUICK)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_flag_that_is_set_before_leaves_a_legal_card(algorithm):
    decision = decide(EARLY, replace(QUICK, algorithm=algorithm), stop=np.ones(1, dtype=np.uint8))
    assert decision.simulations == 0
    assert EARLY.legal & bit(decision.card)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("opponents", OPPONENTS)
@pytest.mark.parametrize("endgame", [0, 5])
def test_threads_and_repetition_change_nothing(algorithm, opponents, endgame):
    config = replace(QUICK, algorithm=algorithm, opponents=opponents, endgame=endgame, seed=3)
    for view in VIEWS:
        first = without_time(decide(view, config))
        for threads in (1, 2, 3):
            again = decide(view, replace(config, threads=threads))
            assert without_time(again) == first


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_seeds_make_a_difference(algorithm):
    decisions = [decide(EARLY, replace(QUICK, algorithm=algorithm, seed=s)) for s in range(8)]
    assert len({decision.cards for decision in decisions}) == 8


def test_a_blunder_is_a_legal_card_and_says_so():
    config = replace(QUICK, simulations=20, blunder=0.5)
    decisions = [decide(EARLY, replace(config, seed=seed)) for seed in range(60)]
    blunders = [decision for decision in decisions if decision.blunder]
    assert 15 <= len(blunders) <= 45
    assert all(EARLY.legal & bit(decision.card) for decision in blunders)
    assert any(decision.card != decision.cards[0].card for decision in blunders)
    assert all(d.card == d.cards[0].card for d in decisions if not d.blunder)


def test_a_search_that_is_stopped_before_it_begins_says_so():
    deal = list(positions(STANDARD, 3, skew=0.2))[9]
    stopped = np.ones(1, dtype=np.uint8)
    decision = decide(View.of(deal, deal.turn or 0), SearchConfig(simulations=300), stop=stopped)
    assert decision.simulations == 0
    assert not any(statistics.votes for statistics in decision.cards)
    assert "without a search" in explain(decision)


def test_claimed_points_that_cannot_be_are_not_believed():
    """A client that sends match scores as the points of the hand does not change the search."""
    hand = parse_cards("2C 5C 9C 8D JH 4S AS")
    honest = View(0, hand, Trick(0), hearts_broken=True)
    claimed = replace(honest, points_claim=(80, 90, 99, 70))
    assert claimed.contradictions
    config = SearchConfig(simulations=600, seed=5)
    assert decide(claimed, config).cards == decide(honest, config).cards
