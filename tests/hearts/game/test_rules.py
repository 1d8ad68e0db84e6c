"""The rules: options and masks, legal plays, what plays give away, points and moons."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.game.cards import (
    ALL_CARDS,
    CLUBS,
    DECK,
    HEARTS,
    SUIT_MASK,
    bit,
    members,
    parse_card,
    parse_cards,
    set_of,
)
from hearts.game.errors import InvalidRules
from hearts.game.evidence import objection, ruled_out
from hearts.game.rules import (
    ALL_HEARTS,
    JACK,
    MASK_BITS,
    PASSING,
    QUEEN,
    STANDARD,
    MoonScoring,
    PassDirection,
    Rules,
    hand_points,
    legal_plays,
    moon_shooter,
    points_in,
    trick_winner,
)

MASKS = st.integers(0, (1 << 14) - 1)
ALL_RULES = st.builds(
    lambda mask, instead, moon: replace(
        Rules.from_mask(mask), hearts_instead_of_queen=instead, moon=moon
    ),
    MASKS,
    st.booleans(),
    st.sampled_from(MoonScoring),
)
CARDS = st.sampled_from(ALL_CARDS)
HANDS = st.sets(CARDS, min_size=1, max_size=13).map(set_of)
SMALL = st.sets(st.sampled_from([0, 3, 16, 42, 43, 48, 50]), min_size=1).map(set_of)
SUITS = st.one_of(st.none(), st.integers(0, 3))


# --- options ------------------------------------------------------------------------------------


def test_the_mask_is_that_of_existing_clients():
    assert list(MASK_BITS.items()) == [
        ("queen_penalty", 0x1),
        ("jack_bonus", 0x2),
        ("no_trick_bonus", 0x4),
        ("end_score_bonus", 0x8),
        ("shooting_needs_jack", 0x10),
        ("lead_2_clubs", 0x20),
        ("lead_clubs", 0x40),
        ("no_hearts_first_trick", 0x80),
        ("no_queen_first_trick", 0x100),
        ("queen_breaks_hearts", 0x200),
        ("do_pass_cards", 0x400),
        ("must_break_hearts", 0x800),
        ("hearts_arent_points", 0x1000),
        ("no_shooting", 0x2000),
    ]
    assert (STANDARD.mask, PASSING.mask) == (2465, 4001)


@given(ALL_RULES)
def test_rules_are_read_back(rules):
    assert Rules.from_mask(rules.mask).mask == rules.mask
    assert Rules.parse(rules.as_object()) == rules
    assert Rules.parse(rules.as_value()) == rules


@pytest.mark.parametrize(
    ("given_rules", "message"),
    [
        (-1, "-1: the mask has 14 bits"),
        (1 << 14, "16384: the mask has 14 bits"),
        (True, "True: give a bit mask or an object"),
        (None, "None: give a bit mask or an object"),
        ("2465", "'2465': give a bit mask or an object"),
        ({"queen": True}, "queen: there is no such rule"),
        ({"no_shooting": 1}, "no_shooting: 1: must be true or false"),
        ({"moon": "old"}, "moon: 'old': choose one of others_add"),
        ({"target_score": "100"}, "target_score: '100': must be a whole number"),
        ({"target_score": 0}, "target_score: 0: must be 1 to 100000"),
        ({"pass_cycle": []}, "pass_cycle: must name at least one direction"),
        ({"pass_cycle": ["up"]}, "pass_cycle[0]: 'up': choose left"),
        ({"pass_cycle": "left"}, "pass_cycle: 'left': must be a list"),
    ],
)
def test_faulty_rules_are_named(given_rules, message):
    with pytest.raises(InvalidRules) as refusal:
        Rules.parse(given_rules)
    assert str(refusal.value).startswith(message)


def test_directions_are_read_as_names_and_numbers():
    read = [
        PassDirection.parse(value) for value in ("left", "RIGHT", "across", "hold", 1, -1, 2, 0)
    ]
    names = [direction.label for direction in read]
    assert names == ["left", "right", "across", "hold"] * 2
    for value in (4, -2, True, None, 1.0, "up"):
        with pytest.raises(InvalidRules, match=r".*: choose left, right, across, hold"):
            PassDirection.parse(value)


# --- legal plays --------------------------------------------------------------------------------


@given(ALL_RULES, HANDS, SUITS, st.booleans(), st.booleans())
def test_somebody_who_has_cards_may_play_one_of_them(rules, hand, led, first, broken):
    legal = legal_plays(rules, hand, led, first_trick=first, broken=broken)
    assert legal
    assert not legal & ~hand
    if led is not None and hand & SUIT_MASK[led]:
        assert legal == hand & SUIT_MASK[led]


@given(ALL_RULES, st.one_of(HANDS, SMALL), SUITS, st.booleans(), st.booleans())
def test_a_play_rules_out_exactly_the_hands_it_is_illegal_from(rules, hand, led, first, broken):
    """The set that a play rules out is not a summary of the rules: it is the rules."""
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
def test_objections_are_in_words(card, hand, led, first, reason):
    cards = parse_cards(hand)
    assert objection(STANDARD, cards, parse_card(card), led, first_trick=first) == reason


def test_a_lead_of_clubs_is_asked_for_in_words():
    rules = replace(STANDARD, lead_2_clubs=False, lead_clubs=True)
    hand = parse_cards("2C 3D QS")
    assert (
        objection(rules, hand, parse_card("3D"), None, first_trick=True) == "a club opens the hand"
    )
    free = replace(STANDARD, lead_2_clubs=False)
    reason = objection(free, hand, parse_card("QS"), None, first_trick=True)
    assert reason == "it is barred from the first trick"


@given(st.integers(0, 3), st.lists(CARDS, min_size=1, max_size=4, unique=True))
def test_the_highest_card_of_the_suit_led_wins(leader, cards):
    followers = [card for card in cards if card // 16 == cards[0] // 16]
    assert trick_winner(leader, cards) == (leader + cards.index(max(followers))) % 4


# --- points -------------------------------------------------------------------------------------

EVERYTHING = (DECK, 0, 0, 0)
NO_MOON = (DECK & ~parse_cards("2H"), parse_cards("2H"), 0, 0)


@pytest.mark.parametrize(
    ("changes", "taken", "points"),
    [
        ({}, NO_MOON, (25, 1, 0, 0)),
        ({"no_trick_bonus": True}, NO_MOON, (25, 1, -5, -5)),
        ({"jack_bonus": True}, NO_MOON, (15, 1, 0, 0)),
        ({"queen_penalty": False}, NO_MOON, (12, 1, 0, 0)),
        ({"hearts_arent_points": True}, NO_MOON, (13, 0, 0, 0)),
        ({}, EVERYTHING, (0, 26, 26, 26)),
        ({"moon": MoonScoring.SHOOTER_SUBTRACTS}, EVERYTHING, (-26, 0, 0, 0)),
        ({"moon": MoonScoring.SHOOTER_CHOOSES}, EVERYTHING, (0, 26, 26, 26)),
        ({"no_shooting": True}, EVERYTHING, (26, 0, 0, 0)),
        ({"hearts_arent_points": True}, EVERYTHING, (13, 0, 0, 0)),
        ({"queen_penalty": False}, EVERYTHING, (0, 13, 13, 13)),
        ({"jack_bonus": True}, EVERYTHING, (-10, 26, 26, 26)),
        ({"no_trick_bonus": True}, EVERYTHING, (0, 26, 26, 26)),
        ({"shooting_needs_jack": True}, EVERYTHING, (0, 26, 26, 26)),
        ({"shooting_needs_jack": True}, (DECK & ~JACK, JACK, 0, 0), (26, 0, 0, 0)),
        ({}, (DECK & ~JACK, JACK, 0, 0), (0, 26, 26, 26)),
        ({"queen_penalty": False}, (DECK & ~QUEEN, QUEEN, 0, 0), (0, 13, 13, 13)),
        ({"jack_bonus": True}, (DECK & ~JACK, JACK, 0, 0), (0, 16, 26, 26)),
    ],
)
def test_points_by_example(changes, taken, points):
    assert hand_points(replace(STANDARD, **changes), taken) == points


def test_a_shooter_who_chooses_may_subtract():
    rules = replace(STANDARD, moon=MoonScoring.SHOOTER_CHOOSES)
    assert hand_points(rules, EVERYTHING, MoonScoring.SHOOTER_SUBTRACTS) == (-26, 0, 0, 0)
    # Where the rules decide, the choice is not asked for.
    assert hand_points(STANDARD, EVERYTHING, MoonScoring.SHOOTER_SUBTRACTS) == (0, 26, 26, 26)


@given(ALL_RULES, st.lists(st.integers(0, 3), min_size=52, max_size=52))
def test_without_a_moon_all_points_of_the_deal_are_given_out(rules, owners):
    taken = [
        set_of(card for card, owner in zip(ALL_CARDS, owners, strict=True) if owner == seat)
        for seat in range(4)
    ]
    shooter = moon_shooter(rules, taken)
    bonus = -5 * taken.count(0) if rules.no_trick_bonus and shooter is None else 0
    jack = -10 if rules.jack_bonus else 0
    moon = 0
    if shooter is not None:
        moon = -2 * rules.total if rules.moon is MoonScoring.SHOOTER_SUBTRACTS else 2 * rules.total
    assert sum(hand_points(rules, taken)) == rules.total + bonus + jack + moon
    assert rules.total == points_in(replace(rules, jack_bonus=False), DECK)


def test_hearts_are_hearts():
    assert SUIT_MASK[HEARTS] == ALL_HEARTS
