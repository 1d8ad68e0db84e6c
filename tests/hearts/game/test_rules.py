"""The rules: options and masks, points and moons."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.game.cards import (
    ALL_CARDS,
    DECK,
    HEARTS,
    SUIT_MASK,
    CardSet,
    bit,
    parse_cards,
    set_of,
)
from hearts.game.errors import InvalidRules
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
    lowest_score,
    moon_shooter,
    points_in,
    trick_winner,
)
from tests.hearts.game.rule_sets import ALL_RULES, CARDS

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
    with pytest.raises(InvalidRules) as caught:
        Rules.parse(given_rules)
    assert str(caught.value).startswith(message)


def test_directions_are_read_as_names_and_numbers():
    read = [
        PassDirection.parse(value) for value in ("left", "RIGHT", "across", "hold", 1, -1, 2, 0)
    ]
    names = [direction.label for direction in read]
    assert names == ["left", "right", "across", "hold"] * 2
    for value in (4, -2, True, None, 1.0, "up"):
        with pytest.raises(InvalidRules, match=r".*: choose left, right, across, hold"):
            PassDirection.parse(value)


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


def taken_by(owners: list[int]) -> list[CardSet]:
    """The cards of each seat, where `owners` has the seat of every card."""
    return [
        set_of(card for card, owner in zip(ALL_CARDS, owners, strict=True) if owner == seat)
        for seat in range(4)
    ]


OWNERS = st.lists(st.integers(0, 3), min_size=52, max_size=52)
# Mostly one owner, so that moons and seats without a trick occur.
SKEWED = st.lists(st.sampled_from([1] * 50 + [0, 2, 3]), min_size=52, max_size=52)


@given(ALL_RULES, OWNERS)
def test_without_a_moon_all_points_of_the_deal_are_given_out(rules, owners):
    taken = taken_by(owners)
    shooter = moon_shooter(rules, taken)
    bonus = -5 * taken.count(0) if rules.no_trick_bonus and shooter is None else 0
    jack = -10 if rules.jack_bonus else 0
    moon = 0
    if shooter is not None:
        moon = -2 * rules.total if rules.moon is MoonScoring.SHOOTER_SUBTRACTS else 2 * rules.total
    assert sum(hand_points(rules, taken)) == rules.total + bonus + jack + moon
    assert rules.total == points_in(replace(rules, jack_bonus=False), DECK)


@given(ALL_RULES, st.one_of(OWNERS, SKEWED))
def test_scores_are_between_the_lowest_and_the_total(rules, owners):
    points = hand_points(rules, taken_by(owners))
    assert lowest_score(rules) <= min(points)
    assert max(points) <= rules.total


@given(ALL_RULES)
def test_point_cards_are_those_that_change_the_points(rules):
    assert set_of(card for card in ALL_CARDS if points_in(rules, bit(card))) == rules.point_cards


def test_hearts_are_hearts():
    assert SUIT_MASK[HEARTS] == ALL_HEARTS
