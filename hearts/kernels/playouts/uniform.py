"""The uniform playout: every legal card is equally likely.

Whole tricks are played without branches; a trick in progress and the first trick, which has rules
of its own, take a general loop.
"""

from hearts.kernels.core.bits import LANE, ONE, S16, S32, S48, ZERO, pick, rotate_right, select
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.order import LANE_SHIFT, WRAP, close_trick, put_card, rotate_hands
from hearts.kernels.core.random import advance, mix
from hearts.kernels.core.state import (
    FOUR,
    HEARTS,
    HEARTS_INSTEAD_OF_QUEEN,
    MUST_BREAK,
    QUEEN,
    heart_breakers,
    lane_of,
    legal_plays,
    unpack_meta,
)


@kernel
def uniform_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream):
    """Play a hand out uniformly; return what each seat has taken."""
    turn, winner, count, first, broken = unpack_meta(meta)
    a, b, c, d = rotate_hands(turn, h0, h1, h2, h3)
    rotation = turn << LANE_SHIFT
    taken = rotate_right(taken, rotation)
    breakers = heart_breakers(rules)
    if count or first:
        stream = advance(stream)
        word = mix(stream)
        winner_shift = (winner << LANE_SHIFT) - rotation
        while count < FOUR:
            card = pick(legal_plays(a, best, count, first, broken, rules), word & LANE)
            trick, best, winner_shift = put_card(card, count, trick, best, winner_shift)
            a, b, c, d = b, c, d, a ^ card
            taken, rotation = rotate_right(taken, S16), rotation + S16
            word, count = word >> S16, count + ONE
        a, b, c, d, taken, rotation = close_trick(
            trick, winner_shift & WRAP, a, b, c, d, taken, rotation
        )
        broken |= trick & breakers
    if not rules & MUST_BREAK:
        broken = ONE
    lone_queen = QUEEN if rules & HEARTS_INSTEAD_OF_QUEEN else ZERO
    while a:
        stream = advance(stream)
        word = mix(stream)
        quiet = a & ~HEARTS
        any_lead = (broken != ZERO) | (quiet & ~lone_queen == ZERO)
        led = pick(select(any_lead, a, quiet), word & LANE)
        lane = lane_of(led)
        second = _follow(b, lane, (word >> S16) & LANE)
        third = _follow(c, lane, (word >> S32) & LANE)
        fourth = _follow(d, lane, word >> S48)
        trick = led | second | third | fourth
        broken |= trick & breakers
        winner_shift = _winner_shift(led, second & lane, third & lane, fourth & lane)
        a, b, c, d, taken, rotation = close_trick(
            trick, winner_shift, a ^ led, b ^ second, c ^ third, d ^ fourth, taken, rotation
        )
    return rotate_right(taken, (ZERO - rotation) & WRAP)


@inlined
def _follow(hand, lane, sixteen_bits):
    following = hand & lane
    return pick(select(following != ZERO, following, hand), sixteen_bits)


@inlined
def _winner_shift(led, second, third, fourth):
    """The distance to the highest card, in bits; cards of other suits are given as 0."""
    second_over, fourth_over = second > led, fourth > third
    early, late = select(second_over, second, led), select(fourth_over, fourth, third)
    return select(late > early, select(fourth_over, S48, S32), select(second_over, S16, ZERO))
