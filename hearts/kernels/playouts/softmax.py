"""The softmax playout: every candidate has odds, learned from hands that a search has played.

Candidates and the classes that odds depend on are those of `candidates`; odds are
looked up, so that a choice costs some arithmetic and one or four looks at a table.

Odds of follows and voids are four sums of 15 bits in one word: the n-th says how often one of the
first n + 1 candidates is chosen. Odds of leads are two numbers of 32 bits: lowest card, highest.

Odds are compiled into the kernels, so that playouts of all kinds have the same arguments; `make`
compiles anew when they change.
"""

from importlib.resources import files
from io import BytesIO
from math import prod
from zipfile import BadZipFile

import numpy as np

from hearts.kernels.core.bits import (
    LANE,
    ONE,
    S16,
    S32,
    S48,
    ZERO,
    U,
    highest_bit,
    highest_rank,
    lowest_rank,
    popcount,
    rotate_right,
    select,
)
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.order import SEAT_BITS, WRAP, close_trick, put_card, rotate_hands
from hearts.kernels.core.random import advance, mix
from hearts.kernels.core.state import (
    FOUR,
    QUEEN,
    THREE,
    heart_breakers,
    lane_of,
    legal_follows,
    legal_leads,
    penalty_cards,
    unpack_meta,
)
from hearts.kernels.playouts.candidates import (
    FOLLOW_HELD,
    SIZES,
    VOID_HELD,
    follow_class,
    follow_held,
    held_follows,
    held_voids,
    holders_of,
    lead_class,
    moon_class,
    stage_class,
    void_class,
    void_held,
)
from hearts.kernels.playouts.greedy import without


def read_tables(place):
    """The odds of leads, follows and voids that a file has."""
    try:
        with np.load(BytesIO(place.read_bytes())) as found:
            odds = [np.ascontiguousarray(found[name], dtype=np.uint64) for name in SIZES]
    except (OSError, EOFError, KeyError, ValueError, BadZipFile) as error:
        raise ImportError(f"{place}: no odds; make them by `hearts playouts learn`") from error
    # Kernels do not look whether a place is inside a table.
    if [each.shape for each in odds] != [(size,) for size in SIZES.values()]:
        raise ImportError(f"{place}: odds of other classes; learn them by `hearts playouts learn`")
    return odds


LEAD_WEIGHTS, FOLLOW_CDF, VOID_CDF = read_tables(files("hearts").joinpath("data", "softmax.npz"))

_TWO = U(2)
_FOLLOWS_HELD, _VOIDS_HELD = U(prod(FOLLOW_HELD)), U(prod(VOID_HELD))
_HALF = U(0xFFFFFFFF)


@inlined
def _suit_odds(around, suit, legal, unplayed, queen_out):
    """The odds to lead the lowest and the highest card of a suit; none where there is none."""
    lane = LANE << (suit << SEAT_BITS)
    held = legal & lane
    if held == ZERO:
        return ZERO
    return LEAD_WEIGHTS[lead_class(around, suit, held, unplayed & lane & ~held, queen_out)]


@inlined
def _chances(odds):
    return (odds & _HALF) + (odds >> S32)


@inlined
def softmax_lead(around, legal, unplayed, queen_out, sixteen_bits):
    """The card that is led; `unplayed` are all cards in hands."""
    clubs = _suit_odds(around, ZERO, legal, unplayed, queen_out)
    diamonds = _suit_odds(around, ONE, legal, unplayed, queen_out)
    spades = _suit_odds(around, _TWO, legal, unplayed, queen_out)
    hearts = _suit_odds(around, THREE, legal, unplayed, queen_out)
    first, second = _chances(clubs), _chances(clubs) + _chances(diamonds)
    third = second + _chances(spades)
    point = (sixteen_bits * (third + _chances(hearts))) >> S16
    odds, shift = clubs, ZERO
    if point >= second:
        odds, shift, point = (
            (spades, S32, point - second) if point < third else (hearts, S48, point - third)
        )
    elif point >= first:
        odds, shift, point = diamonds, S16, point - first
    held = without(legal & (LANE << shift), queen_out)
    return select(point < odds & _HALF, held & (ZERO - held), highest_bit(held))


