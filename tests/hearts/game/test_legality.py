"""Legal plays, the reasons against illegal ones, and what a play proves about the hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.game.cards import CLUBS, SUIT_MASK, bit, members, parse_card, parse_cards, set_of
from hearts.game.legality import legal_plays, ruled_out, why_illegal
from hearts.game.rules import STANDARD
from tests.hearts.game.rule_sets import ALL_RULES, HANDS

SMALL = st.sets(st.sampled_from([0, 3, 16, 42, 43, 48, 50]), min_size=1).map(set_of)
SUITS = st.one_of(st.none(), st.integers(0, 3))


@given(ALL_RULES, HANDS, SUITS, st.booleans(), st.booleans())
def test_every_hand_has_a_legal_card(rules, hand, led, first, broken):
    legal = legal_plays(rules, hand, led, first_trick=first, broken=broken)
    assert legal
    assert not legal & ~hand
    if led is not None and hand & SUIT_MASK[led]:
        assert legal == hand & SUIT_MASK[led]


@given(ALL_RULES, st.one_of(HANDS, SMALL), SUITS, st.booleans(), st.booleans())
def test_a_play_rules_out_exactly_the_hands_it_is_illegal_from(rules, hand, led, first, broken):
    """`ruled_out` and `legal_plays` state the same rules, from opposite sides."""
    legal = legal_plays(rules, hand, led, first_trick=first, broken=broken)
    for card in members(hand):
        out = ruled_out(rules, card, led, first_trick=first, broken=broken)
        assert bool(legal & bit(card)) == (not out & hand)
        assert not out & bit(card)


LEADS = "5D QS AS 3H KH"


@pytest.mark.parametrize(
    ("hand", "led", "changes", "first", "broken", "legal"),
    [
        ("2C 5C " + LEADS, None, {}, True, False, "2C"),
        ("2C 5C " + LEADS, None, {"lead_2_clubs": False, "lead_clubs": True}, True, False, "2C 5C"),
        ("2C 5C " + LEADS, None, {"lead_2_clubs": False}, True, False, "2C 5C 5D AS"),
        (LEADS, None, {}, False, False, "5D QS AS"),
        (LEADS, None, {}, False, True, LEADS),
        (LEADS, None, {"must_break_hearts": False}, False, False, LEADS),
        ("3H KH", None, {}, False, False, "3H KH"),
        ("QS 3H KH", None, {}, False, False, "QS"),
        ("QS 3H KH", None, {"hearts_instead_of_queen": True}, False, False, "QS 3H KH"),
        ("QS AS 3H", None, {"hearts_instead_of_queen": True}, False, False, "QS AS"),
        (LEADS, "C", {}, True, False, "5D AS"),
        (LEADS, "C", {"no_queen_first_trick": False}, True, False, "5D QS AS"),
        (LEADS, "C", {"no_hearts_first_trick": False}, True, False, "5D AS 3H KH"),
        ("QS 3H KH", "C", {}, True, False, "QS 3H KH"),
        (LEADS, "C", {}, False, False, LEADS),
        (LEADS, "H", {}, False, True, "3H KH"),
    ],
)
def test_legal_plays_by_example(hand, led, changes, first, broken, legal):
    suit = None if led is None else "CDSH".index(led)
    rules, cards = replace(STANDARD, **changes), parse_cards(hand)
    assert legal_plays(rules, cards, suit, first_trick=first, broken=broken) == parse_cards(legal)


@pytest.mark.parametrize(
    ("card", "hand", "led", "first", "reason"),
    [
        ("2D", "3D 4D", None, False, "it is not in the hand"),
        ("3D", "3D 4C", CLUBS, False, "must follow clubs"),
        ("3H", "3H 4D", CLUBS, True, "it is barred from the first trick"),
        ("3C", "2C 3C", None, True, "the 2C opens the hand"),
        ("3H", "3H 4C", None, False, "hearts are not broken"),
    ],
)
def test_an_illegal_play_has_a_reason(card, hand, led, first, reason):
    cards = parse_cards(hand)
    assert why_illegal(STANDARD, cards, parse_card(card), led, first_trick=first) == reason


def test_an_illegal_opening_has_a_reason():
    rules = replace(STANDARD, lead_2_clubs=False, lead_clubs=True)
    hand = parse_cards("2C 3D QS")
    reason = why_illegal(rules, hand, parse_card("3D"), None, first_trick=True)
    assert reason == "a club opens the hand"
    free = replace(STANDARD, lead_2_clubs=False)
    reason = why_illegal(free, hand, parse_card("QS"), None, first_trick=True)
    assert reason == "it is barred from the first trick"
