"""What claims say about the cards that are gone, against every pile that could be."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.game.cards import SEATS, CardSet, bit, count, members, parse_cards, set_of
from hearts.game.deal import Deal
from hearts.game.rules import ALL_HEARTS, JACK, PASSING, QUEEN, STANDARD, Rules, points_in
from hearts.game.trick import Trick
from hearts.views.view import View
from models.voids import VoidBelief
from tests.hearts.play import random_deal
from tests.hearts.worlds import all_worlds

BONUS = replace(PASSING, jack_bonus=True)
FREE_HEARTS = replace(STANDARD, hearts_arent_points=True)
RULES = st.sampled_from([STANDARD, PASSING, BONUS, FREE_HEARTS, Rules.from_mask(0)])
NO_POINTS = (0,) * SEATS


def forgetful_view(deal: Deal, unknown: int, seed: int) -> View:
    """The present of a hand, in which some of the cards that were taken are forgotten."""
    rng = np.random.default_rng(seed)
    gone = [card for taken in deal.taken for card in members(taken)]
    forgotten = set_of(int(card) for card in rng.permutation(gone)[:unknown])
    won = tuple(cards & ~forgotten for cards in deal.taken)
    return replace(View.of(deal, deal.turn or 0), tricks=(), won=won)


def believable_piles(view: View) -> Iterator[CardSet]:
    """Every set of cards that may be gone, by what is claimed and by what the hands must hold."""
    free = replace(view, hearts_broken=None, points_claim=None)
    held = {view.unseen & ~(w[0] | w[1] | w[2] | w[3]) for w in all_worlds(free)}
    for cards in combinations(members(view.unseen), view.gone):
        pile = set_of(cards)
        quiet = view.hearts_broken is not False or not pile & view.rules.heart_breakers
        if pile in held and quiet and can_be_paid(view, cards):
            yield pile


def can_be_paid(view: View, cards: tuple[int, ...]) -> bool:
    """Whether the seats can have taken some cards for the points that they are said to have."""
    if view.points_claim is None:
        return True
    counting = [card for card in cards if points_in(view.rules, bit(card))]
    for takers in product(range(SEATS), repeat=len(counting)):
        points = list(view.taken_points)
        for taker, card in zip(takers, counting, strict=True):
            points[taker] += points_in(view.rules, bit(card))
        if tuple(points) == view.points_claim:
            return True
    return False


@settings(max_examples=100)
@given(
    RULES,
    st.integers(42, 49),
    st.integers(1, 3),
    st.integers(0, 10**6),
    st.sampled_from([None, False, True]),
    st.sampled_from(["none", "true", "as seen", "odd"]),
)
def test_no_pile_that_may_be_is_ruled_out(rules, cards, unknown, seed, broken, points):
    deal = random_deal(rules, cards, seed)
    view = forgetful_view(deal, unknown, seed)
    odd = tuple((np.array(deal.points) + np.random.default_rng(seed).integers(-1, 2, 4)).tolist())
    said = {"none": None, "true": deal.points, "as seen": view.taken_points, "odd": odd}[points]
    claimed = replace(view, hearts_broken=broken, points_claim=said)
    piles = list(believable_piles(claimed))
    may_be_gone = 0
    for pile in piles:
        may_be_gone |= pile
    if piles:
        assert not may_be_gone & ~claimed.possibly_gone
        plain = said in (None, view.taken_points) and not (rules.jack_bonus and view.unseen & JACK)
        if plain and not claimed.contradictions:
            assert may_be_gone == claimed.possibly_gone
    worlds = VoidBelief().sample(claimed, 5, np.random.default_rng(seed))
    assert all(claimed.consistent_with(world) for world in worlds.hands.tolist())


HAND = parse_cards("2C 5D 8D 3S 4S 3H 9H")
SHORT = View(seat=0, hand=HAND, trick=Trick(0))  # 24 cards are gone, and 21 are with the others


def test_no_points_means_that_all_points_are_still_to_come():
    view = replace(SHORT, points_claim=NO_POINTS)
    assert view.still_held == ALL_HEARTS & ~HAND | QUEEN
    assert not view.possibly_gone & (ALL_HEARTS | QUEEN)
    assert not view.contradictions
    assert SHORT.still_held == 0


def test_hearts_that_are_not_broken_are_still_to_come():
    view = replace(SHORT, hearts_broken=False)
    assert view.still_held == ALL_HEARTS & ~HAND
    breaking = replace(view, rules=replace(STANDARD, queen_breaks_hearts=True))
    assert breaking.still_held == ALL_HEARTS & ~HAND | QUEEN
    assert replace(SHORT, hearts_broken=True).still_held == 0


@pytest.mark.parametrize(
    ("points", "held"),
    [
        ((0, 1, 0, 0), QUEEN),  # one heart is gone, nobody knows which
        ((11, 0, 0, 0), QUEEN),
        ((12, 0, 0, 0), 0),  # cannot be: eleven hearts are unseen
        ((13, 0, 0, 0), ALL_HEARTS & ~HAND),  # the queen
        ((0, 14, 0, 0), 0),  # queen and a heart
        ((7, 7, 0, 0), 0),  # cannot be: contradicted, so nothing follows
    ],
)
def test_points_that_only_some_cards_explain(points, held):
    view = replace(SHORT, points_claim=points)
    assert view.still_held == held


def test_the_jack_pays_for_ten_hearts():
    view = replace(SHORT, rules=BONUS, points_claim=NO_POINTS)
    assert view.still_held == QUEEN & view.unseen  # ten hearts and the jack come to nothing
    few = replace(view, hand=parse_cards("2C 5D 8D 3S 4S 3H 9H 10H JH QH KH"))
    assert few.still_held == few.unseen & (ALL_HEARTS | QUEEN | JACK)


def test_a_claim_that_leaves_no_deal_is_named_and_ignored():
    view = View(seat=0, hand=parse_cards("2C 5D 3H"), trick=Trick(0))
    crowded = "the hands cannot hold all the cards that would still be in play"
    for claim, text in (
        ({"hearts_broken": False}, f"hearts_broken: false is claimed, but {crowded}"),
        ({"points_claim": NO_POINTS}, f"points_claim: [0, 0, 0, 0] is claimed, but {crowded}"),
    ):
        claimed = replace(view, **claim)
        assert [str(each) for each in claimed.contradictions] == [text]
        assert claimed.still_held == 0
        assert claimed.possible == view.possible
    assert len(replace(view, hearts_broken=False, points_claim=NO_POINTS).contradictions) == 2


def test_voids_on_the_table_leave_no_room_for_a_claim():
    """Who shows out of hearts cannot hold those that would have to be somewhere."""
    view = View(
        seat=3,
        hand=parse_cards("2C 5D 8D"),
        trick=Trick(0, tuple(members(parse_cards("2H")))),
        hearts_broken=True,
        points_claim=NO_POINTS,
    )
    assert count(view.unseen & ALL_HEARTS) > sum(view.hand_sizes[seat] for seat in view.others)
    assert view.contradictions
    assert view.still_held == 0


def test_claims_beside_a_history_change_nothing():
    deal = random_deal(STANDARD, 20, 3)
    view = View.of(deal, deal.turn or 0)
    claimed = replace(view, hearts_broken=False, points_claim=NO_POINTS)
    assert claimed.still_held == 0
    assert claimed.possible == view.possible
