"""OM-1: its worlds fit the view and are uniform, its probabilities are exact."""

from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hearts.game.cards import ALL_CARDS, SEATS, CardSet, bit, count, members, set_of
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, STANDARD, PassDirection, Rules
from hearts.game.trick import Hands
from hearts.views.view import View
from models.voids import VoidBelief
from tests.hearts.kernels.playouts.test_playouts import RULES, SEEDS, SKEW, SKEWS
from tests.hearts.play import positions, random_deal
from tests.hearts.speed import fastest_in_turns, playouts
from tests.hearts.worlds import all_worlds, looks_uniform

BELIEF = VoidBelief()
MANY = 1000  # worlds: too many to enumerate
DRAWS = 60  # per world that fits, on average
DIRECTIONS = st.sampled_from(PassDirection)


def worlds(view: View, n: int, seed: int = 0) -> list[Hands]:
    sampled = BELIEF.sample(view, n, np.random.default_rng(seed))
    assert sampled.hands.shape == (n, SEATS)
    assert sampled.weights == pytest.approx(np.full(n, 1 / n))
    return [tuple(hands) for hands in sampled.hands.tolist()]


def some(cards: CardSet, share: float, rng: np.random.Generator) -> CardSet:
    return set_of(card for card in members(cards) if rng.random() < share)


def partial_view(deal: Deal, seat: int, known: float, seed: int) -> View:
    """A view without its tricks, with about the share `known` of the cards that are gone."""
    rng = np.random.default_rng(seed)
    won = tuple(some(cards, known, rng) for cards in deal.taken)
    full = View.of(deal, seat)
    return replace(full, tricks=(), won=won, hearts_broken=full.broken)


@settings(max_examples=100)
@given(RULES, st.integers(0, 51), SEEDS, DIRECTIONS, SKEWS)
def test_worlds_fit_the_view_of_every_seat(rules, cards, seed, direction, skew):
    deal = random_deal(rules, cards, seed, direction, skew=skew)
    for seat in range(SEATS):
        view = View.of(deal, seat)
        assert all(view.consistent_with(world) for world in worlds(view, 20, seed))


@pytest.mark.parametrize("skew", SKEW)
def test_worlds_fit_all_along_a_hand(skew):
    for seed in range(2):
        for deal in positions(STANDARD, seed, skew=skew):
            view = View.of(deal, deal.turn or 0)
            assert all(view.consistent_with(world) for world in worlds(view, 50, seed))


@settings(max_examples=30)
@given(RULES, SEEDS, st.sampled_from(list(PassDirection)[1:]), st.integers(0, 3))
def test_worlds_fit_while_cards_are_passed(rules, seed, direction, given_already):
    deal = Deal.random(rules, direction, np.random.default_rng(seed))
    for seat in range(given_already):
        deal = deal.give(seat, set_of(list(members(deal.hands[seat]))[:3]))
    for seat in range(SEATS):
        view = View.of(deal, seat)
        assert view.passing
        assert all(view.consistent_with(world) for world in worlds(view, 20, seed))


