"""The softmax playout: candidate cards with probabilities fitted to games of the search.

Candidates and classes are those of `hearts.kernels.playouts.candidates`. Probabilities are looked
up in tables, one word per class and phase:

    LEAD_WEIGHTS          two numbers of 32 bits: the weight of the lowest and of the highest card;
                          the weights of all four suits compete
    FOLLOW_CDF, VOID_CDF  a cumulative distribution, four numbers of 15 bits: the n-th is the
                          probability of the first n + 1 candidates; a fifth gets the rest

The tables are constants of the compiled code, so that all playouts have the same arguments; `make`
recompiles the kernels when the file changes.
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
from hearts.kernels.core.order import LANE_SHIFT, WRAP, close_trick, put_card, rotate_hands
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
    follows_held,
    holders_of,
    lead_class,
    moon_class,
    split_follows,
    split_voids,
    stage_class,
    void_class,
    voids_held,
)
from hearts.kernels.playouts.greedy import without


def read_tables(path):
    """The tables of leads, follows and voids in a file."""
    try:
        with np.load(BytesIO(path.read_bytes())) as found:
            tables = [np.ascontiguousarray(found[name], dtype=np.uint64) for name in SIZES]
    except (OSError, EOFError, KeyError, ValueError, BadZipFile) as error:
        raise ImportError(f"{path}: no tables; create them with `hearts playouts learn`") from error
    # Kernels do not check bounds.
    if [each.shape for each in tables] != [(size,) for size in SIZES.values()]:
        reason = "tables of other classes; create them with `hearts playouts learn`"
        raise ImportError(f"{path}: {reason}")
    return tables


LEAD_WEIGHTS, FOLLOW_CDF, VOID_CDF = read_tables(files("hearts").joinpath("data", "softmax.npz"))

_TWO = U(2)
_FOLLOWS_HELD, _VOIDS_HELD = U(prod(FOLLOW_HELD)), U(prod(VOID_HELD))
_HALF = U(0xFFFFFFFF)


@inlined
def _suit_weights(situation, suit, legal, unplayed, queen_out):
    """The packed weights of leading a suit; 0 if it cannot be led."""
    lane = LANE << (suit << LANE_SHIFT)
    held = legal & lane
    if held == ZERO:
        return ZERO
    return LEAD_WEIGHTS[lead_class(situation, suit, held, unplayed & lane & ~held, queen_out)]


@inlined
def _sum(weights):
    """The sum of two packed weights."""
    return (weights & _HALF) + (weights >> S32)


@inlined
def softmax_lead(situation, legal, unplayed, queen_out, sixteen_bits):
    """The card that is led; `unplayed` are the cards in all hands."""
    clubs = _suit_weights(situation, ZERO, legal, unplayed, queen_out)
    diamonds = _suit_weights(situation, ONE, legal, unplayed, queen_out)
    spades = _suit_weights(situation, _TWO, legal, unplayed, queen_out)
    hearts = _suit_weights(situation, THREE, legal, unplayed, queen_out)
    first, second = _sum(clubs), _sum(clubs) + _sum(diamonds)
    third = second + _sum(spades)
    point = (sixteen_bits * (third + _sum(hearts))) >> S16
    weights, shift = clubs, ZERO
    if point >= second:
        weights, shift, point = (
            (spades, S32, point - second) if point < third else (hearts, S48, point - third)
        )
    elif point >= first:
        weights, shift, point = diamonds, S16, point - first
    held = without(legal & (LANE << shift), queen_out)
    return select(point < weights & _HALF, held & (ZERO - held), highest_bit(held))


@inlined
def _draw(cdf, fifteen_bits):
    """The number of the candidate that random bits draw from a cumulative distribution."""
    chosen = U(fifteen_bits >= cdf & LANE) + U(fifteen_bits >= (cdf >> S16) & LANE)
    return chosen + U(fifteen_bits >= (cdf >> S32) & LANE) + U(fifteen_bits >= cdf >> S48)


@inlined
def softmax_follow(situation, legal, best, unplayed, queen_out, trick, penalties, count, bits):
    """The card of a hand that follows suit."""
    others = unplayed & lane_of(best) & ~legal
    ducking, winning = split_follows(legal, best, queen_out)
    index = follow_class(situation, legal, others, queen_out, trick, penalties, count - ONE)
    chosen = _draw(FOLLOW_CDF[index * _FOLLOWS_HELD + follows_held(ducking, winning)], bits)
    queen = ducking & queen_out
    duck = select(queen != ZERO, queen, highest_bit(ducking))
    low = select(chosen == ONE, without(ducking, queen), winning)
    high = select(chosen == ZERO, duck, highest_bit(winning))
    return select(U(chosen - ONE) < _TWO, low & (ZERO - low), high)


@inlined
def softmax_void(index, legal, queen_out, trick, penalties, bits):
    """The card of a hand that is void in the suit led."""
    queen, high, hearts, rest = split_voids(legal, queen_out, trick, penalties)
    chosen = _draw(VOID_CDF[index * _VOIDS_HELD + voids_held(queen, high, hearts, rest)], bits)
    if chosen == ZERO:
        return queen
    if chosen < THREE:
        return highest_bit(select(chosen == ONE, high, hearts))
    return highest_rank(rest) if chosen == THREE else lowest_rank(rest)


@inlined
def softmax_card(
    hand, best, count, trick, first, broken, unplayed, stage, holders, winner_shift,
    queen_out, rules, bits,
):  # fmt: skip
    """The card of the softmax policy in any position, by 16 random bits.

    `unplayed` are the cards in all hands. `holders` (see holders_of) and `winner_shift`, the
    distance to the winning seat, are relative to the seat to play, 16 bits per seat.
    """
    penalties, moon = penalty_cards(rules), moon_class(holders)
    situation = moon * FOUR + stage
    if count == ZERO:
        legal = legal_leads(hand, first, broken, rules)
        return softmax_lead(situation, legal, unplayed, queen_out, bits)
    lane = lane_of(best)
    if hand & lane:
        return softmax_follow(
            situation, hand & lane, best, unplayed, queen_out, trick, penalties, count, bits >> ONE
        )
    legal = legal_follows(hand, lane, first, rules)
    index = void_class(moon, stage, holders, winner_shift, trick, penalties)
    return softmax_void(index, legal, queen_out, trick, penalties, bits >> ONE)


@kernel
def softmax_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream):
    """Play a hand out by the softmax policy; return what each seat has taken."""
    turn, winner, count, first, broken = unpack_meta(meta)
    a, b, c, d = rotate_hands(turn, h0, h1, h2, h3)
    rotation = turn << LANE_SHIFT
    taken = rotate_right(taken, rotation)
    breakers = heart_breakers(rules)
    unplayed = h0 | h1 | h2 | h3
    queen_out = unplayed & penalty_cards(rules) & QUEEN
    winner_shift = (winner << LANE_SHIFT) - rotation
    while a:
        stream = advance(stream)
        word, stage, holders = mix(stream), stage_class(popcount(a)), holders_of(taken)
        while count < FOUR:
            card = softmax_card(
                a, best, count, trick, first, broken, unplayed, stage, holders, winner_shift,
                queen_out, rules, word & LANE,
            )  # fmt: skip
            trick, best, winner_shift = put_card(card, count, trick, best, winner_shift)
            unplayed ^= card
            a, b, c, d = b, c, d, a ^ card
            taken, rotation = rotate_right(taken, S16), rotation + S16
            holders, word, count = rotate_right(holders, S16), word >> S16, count + ONE
        a, b, c, d, taken, rotation = close_trick(
            trick, winner_shift & WRAP, a, b, c, d, taken, rotation
        )
        broken |= trick & breakers
        queen_out &= ~trick
        first, count, trick, winner_shift = ZERO, ZERO, ZERO, ZERO
    return rotate_right(taken, (ZERO - rotation) & WRAP)
