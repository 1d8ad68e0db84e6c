"""The choice of a pass: by rules of thumb, and by sequential halving, which must do better."""

import math
from dataclasses import replace
from itertools import combinations
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.bridge.state import state_of
from hearts.engine.config import SearchConfig
from hearts.engine.passing.choose import choose_pass
from hearts.engine.passing.decision import PassDecision
from hearts.engine.passing.rule import rule_pass
from hearts.engine.passing.trials import CANDIDATES, MOON_CANDIDATES, PLAYOUTS_PER_MS, PlayoutTrials
from hearts.engine.playouts import Playout
from hearts.game.cards import CardSet, count, members, names, parse_cards, set_of
from hearts.game.deal import Deal
from hearts.game.errors import IllegalMove
from hearts.game.rules import JACK, PASSING, QUEEN, PassDirection, Rules, lowest_score
from hearts.views.view import View
from models.voids import VoidBelief
from tests.hearts.kernels.playouts.test_playouts import RULES, SEEDS
from tests.hearts.play import random_deal
from tests.hearts.playouts import play_out

DIRECTIONS = list(PassDirection)[1:]
QUICK = SearchConfig(simulations=2_000)
EVERY_DIRECTION = pytest.mark.parametrize("direction", DIRECTIONS)


def passing_view(seed: int, direction: PassDirection, rules: Rules = PASSING) -> View:
    return View.of(Deal.random(rules, direction, np.random.default_rng(seed)), seed % 4)


def with_hand(cards: str, direction: PassDirection) -> View:
    """Seat 0 with some cards, before the pass."""
    return View(0, parse_cards(cards), random_deal(PASSING, 0, 0).trick, (), PASSING, direction,
                passing=True)  # fmt: skip


def without_time(decision: PassDecision) -> PassDecision:
    return replace(decision, seconds=0.0)


# Rules of thumb


@given(RULES, SEEDS, st.sampled_from(DIRECTIONS))
def test_a_rule_pass_is_three_cards_of_the_hand(rules, seed, direction):
    hand = passing_view(seed, direction, rules).hand
    passed = rule_pass(hand, direction, rules)
    assert count(passed) == 3
    assert passed & hand == passed
    assert passed == rule_pass(hand, direction, rules)


@EVERY_DIRECTION
def test_bare_high_spades_go(direction):
    hand = parse_cards("QS KS AS 2C 5C 7C 3D 6D 8D 2H 4H 5H 8H")
    assert rule_pass(hand, direction, PASSING) == parse_cards("QS KS AS")


@EVERY_DIRECTION
def test_four_low_spades_keep_the_queen(direction):
    hand = parse_cards("QS 2S 4S 6S 9S 2C 5C KC 3D 6D AD 2H KH")
    assert not rule_pass(hand, direction, PASSING) & parse_cards("QS 2S 4S 6S 9S")


@EVERY_DIRECTION
def test_a_lone_queen_goes(direction):
    hand = parse_cards("QS 4S 2C 5C 7C 3D 6D 8D 2H 3H 4H 5H 8H")
    assert rule_pass(hand, direction, PASSING) & QUEEN


def test_without_her_penalty_the_queen_is_a_card_like_others():
    hand = parse_cards("QS 4S AC KC QC AD KD QD 2H 3H 4H 5H AH")
    rules = replace(PASSING, queen_penalty=False)
    assert not rule_pass(hand, PassDirection.LEFT, rules) & QUEEN


def test_the_jack_stays_where_it_is_a_bonus():
    hand = parse_cards("JD 4S 5S 6S 7S 2C 3C 4C 5C 2H 3H 4H 5H")
    bonus = replace(PASSING, jack_bonus=True)
    assert rule_pass(hand, PassDirection.LEFT, PASSING) & JACK
    assert not rule_pass(hand, PassDirection.LEFT, bonus) & JACK


# Sequential halving


@settings(max_examples=40)
@given(RULES, SEEDS, st.sampled_from(DIRECTIONS))
def test_candidates_are_triples_of_the_hand(rules, seed, direction):
    view = passing_view(seed, direction, rules)
    triples = [int(triple) for triple in PlayoutTrials(view, QUICK).candidates]
    assert CANDIDATES - MOON_CANDIDATES <= len(triples) <= CANDIDATES
    assert len(set(triples)) == len(triples)
    assert set(triples) <= {set_of(three) for three in combinations(members(view.hand), 3)}


def test_candidates_depend_on_the_direction():
    """The left neighbour would play Q♠ on my ace or king: such triples are tried less often."""
    differing = 0
    for seed in range(100):
        left, right = (
            set(PlayoutTrials(passing_view(seed, direction), QUICK).candidates.tolist())
            for direction in (PassDirection.LEFT, PassDirection.RIGHT)
        )
        differing += left != right
    assert 0 < differing < 50