@settings(max_examples=100)
@given(RULES, st.integers(4, 51), SEEDS, DIRECTIONS, st.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_worlds_fit_partial_views(rules, cards, seed, direction, known):
    deal = random_deal(rules, cards, seed, direction)
    for seat in range(SEATS):
        view = partial_view(deal, seat, known, seed)
        assert all(view.consistent_with(world) for world in worlds(view, 20, seed))


def small(view: View) -> list[Hands] | None:
    """All worlds of a view if there are 2 to 200 of them."""
    if count(view.unseen) > 12:
        return None
    found = list(islice(all_worlds(view), 201))
    return found if 1 < len(found) <= 200 else None


def shares(fitting: list[Hands]) -> NDArray[np.float64]:
    """The share of the worlds in which each seat holds each card (52, 4)."""
    held = np.array(fitting, dtype=np.uint64)
    return np.array([(held & np.uint64(bit(card)) > 0).mean(axis=0) for card in ALL_CARDS])


def check_uniform(view: View, fitting: list[Hands]) -> None:
    assert len(set(fitting)) == len(fitting)
    assert all(view.consistent_with(world) for world in fitting)
    assert looks_uniform(worlds(view, DRAWS * len(fitting), seed=5), fitting)
    assert BELIEF.probabilities(view) == pytest.approx(shares(fitting), abs=1e-14)


@pytest.mark.parametrize("rules", [STANDARD, PASSING, Rules.from_mask(0)])
@pytest.mark.parametrize("skew", SKEW)
def test_all_worlds_of_an_ending_are_equally_likely(rules, skew):
    """Skewed hands show voids of every kind."""
    tried = 0
    for seed in range(4):
        for deal in list(positions(rules, seed, skew=skew))[38:50:5]:
            view = View.of(deal, seed % SEATS)
            fitting = small(view)
            if fitting:
                check_uniform(view, fitting)
                tried += 1
    assert tried >= 4


@pytest.mark.parametrize("direction", list(PassDirection)[1:])
def test_passed_cards_are_with_their_receiver(direction):
    tried = 0
    for seed in range(40):
        deal = random_deal(PASSING, 38, seed, direction)
        for seat in range(SEATS):
            view = View.of(deal, seat)
            fitting = small(view) if view.passed & view.unseen else None
            if fitting and tried < 5:
                tried += 1
                check_uniform(view, fitting)
                receiver = view.receiver
                kept = view.passed & view.unseen
                assert all(world[receiver] & kept == kept for world in worlds(view, 20))
    assert tried == 5


@pytest.mark.parametrize("known", [0.9, 0.95, 1.0])
def test_all_worlds_of_a_partial_view_are_equally_likely(known):
    tried = unknown = 0
    for seed in range(60):
        deal = random_deal(STANDARD, 42 + seed % 8, seed)
        view = partial_view(deal, deal.turn or 0, known, seed)
        fitting = small(view) if tried < 8 else None
        if fitting:
            tried += 1
            unknown += view.gone > 0
            check_uniform(view, fitting)
    assert tried == 8
    assert unknown >= 4 or known == 1.0


@settings(max_examples=60)
@given(RULES, st.integers(30, 51), SEEDS, DIRECTIONS, SKEWS)
def test_probabilities_are_the_shares_of_all_worlds(rules, cards, seed, direction, skew):
    deal = random_deal(rules, cards, seed, direction, skew=skew)
    for seat in range(SEATS):
        view = View.of(deal, seat)
        fitting = list(islice(all_worlds(view), MANY))
        if len(fitting) < MANY:
            assert BELIEF.probabilities(view) == pytest.approx(shares(fitting), abs=1e-14)


@settings(max_examples=60)
@given(RULES, st.integers(36, 50), SEEDS, st.sampled_from([0.7, 0.9]), st.booleans())
def test_probabilities_of_partial_views_are_the_shares_of_all_worlds(
    rules, cards, seed, known, unbroken
):
    deal = random_deal(rules, cards, seed)
    view = partial_view(deal, deal.turn or 0, known, seed)
    points = deal.points if seed % 2 else None
    view = replace(view, hearts_broken=False if unbroken else None, points_claim=points)
    fitting = list(islice(all_worlds(view), MANY))
    if len(fitting) < MANY:
        assert BELIEF.probabilities(view) == pytest.approx(shares(fitting), abs=1e-14)
        assert all(view.consistent_with(world) for world in worlds(view, 20, seed))


@pytest.mark.thorough  # compares CPU times
def test_sampling_is_cheap_once_deals_are_counted():
    """30 worlds take 60 µs at any trick, with or without voids, if a playout takes 0.2 µs."""
    for skew in SKEW:
        for deal in list(positions(STANDARD, 7, skew=skew))[1:48:4]:
            deals = VoidBelief().deals(View.of(deal, deal.turn or 0))
            draw = partial(deals.draw, 30, np.random.default_rng(0))
            assert fastest_in_turns(draw, playouts(300)) < 1


@given(st.integers(0, 47), SEEDS, SKEWS)
def test_the_same_seed_gives_the_same_worlds(cards, seed, skew):
    view = View.of(random_deal(STANDARD, cards, seed, skew=skew), seed % SEATS)
    assert worlds(view, 10, seed) == worlds(view, 10, seed)


def test_other_seeds_give_other_worlds():
    view = View.of(random_deal(STANDARD, 8, seed=1), 0)
    assert len({tuple(worlds(view, 5, seed)) for seed in range(20)}) == 20
