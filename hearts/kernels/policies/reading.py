"""What a card-counting policy derives from what its seat knows: cards out, voids, a shooter.

Floats are computed as hearts.players.reading computes them, operation by operation, so that the
same card is cheapest. Powers are looked up in tables of Python's powers: compiled code may round
them differently.
"""

from typing import NamedTuple

import numpy as np

from hearts.kernels.core.bits import (
    EVERY_LANE,
    LANE,
    ONE,
    S16,
    ZERO,
    U,
    lowest_bit_index,
    popcount,
)
from hearts.kernels.core.jit import inlined
from hearts.kernels.core.state import (
    HEARTS,
    HEARTS_ARENT_POINTS,
    PENALTIES_TAKEN,
    QUEEN,
    QUEEN_PENALTY,
    THREE,
    barred_first,
    lane_points,
    lanes_with,
    moon_lane,
)

QUEEN_POINTS = 13.0
HEART_POINTS = 0.8  # expected points of a discard while hearts are out
NOBODY = U(4)  # beyond every seat

_SPADES = U(2)
_EVERY_SUIT = U(0xFFFF)  # voids of all seats
_NEIGHBOURS = U(0x1110)  # the bits of voids, rotated to the seat to play, of the others in clubs
_AFTER = np.array([0x0000, 0x0010, 0x0110, 0x1110], dtype=np.uint64)  # of the next n seats
_A_HEART = U(2)  # completes the 13 hearts of a moon to a mask of the lane's hearts


def _none_held():
    """Table [n, k]: probability that one of n seats holds none of k cards spread over them."""
    return [[(1 - 1 / n) ** k if n else 1.0 for k in range(14)] for n in range(4)]


def _chances():
    """Table [holders, followers, lower, higher]: see `chance_to_win`."""
    table = np.ones((4, 4, 13, 13))
    for holders, followers, lower, higher in np.ndindex(*table.shape):
        none = _none_held()[holders]
        forced_over = none[lower] * (1 - none[higher])
        table[holders, followers, lower, higher] = (1 - forced_over) ** followers
    return table


_NONE_HELD = np.array(_none_held())
_CHANCES = _chances()


class Reading(NamedTuple):
    """What a seat that is to play knows, and what follows from it; sets are words."""

    hand: np.uint64
    legal: np.uint64
    out: np.uint64  # the cards of the other hands
    trick: np.uint64  # the cards on the table
    best: np.uint64  # the card that is winning the trick
    behind: np.uint64  # the number of seats that play after this one
    voids: np.uint64  # shown voids, rotated so that this seat comes first
    queen_out: bool  # another seat holds Q♠, and it costs points
    queen_mine: bool  # this seat holds Q♠, and it costs points
    discard_points: float  # expected points of the discard of a seat that cannot follow
    rules: np.uint64


@inlined
def rotate_voids(voids, turn):
    """Shown voids, rotated so that the seat `turn` comes first."""
    return ((voids | (voids << S16)) >> (turn << U(2))) & _EVERY_SUIT


@inlined
def _holders(out, voids, suit):
    """The number of other seats that may hold a suit of which `out` are out."""
    return THREE - popcount(voids & (_NEIGHBOURS << suit)) if out else ZERO


@inlined
def holders(reading, suit):
    """The number of other seats that may still hold a suit."""
    return _holders(reading.out & (LANE << (suit << U(4))), reading.voids, suit)


@inlined
def followers(reading, suit):
    """The number of seats after this one that may still hold a suit."""
    if reading.out & (LANE << (suit << U(4))) == ZERO:
        return ZERO
    return reading.behind - popcount(reading.voids & (_AFTER[reading.behind] << suit))


@inlined
def chance_to_win(holders, followers, lower, higher):
    """Probability that no seat after this one beats a card, if all of them duck when they can.

    `lower` and `higher` are the numbers of cards of its suit that are out.
    """
    return _CHANCES[holders, followers, lower, higher]


@inlined
def gifts(reading, suit, holders, followers, left):
    """The points that the seats after this one add to a trick of a suit with `left` cards out."""
    void = _NONE_HELD[holders, left]
    following = np.float64(followers) * (1.0 - void)
    costly = suit == THREE and not reading.rules & HEARTS_ARENT_POINTS
    hearts = following if costly else 0.0
    return (np.float64(reading.behind) - following) * reading.discard_points + hearts


@inlined
def _discard_points(out, voids, queen_out, first, rules):
    """The expected points of the discard of a seat that cannot follow."""
    if first and barred_first(rules) == HEARTS | QUEEN:
        return 0.0
    holding = _holders(out & (LANE << (_SPADES << U(4))), voids, _SPADES)
    queen = QUEEN_POINTS / np.float64(max(ONE, holding)) if queen_out else 0.0
    hearts = out & HEARTS and not rules & HEARTS_ARENT_POINTS
    return queen + (HEART_POINTS if hearts else 0.0)


@inlined
def read(turn, hand, legal, out, trick, best, count, first, voids, rules):
    """The reading of the seat `turn`, which is to play one of the `legal` cards."""
    voids = rotate_voids(voids, turn)
    queen = QUEEN if rules & QUEEN_PENALTY else ZERO
    queen_out, queen_mine = out & queen != ZERO, hand & queen != ZERO
    discard_points = _discard_points(out, voids, queen_out, first, rules)
    return Reading(
        hand, legal, out, trick, best, THREE - count, voids, queen_out, queen_mine,
        discard_points, rules,
    )  # fmt: skip


@inlined
def suspect(turn, taken, rules):
    """Another seat that has all points so far, and their number; NOBODY and 0 if there is none."""
    moon = moon_lane(rules)
    needed = (moon | _A_HEART) * EVERY_LANE if moon else ZERO
    takers = lanes_with(taken, needed)
    if takers == ZERO or takers & (takers - ONE):
        return NOBODY, 0
    seat = lowest_bit_index(takers) >> U(4)
    if seat == turn:
        return NOBODY, 0
    return seat, lane_points((taken & needed) >> (seat << U(4)), rules)


@inlined
def seats_with_points(taken, rules):
    """The seats that have more than 0 points, one bit each."""
    found = ZERO
    if taken & PENALTIES_TAKEN:
        for seat in range(4):
            if lane_points(taken >> (U(seat) * S16), rules) > 0:
                found |= ONE << U(seat)
    return found