@settings(max_examples=40)
@given(RULES, SEEDS, st.sampled_from(DIRECTIONS))
def test_halving_is_counted_and_in_order(rules, seed, direction):
    view = passing_view(seed, direction, rules)
    decision = choose_pass(view, replace(QUICK, seed=seed))
    assert decision.cards == decision.candidates[0].cards
    assert count(decision.cards) == 3
    assert decision.cards & view.hand == decision.cards
    playouts = [candidate.playouts for candidate in decision.candidates]
    assert sum(playouts) == decision.simulations
    assert 0.7 * QUICK.simulations <= decision.simulations <= QUICK.simulations
    assert min(playouts) > 0
    keys = [(-candidate.playouts, -candidate.score) for candidate in decision.candidates]
    assert keys == sorted(keys)
    for candidate in decision.candidates:
        assert lowest_score(rules) <= candidate.points <= rules.total
        assert candidate.points_error >= 0
        assert 0 <= candidate.moon <= 1
        assert 0 <= candidate.score <= 1


@EVERY_DIRECTION
def test_the_same_seed_passes_the_same(direction):
    for seed in range(5):
        view, config = passing_view(seed, direction), replace(QUICK, seed=seed)
        first = without_time(choose_pass(view, config))
        assert without_time(choose_pass(view, config)) == first
        assert choose_pass(view, replace(config, seed=99)).candidates != first.candidates


def test_halving_depends_on_the_direction():
    """For another direction, some hands are passed differently."""
    differing = 0
    for seed in range(20):
        views = [passing_view(seed, direction) for direction in DIRECTIONS]
        assert len({view.hand for view in views}) == 1
        differing += len({choose_pass(view, QUICK).cards for view in views}) > 1
    assert differing >= 5


def test_halving_by_time_counts_too():
    decision = choose_pass(
        passing_view(1, PassDirection.LEFT), replace(QUICK, time_ms=20, clock="cpu")
    )
    assert sum(candidate.playouts for candidate in decision.candidates) == decision.simulations > 0


def test_the_price_of_a_pass_has_a_clock_of_its_own(monkeypatch):
    """The deadline ends a comparison that is sized for a much faster core."""
    monkeypatch.setitem(PLAYOUTS_PER_MS, Playout.EPSILON_GREEDY, 10**7)
    view = passing_view(1, PassDirection.LEFT)
    worst = set_of(list(members(view.hand))[:3])
    decision = choose_pass(view, replace(QUICK, time_ms=5, clock="cpu"), alternative=worst)
    assert decision.cost is not None
    assert decision.cost.error is not None
    assert 0 < decision.simulations < 10**7


def test_a_stopped_search_is_over():
    view = passing_view(1, PassDirection.LEFT)
    decision = choose_pass(view, QUICK, stop=np.ones(1, dtype=np.uint8))
    assert decision.simulations == 0
    assert count(decision.cards & view.hand) == 3


def test_by_rule_there_is_no_search():
    view = passing_view(3, PassDirection.ACROSS)
    decision = choose_pass(view, replace(QUICK, passing="rule"))
    assert (decision.candidates, decision.simulations) == ((), 0)
    assert decision.cards == rule_pass(view.hand, view.direction, view.rules)


def test_who_has_nothing_to_pass_is_told_so():
    with pytest.raises(IllegalMove, match="seat 1 has no cards to pass"):
        choose_pass(View.of(random_deal(PASSING, 0, 0), 1), QUICK)


@EVERY_DIRECTION
def test_a_moon_hand_keeps_its_high_cards(direction):
    view = with_hand("AS KS QS JS AC KC QC AH KH QH JH 2D 3D", direction)
    decision = choose_pass(view, replace(QUICK, simulations=10_000, playout="shoot-aware"))
    assert {"2D", "3D"} <= set(names(decision.cards))
    assert decision.candidates[0].moon > 0.5


# Sequential halving against the rules of thumb


def mean_points(view: View, passed: CardSet, worlds: list[list[CardSet]], seed: int) -> float:
    """The mean points of a seat after a pass, by playouts; the others pass by rule."""
    states = []
    for hands in worlds:
        deal = Deal.of(view.rules, hands, view.direction)
        for seat in range(4):
            by_rule = rule_pass(hands[seat], view.direction, view.rules)
            deal = deal.give(seat, passed if seat == view.seat else by_rule)
        states.append(state_of(deal))
    points = play_out(np.array(states), view.rules, Playout.EPSILON_GREEDY, seed=seed)
    return float(points[:, view.seat].mean())


def test_halving_beats_the_rules_in_playouts():
    """Both passes are compared on the same new worlds."""
    savings = []
    for seed in range(24):
        view = passing_view(seed, DIRECTIONS[seed % 3])
        raced = choose_pass(view, replace(QUICK, simulations=6_000, seed=seed)).cards
        ruled = rule_pass(view.hand, view.direction, view.rules)
        worlds = VoidBelief().sample(view, 150, np.random.default_rng(1000 + seed)).hands.tolist()
        saved = mean_points(view, ruled, worlds, seed) - mean_points(view, raced, worlds, seed)
        savings.append(saved)
    assert fmean(savings) > 2 * stdev(savings) / math.sqrt(len(savings))