@inlined
def _drawn(odds, fifteen_bits):
    """The number of the candidate that random bits choose."""
    chosen = U(fifteen_bits >= odds & LANE) + U(fifteen_bits >= (odds >> S16) & LANE)
    return chosen + U(fifteen_bits >= (odds >> S32) & LANE) + U(fifteen_bits >= odds >> S48)


@inlined
def softmax_follow(around, legal, best, unplayed, queen_out, trick, penalties, count, bits):
    """The card that follows suit."""
    others = unplayed & lane_of(best) & ~legal
    ducking, winning = follow_held(legal, best, queen_out)
    index = follow_class(around, legal, others, queen_out, trick, penalties, count - ONE)
    chosen = _drawn(FOLLOW_CDF[index * _FOLLOWS_HELD + held_follows(ducking, winning)], bits)
    queen = ducking & queen_out
    duck = select(queen != ZERO, queen, highest_bit(ducking))
    low = select(chosen == ONE, without(ducking, queen), winning)
    high = select(chosen == ZERO, duck, highest_bit(winning))
    return select(U(chosen - ONE) < _TWO, low & (ZERO - low), high)


@inlined
def softmax_void(index, legal, queen_out, trick, penalties, bits):
    """The card that does not follow suit."""
    queen, high, hearts, rest = void_held(legal, queen_out, trick, penalties)
    chosen = _drawn(VOID_CDF[index * _VOIDS_HELD + held_voids(queen, high, hearts, rest)], bits)
    if chosen == ZERO:
        return queen
    if chosen < THREE:
        return highest_bit(select(chosen == ONE, high, hearts))
    return highest_rank(rest) if chosen == THREE else lowest_rank(rest)


@inlined
def softmax_card(
    hand, best, count, trick, first, broken, unplayed, stage, holders, wins, queen_out, rules, bits
):
    """The card that the softmax policy plays in any position, by 16 random bits.

    `unplayed` are all cards in hands; `holders` (see holders_of) and `wins`, the seat that wins the
    trick, are seen from the seat to play, 16 bits a seat.
    """
    penalties, moon = penalty_cards(rules), moon_class(holders)
    around = moon * FOUR + stage
    if count == ZERO:
        legal = legal_leads(hand, first, broken, rules)
        return softmax_lead(around, legal, unplayed, queen_out, bits)
    lane = lane_of(best)
    if hand & lane:
        return softmax_follow(
            around, hand & lane, best, unplayed, queen_out, trick, penalties, count, bits >> ONE
        )
    legal = legal_follows(hand, lane, first, rules)
    index = void_class(moon, stage, holders, wins, trick, penalties)
    return softmax_void(index, legal, queen_out, trick, penalties, bits >> ONE)


@kernel
def softmax_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream):
    """What each seat has taken at the end of a softmax playout."""
    turn, winner, count, first, broken = unpack_meta(meta)
    a, b, c, d = rotate_hands(turn, h0, h1, h2, h3)
    ahead = turn << SEAT_BITS
    taken = rotate_right(taken, ahead)
    breakers = heart_breakers(rules)
    unplayed = h0 | h1 | h2 | h3
    queen_out = unplayed & penalty_cards(rules) & QUEEN
    wins = (winner << SEAT_BITS) - ahead
    while a:
        stream = advance(stream)
        word, stage, holders = mix(stream), stage_class(popcount(a)), holders_of(taken)
        while count < FOUR:
            card = softmax_card(
                a, best, count, trick, first, broken, unplayed, stage, holders, wins, queen_out,
                rules, word & LANE,
            )  # fmt: skip
            trick, best, wins = put_card(card, count, trick, best, wins)
            unplayed ^= card
            a, b, c, d = b, c, d, a ^ card
            taken, ahead = rotate_right(taken, S16), ahead + S16
            holders, word, count = rotate_right(holders, S16), word >> S16, count + ONE
        a, b, c, d, taken, ahead = close_trick(trick, wins & WRAP, a, b, c, d, taken, ahead)
        broken |= trick & breakers
        queen_out &= ~trick
        first, count, trick, wins = ZERO, ZERO, ZERO, ZERO
    return rotate_right(taken, (ZERO - ahead) & WRAP)
