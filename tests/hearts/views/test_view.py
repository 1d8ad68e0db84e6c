"""Views: what real games show is accepted and understood."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.game.cards import (
    CLUBS,
    DECK,
    HEARTS,
    bit,
    count,
    members,
    parse_card,
    parse_cards,
    set_of,
    suit_of,
)
from hearts.game.deal import Deal
from hearts.game.errors import FieldError, HeartsError, ImpossibleView
from hearts.game.rules import PASSING, PassDirection, Rules, points_in
from hearts.game.trick import Trick
from hearts.views.view import View
from tests.hearts.games import (
    BASE,
    VARIANTS,
    choose,
    finish,
    new_deal,
    random_hands,
    steps,
    trick,
)
from tests.hearts.views.mutations import fields
from tests.hearts.views.possible import can_be

SEEDS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(list(VARIANTS.values()))
DIRECTIONS = st.sampled_from(list(PassDirection))


# --- views of real games ------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(RULES, DIRECTIONS, SEEDS, st.booleans())
def test_every_view_of_a_real_game_agrees_with_the_deal(rules, direction, seed, skewed):
    rng = np.random.default_rng(seed)
    for deal in steps(new_deal(rules, direction, rng, skewed), rng):
        for seat in range(4):
            check_against(deal, View.of(deal, seat))


def check_against(deal: Deal, view: View) -> None:
    """What the view derives is what the deal knows."""
    assert not view.partial
    assert (view.turn, view.finished, view.first_trick) == (
        deal.turn,
        deal.finished,
        deal.first_trick and not deal.finished,
    )
    assert view.legal == (deal.legal if deal.turn == view.seat else 0)
    assert view.to_move == (deal.turn == view.seat)
    assert (view.broken, view.points, view.taken) == (deal.broken, deal.points, deal.taken)
    assert view.hand_sizes == tuple(count(hand) for hand in deal.hands)
    assert (view.played, view.gone, view.contradictions) == (deal.played, 0, ())
    assert view.unseen == set_of(c for seat in view.others for c in members(deal.hands[seat]))
    for hand, excluded, known, voids in zip(
        deal.hands, view.excluded, view.known, view.voids, strict=True
    ):
        assert not hand & excluded
        assert not known & ~hand
        assert not any(hand & 0x1FFF << 16 * suit for suit in range(4) if voids[suit])
    assert view.consistent_with(deal.hands)


@settings(max_examples=40, deadline=None)
@given(RULES, SEEDS, st.sampled_from(list(PassDirection)[1:]))
def test_what_was_passed_is_known_until_it_is_played(rules, seed, direction):
    rng = np.random.default_rng(seed)
    for deal in steps(new_deal(rules, direction, rng), rng):
        view = View.of(deal, seed % 4)
        held = view.passed & deal.hands[view.receiver]
        assert view.passed == deal.passes[view.seat]
        assert view.received == deal.passes[(view.seat - direction) % 4]
        assert view.known[view.receiver] & view.passed == held


@pytest.mark.parametrize("direction", list(PassDirection)[1:])
def test_before_the_pass_a_view_knows_its_hand_only(direction):
    start = Deal.random(PASSING, direction, np.random.default_rng(1))
    chosen = set_of(choose(start.dealt[2], np.random.default_rng(2), 3))
    for deal in (start, start.give(2, chosen)):
        view = View.of(deal, 2)
        assert (view.passing, view.turn, view.legal, view.received) == (True, None, 0, 0)
        assert (view.hand, view.unseen) == (deal.dealt[2], DECK & ~deal.dealt[2])
        assert view.hand_sizes == (13,) * 4
        assert view.known == tuple(view.hand if seat == 2 else 0 for seat in range(4))
    assert view.passed == chosen


# --- brute force over endings -------------------------------------------------------------------


def worlds(view: View) -> Iterator[tuple[int, ...]]:
    """Every way to share the unseen cards out by the sizes of the hands."""
    a, b, c = view.others
    unseen = list(members(view.unseen))
    for first in combinations(unseen, view.hand_sizes[a]):
        rest = [card for card in unseen if card not in first]
        for second in combinations(rest, view.hand_sizes[b]):
            third = set_of(card for card in rest if card not in second)
            hands = {view.seat: view.hand, a: set_of(first), b: set_of(second), c: third}
            yield tuple(hands[seat] for seat in range(4))


def replays(view: View, world: tuple[int, ...]) -> bool:
    """Whether the history is legal play from a world: with every card given back to its player."""
    hands = list(world)
    plays = [play for each in (*view.tricks, view.trick) for play in each.plays]
    for seat, card in plays:
        hands[seat] |= bit(card)
    if view.passed & ~hands[view.receiver]:
        return False
    deal = Deal.of(view.rules, hands, leader=plays[0][0])
    try:
        for seat, card in plays:
            deal = deal.play(card, seat)
    except HeartsError:
        return False
    return True


@settings(max_examples=25, deadline=None)
@given(RULES, DIRECTIONS, SEEDS, st.booleans())
def test_possible_known_and_consistent_are_exact(rules, direction, seed, skewed):
    """Every world of an ending is replayed from the first card: the view must know which can be."""
    rng = np.random.default_rng(seed)
    ending = [
        deal
        for deal in steps(new_deal(rules, direction, rng, skewed), rng)
        if 42 <= sum(map(len, (t.cards for t in (*deal.tricks, deal.trick)))) < 52
    ]
    view = View.of(ending[int(rng.integers(len(ending)))], int(rng.integers(4)))
    fitting = []
    for world in worlds(view):
        fits = replays(view, world)
        assert view.consistent_with(world) == fits
        fitting += [world] if fits else []
    for seat in range(4):
        held = [world[seat] for world in fitting]
        assert view.possible[seat] == set_of(card for hand in held for card in members(hand))
        assert view.known[seat] == DECK & ~set_of(c for h in held for c in members(DECK & ~h))


# --- partial views ------------------------------------------------------------------------------


def test_a_short_hand_without_history_is_partial():
    view = View(seat=0, hand=parse_cards("2C 5D QS AH 3S"), trick=trick(2, "4D KD"))
    assert (view.partial, view.turn, view.first_trick) == (True, 0, False)
    assert view.hand_sizes == (5, 5, 4, 4)
    assert count(view.unseen) == 52 - 5 - 2
    assert view.gone == 45 - 13 == 4 * 8
    assert view.legal == parse_cards("5D")
    assert view.points == (0,) * 4
    assert view.known[1:] == (0, 0, 0)


@settings(max_examples=80, deadline=None)
@given(RULES, DIRECTIONS, SEEDS, st.booleans(), st.booleans())
def test_the_present_of_a_real_game_is_a_partial_view(rules, direction, seed, passes, won):
    """Without its history a view is accepted, and what it still says is true."""
    rng = np.random.default_rng(seed)
    game = [deal for deal in steps(new_deal(rules, direction, rng), rng) if deal.tricks]
    deal = game[int(rng.integers(len(game) - 1))]
    full = View.of(deal, int(rng.integers(4)))
    forgotten = {} if passes else {"passed": 0, "received": 0}
    view = replace(full, tricks=(), won=deal.taken if won else None, **forgotten)
    assert view.partial
    assert (view.turn, view.hand_sizes) == (full.turn, full.hand_sizes)
    assert view.gone == (0 if won else 4 * len(deal.tricks))
    assert view.consistent_with(deal.hands)
    if won:
        assert (view.unseen, view.points, view.broken) == (full.unseen, full.points, full.broken)
    for hand, excluded, known in zip(deal.hands, view.excluded, view.known, strict=True):
        assert not hand & excluded
        assert not known & ~hand
    gone = DECK & ~sum(deal.hands) & ~view.played
    assert not gone & ~view.possibly_gone
    assert can_be(fields(replace(view, won=None)))


SHORT = View(seat=0, hand=parse_cards("2C 5D 3H"), trick=trick(0))


@pytest.mark.parametrize(
    ("claims", "broken"),
    [
        ({}, False),
        ({"hearts_broken": True}, True),
        ({"hearts_broken": False, "points_claim": (3, 0, 0, 0)}, False),
        ({"points_claim": (0, 1, 0, 0)}, True),
        ({"points_claim": (0, 13, 0, 0)}, False),  # the queen alone, who does not break hearts here
        ({"points_claim": (0, 14, 0, 0)}, True),
        ({"won": (parse_cards("9H"), 0, 0, 0)}, True),
        ({"won": (parse_cards("QS"), 0, 0, 0)}, False),
        ({"trick": trick(3, "9H")}, True),
        ({"trick": trick(3, "9H"), "hearts_broken": False}, True),
    ],
)
def test_broken_hearts_without_history(claims, broken):
    view = replace(SHORT, **claims)
    assert view.broken is broken
    led = view.trick.led
    expected = "3H" if led == HEARTS else "2C 5D 3H" if broken else "2C 5D"
    assert view.legal == parse_cards(expected)


def test_claims_that_are_seen_to_be_false_are_named():
    seen = replace(SHORT, trick=trick(3, "9H"), hearts_broken=False).contradictions
    assert [str(each) for each in seen] == ["hearts_broken: false is claimed, true is seen"]
    won = (parse_cards("QS 2D 3D 4D"), 0, 0, 0)
    seen = replace(SHORT, won=won, points_claim=(2, 0, 0, 0)).contradictions
    assert [str(each) for each in seen] == ["points_claim[0]: 2 is claimed, 13 is seen"]
    assert replace(SHORT, won=won, points_claim=(15, 1, 0, 0)).contradictions == ()
    full = replace(BASE, hearts_broken=True, points_claim=(0, 0, 0, 5))
    assert (full.broken, full.points) == (False, (0, 0, 0, 0))
    assert len(full.contradictions) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"won": (bit(parse_card("3H")), 0, 0, 0)}, "won[0]: 3H: in the hand too"),
        ({"won": (0, bit(36), bit(36), 0)}, "won[2]: 6S: won by another seat too"),
        (
            {"won": (0, 0, bit(parse_card("9H")), 0), "trick": trick(3, "9H")},
            "won[2]: 9H: on the table too",
        ),
        (
            {"won": (DECK & ~SHORT.hand, 0, 0, 0)},
            "won: 49 cards in 13 tricks or more, but only 10 are over",
        ),
        ({"trick": trick(2, "9H 9H")}, "trick.cards[1]: 9H was played before, at trick.cards[0]"),
        ({"trick": trick(3, "3H")}, "trick.cards[0]: 3H is in the hand too"),
        ({"hand": 0, "trick": trick(3, "3H")}, "hand: no cards, but others have played"),
        ({"trick": trick(3, "6C 9H")}, "trick.cards[1]: seat 0 cannot play 9H while it has 2C"),
    ],
)
def test_partial_views_must_still_be_possible(changes, message):
    with pytest.raises(ImpossibleView) as caught:
        replace(SHORT, **changes)
    assert str(caught.value).startswith(message)


def test_what_i_passed_may_be_gone_in_a_partial_view():
    view = replace(SHORT, direction=PassDirection.RIGHT, passed=parse_cards("AS KS QS"))
    assert view.known[3] == 0
    assert view.possible[3] & view.passed == view.passed
    assert view.possible[1] & view.passed == view.possible[2] & view.passed == 0


def test_what_i_received_and_no_longer_hold_is_gone():
    view = replace(SHORT, direction=PassDirection.RIGHT, received=parse_cards("2C AS KS"))
    gone = parse_cards("AS KS")
    assert view.possibly_gone & gone == gone
    assert all(not view.possible[seat] & gone for seat in view.others)
    with pytest.raises(ImpossibleView, match="received: AS: neither in the hand nor played"):
        replace(view, trick=trick(3, "AS"))


# --- forms --------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(RULES, DIRECTIONS, SEEDS)
def test_views_survive_json(rules, direction, seed):
    rng = np.random.default_rng(seed)
    game = list(steps(new_deal(rules, direction, rng), rng))
    view = View.of(game[int(rng.integers(len(game)))], int(rng.integers(4)), (1, 2, 3, 4))
    claims = replace(view, hearts_broken=True, points_claim=(1, 2, 3, 4), won=(0,) * 4)
    later = replace(view, earlier=(game[-1].tricks,))
    for each in (view, claims, later):
        again = View.parse(each.as_object())
        assert again == each
        assert again.fingerprint == each.fingerprint
    assert len({view.fingerprint, claims.fingerprint, later.fingerprint}) == 3


OVER = finish(Deal.of(PASSING, random_hands(np.random.default_rng(3))), np.random.default_rng(3))


def with_a_revoke(tricks: tuple[Trick, ...]) -> tuple[Trick, ...]:
    """The hand, had somebody thrown another suit on the first trick, and its club later."""
    for (seat, club), each in product(tricks[0].plays, tricks[1:]):
        other = list(each.plays)[(seat - each.leader) % 4][1]
        places = {club: other, other: club}
        cards = (tuple(places.get(card, card) for card in trick.cards) for trick in tricks)
        found = tuple(Trick(t.leader, c) for t, c in zip(tricks, cards, strict=True))
        same = [trick.winner for trick in found] == [trick.winner for trick in tricks]
        if suit_of(other) != CLUBS and seat != tricks[0].leader and same:
            return found
    raise AssertionError


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tricks: tricks[:-1], r"tricks: 12 tricks: a hand that is over has 13"),
        (lambda tricks: (), r"tricks: 0 tricks: a hand that is over has 13"),
        (
            lambda tricks: (*tricks[:-1], replace(tricks[-1], cards=tricks[-1].cards[:3])),
            r"tricks\[12\]\.cards: 3 cards: a completed trick has 4",
        ),
        (
            lambda tricks: (*tricks[:-1], tricks[0]),
            r"tricks\[12\]\.cards\[0\]: 2C was played before, at tricks\[0\]\.cards\[0\]",
        ),
        (
            lambda tricks: (replace(tricks[0], leader=tricks[0].leader ^ 1), *tricks[1:]),
            r"tricks\[1\]\.leader: seat \d leads, but seat \d won the trick before",
        ),
        (
            with_a_revoke,
            r"tricks\[0\]\.cards\[\d\]: seat \d cannot play \w+ while it has \w+: must follow",
        ),
    ],
)
def test_an_earlier_hand_that_cannot_have_been_is_refused(change, message):
    assert replace(BASE, rules=PASSING, earlier=(OVER.tricks,)).earlier == (OVER.tricks,)
    with pytest.raises(ImpossibleView, match=rf"^earlier\[1\]\.{message}"):
        replace(BASE, rules=PASSING, earlier=(OVER.tricks, change(OVER.tricks)))


def test_fingerprints_are_stable():
    assert BASE.fingerprint == "51364437e0c69a7e"
    assert len({replace(BASE, match_scores=(n, 0, 0, 0)).fingerprint for n in range(20)}) == 20


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seat": "0"}, "seat: '0' is not a whole number"),
        ({"seat": True}, "seat: True is not a whole number"),
        ({"hand": "2C"}, "hand: '2C' is not a list"),
        ({"hand": ["2C", "1X"]}, "hand[1]: '1X' is not a card"),
        ({"hand": ["2C", "2C"]}, "hand[1]: 2C is named twice"),
        ({"trick": None}, "trick: None is not an object"),
        ({"trick": {"leader": 3, "cards": ["0H"]}}, "trick.cards[0]: '0H' is not a card"),
        ({"tricks": [{"leader": 0, "cards": "2C"}]}, "tricks[0].cards: '2C' is not a list"),
        (
            {"tricks": [{"leader": 0, "cards": ["2C", "9C", "5S", "KC"], "winner": 1}]},
            "tricks[0].winner: seat 3 wins, not seat 1",
        ),
        ({"passing": 1}, "passing: 1 is neither true nor false"),
        ({"points_claim": [1, 2, 3, 0.5]}, "points_claim[3]: 0.5 is not a whole number"),
        ({"earlier": [{"tricks": 3}]}, "earlier[0].tricks: 3 is not a list"),
        ({"earlier": [[]]}, "earlier[0]: [] is not an object"),
        ({"colour": "red"}, "colour: there is no such field"),
    ],
)
def test_objects_that_are_no_views_are_refused(changes, message):
    with pytest.raises(FieldError) as caught:
        View.parse(BASE.as_object() | changes)
    assert str(caught.value).startswith(message)


def test_points_of_views_count_what_is_taken():
    rng = np.random.default_rng(3)
    rules = Rules.from_mask(PASSING.mask | 0x2)
    deal = finish(Deal.of(rules, random_hands(rng)), rng)
    view = View.of(deal, 1)
    assert (view.finished, view.turn, view.legal) == (True, None, 0)
    assert view.points == tuple(points_in(rules, taken) for taken in deal.taken)
    assert sum(view.points) == 16
