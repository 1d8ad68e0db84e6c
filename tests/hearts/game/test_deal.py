"""One hand from the deal to its points."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.game.cards import DECK, TWO_OF_CLUBS, bit, count, members, parse_card, parse_cards
from hearts.game.deal import Deal
from hearts.game.errors import IllegalMove, InvalidCard
from hearts.game.rules import PASSING, STANDARD, MoonScoring, PassDirection, Rules
from hearts.game.trick import Trick
from tests.hearts.games import VARIANTS, finish, new_deal, one_suit_each, steps

SEEDS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(list(VARIANTS.values()))
DIRECTIONS = st.sampled_from(list(PassDirection))


def play_all(deal: Deal, cards: str) -> Deal:
    for card in cards.split():
        deal = deal.play(parse_card(card))
    return deal


@settings(max_examples=60, deadline=None)
@given(RULES, DIRECTIONS, SEEDS, st.booleans())
def test_the_cards_always_partition(rules, direction, seed, skewed):
    """Every card is in one hand, on the table, or won by one seat; nothing is lost or doubled."""
    rng = np.random.default_rng(seed)
    for deal in steps(new_deal(rules, direction, rng, skewed), rng):
        piles = [*deal.hands, *deal.taken, deal.trick.cards_set]
        assert sum(piles) == DECK
        assert sum(map(count, piles)) == 52
        assert deal.played == DECK & ~sum(deal.hands)
        assert len(list(deal.plays)) == count(deal.played)


@settings(max_examples=40, deadline=None)
@given(RULES, SEEDS, st.sampled_from(list(PassDirection)[1:]))
def test_a_pass_moves_three_cards_in_its_direction(rules, seed, direction):
    deal = new_deal(rules, direction, np.random.default_rng(seed))
    for seat in range(4):
        to = (seat + {"left": 1, "across": 2, "right": -1}[direction.label]) % 4
        assert count(deal.passes[seat]) == 3
        assert not deal.passes[seat] & ~deal.hands[to]
        assert deal.hands[seat] & deal.dealt[seat] == deal.dealt[seat] & ~deal.passes[seat]


@settings(max_examples=40, deadline=None)
@given(RULES, DIRECTIONS, SEEDS)
def test_the_winner_leads_the_next_trick(rules, direction, seed):
    rng = np.random.default_rng(seed)
    start = new_deal(rules, direction, rng)
    deal = finish(start, rng)
    leaders = [trick.leader for trick in deal.tricks]
    assert leaders[1:] == [trick.winner for trick in deal.tricks[:-1]]
    assert leaders[0] == start.turn
    if rules.opener:
        assert start.hands[leaders[0]] & bit(TWO_OF_CLUBS)
    assert sum(deal.points) == rules.total + (-10 if rules.jack_bonus else 0)


def test_random_deals_come_from_the_seed():
    deals = [Deal.random(STANDARD, PassDirection.HOLD, np.random.default_rng(s)) for s in (1, 1, 2)]
    assert deals[0] == deals[1] != deals[2]
    assert sum(deals[0].dealt) == DECK


def test_the_direction_decides_about_passing():
    """Records of rules without do_pass_cards but with passes exist: what happened counts."""
    assert not STANDARD.do_pass_cards
    hands = one_suit_each()
    assert Deal.of(STANDARD, hands, PassDirection.LEFT).passing
    assert not Deal.of(PASSING, hands, PassDirection.HOLD).passing


def test_without_an_opening_card_the_deal_names_the_leader():
    free = Rules.from_mask(0)
    assert Deal.of(free, one_suit_each()).turn == 0
    assert Deal.of(free, one_suit_each(), leader=2).turn == 2
    assert Deal.of(STANDARD, one_suit_each(opener=3), leader=2).turn == 3


def test_one_suit_each_is_a_moon_for_the_clubs():
    """Clubs lead and win every trick; on the first, hands of nothing but hearts play one."""
    rng = np.random.default_rng(1)
    deal = finish(Deal.of(STANDARD, one_suit_each(opener=1)), rng)
    assert deal.shooter == 1
    assert deal.points == (0, 26, 0, 0)
    assert deal.final_points() == (26, 0, 26, 26)
    chosen = replace(deal, rules=replace(STANDARD, moon=MoonScoring.SHOOTER_CHOOSES))
    assert chosen.final_points(MoonScoring.SHOOTER_SUBTRACTS) == (0, -26, 0, 0)


def test_moves_leave_the_deal_before_them_alone():
    deal = Deal.of(STANDARD, one_suit_each())
    after = deal.play(parse_card("2C"))
    assert (deal.turn, after.turn) == (0, 1)
    assert count(deal.hands[0]) == 13
    assert (after.trick, after.played) == (Trick(0, (TWO_OF_CLUBS,)), bit(TWO_OF_CLUBS))


START = Deal.of(
    STANDARD,
    [
        parse_cards("2C 3C 4C 5C 2D 3D 4D 2S 3S 4S 2H 3H 4H"),
        parse_cards("6C 7C 8C 5D 6D 7D 5S 6S 7S 5H 6H 7H 8H"),
        parse_cards("9C 10C JC 8D 9D 10D 8S 9S 10S 9H 10H JH QS"),
        parse_cards("QC KC AC JD QD KD AD JS KS AS QH KH AH"),
    ],
)


@pytest.mark.parametrize(
    ("cards", "seat", "card", "message"),
    [
        ("", None, "3C", "seat 0 cannot play 3C: the 2C opens the hand"),
        ("", None, "AC", "seat 0 cannot play AC: it is not in the hand"),
        ("", 2, "9C", "seat 2 cannot play 9C: seat 0 is to play"),
        ("", 7, "9C", "seat 7 cannot play 9C: seat 0 is to play"),
        ("2C", None, "5D", "seat 1 cannot play 5D: must follow clubs"),
        ("2C 6C 9C QC", None, "QH", "seat 3 cannot play QH: hearts are not broken"),
        ("2C 6C 9C QC", 0, "3C", "seat 0 cannot play 3C: seat 3 is to play"),
        ("2C 6C 9C QC JD", 0, "2H", "seat 0 cannot play 2H: must follow diamonds"),
    ],
)
def test_refused_plays_say_seat_card_and_reason(cards, seat, card, message):
    with pytest.raises(IllegalMove) as caught:
        play_all(START, cards).play(parse_card(card), seat)
    assert str(caught.value) == message


def test_points_are_barred_from_the_first_trick():
    clubs = parse_cards("9C 10C JC")
    first = START.hands[2] & ~clubs | parse_cards("2D 3D 4D")
    hands = (START.hands[0] & ~first | clubs, START.hands[1], first, START.hands[3])
    deal = play_all(Deal.of(STANDARD, hands), "2C 6C")
    for card in ("QS", "9H"):
        with pytest.raises(IllegalMove, match=f"seat 2 cannot play {card}: it is barred"):
            deal.play(parse_card(card))
    assert parse_card("8D") in members(deal.legal)


def test_no_card_is_played_before_the_pass_or_after_the_end():
    passing = Deal.of(PASSING, START.dealt, PassDirection.LEFT)
    with pytest.raises(IllegalMove, match="nobody can play 2C: the cards are to be passed first"):
        passing.play(TWO_OF_CLUBS)
    over = finish(START, np.random.default_rng(0))
    with pytest.raises(IllegalMove, match="seat 0 cannot play 2C: the hand is over"):
        over.play(TWO_OF_CLUBS, 0)
    with pytest.raises(IllegalMove, match="no result yet: 0 tricks are over"):
        START.final_points()


@pytest.mark.parametrize("number", [-1, 13, 15, 64, 1000])
def test_numbers_that_are_no_cards_are_refused(number):
    with pytest.raises(IllegalMove, match=f"cannot play card {number}: it is not in the hand"):
        START.play(number)


@pytest.mark.parametrize(
    ("seat", "cards", "message"),
    [
        (4, "2C 3C 4C", "seat 4 cannot pass 2C 3C 4C: seats are 0 to 3"),
        (0, "2C 3C", "seat 0 cannot pass 2C 3C: a pass is 3 cards"),
        (0, "", "seat 0 cannot pass nothing: a pass is 3 cards"),
        (0, "2C 3C AC", "seat 0 cannot pass 2C 3C AC: AC not in the hand"),
        (1, "5H 6H 7H", "seat 1 cannot pass 5H 6H 7H: it has passed 6C 7C 8C already"),
    ],
)
def test_refused_passes_say_why(seat, cards, message):
    deal = Deal.of(PASSING, START.dealt, PassDirection.LEFT).give(1, parse_cards("6C 7C 8C"))
    with pytest.raises(IllegalMove) as caught:
        deal.give(seat, parse_cards(cards))
    assert str(caught.value) == message


def test_no_cards_are_passed_on_hold_or_twice():
    with pytest.raises(IllegalMove, match="no cards are passed"):
        START.give(0, parse_cards("2C 3C 4C"))
    deal = new_deal(PASSING, PassDirection.LEFT, np.random.default_rng(0))
    with pytest.raises(IllegalMove, match="the pass is over"):
        deal.give(0, deal.passes[0])


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        (START.dealt[:3], "dealt: 3 hands: there are 4 seats"),
        ((START.dealt[0] & ~1, *START.dealt[1:]), r"dealt\[0\]: 12 cards: a hand has 13"),
        (
            (START.dealt[0], START.dealt[0], *START.dealt[2:]),
            r"dealt\[1\]: 2C 3C 4C .*: dealt to another seat too",
        ),
        ((START.dealt[0] ^ 1 ^ 1 << 13, *START.dealt[1:]), r"dealt\[0\]: 12 cards: a hand has 13"),
    ],
)
def test_a_deal_must_be_the_deck(hands, message):
    with pytest.raises(InvalidCard, match=message):
        Deal.of(STANDARD, hands)


def test_tricks_know_who_played_what():
    trick = Trick(2, tuple(parse_card(card) for card in ("5D", "KD", "AS")))
    assert (trick.led, trick.turn, trick.winner, trick.complete) == (1, 1, 3, False)
    assert list(trick.plays) == [(2, 19), (3, 27), (0, 44)]
    assert [trick.has_played(seat) for seat in range(4)] == [True, False, True, True]
    assert trick.played_by(3) == parse_cards("KD")
    assert trick.played_by(1) == 0
    assert trick.add(parse_card("AD")).winner == 1
    assert str(trick) == "seat 2: 5D KD AS"
    assert (Trick(1).winner, Trick(1).led, str(Trick(1))) == (1, None, "seat 1: -")
