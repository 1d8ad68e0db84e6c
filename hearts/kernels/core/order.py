"""Hands in order of play, as playouts keep them.

a, b, c, d are the hands of the seat to play and of the seats to its left. `taken` is rotated with
them, so that no array is indexed by seat. `rotation` is how far everything is rotated, and `wins`
is the place of the winning seat; both are in bits, 16 per seat, mod 64.
"""

from hearts.kernels.core.bits import ONE, S16, ZERO, U, rotate_right, select
from hearts.kernels.core.jit import inlined
from hearts.kernels.core.state import lane_of, taken_by_trick

SEAT_BITS = U(4)  # shift from a number of seats to bits
WRAP = U(63)


@inlined
def rotate_hands(places, a, b, c, d):
    """The four hands, starting from the one `places` (0 … 3) further on."""
    odd, across = places & ONE != ZERO, places > ONE
    e, f = select(odd, b, a), select(odd, c, b)
    g, h = select(odd, d, c), select(odd, a, d)
    return select(across, g, e), select(across, h, f), select(across, e, g), select(across, f, h)


@inlined
def put_card(card, count, trick, best, wins):
    """Trick, best card and winner after a card, relative to the seat after the player."""
    over = count == ZERO or (card & lane_of(best)) > best
    best, wins = (card, ZERO) if over else (best, wins)
    return trick | card, best, wins - S16


@inlined
def close_trick(trick, wins, a, b, c, d, taken, rotation):
    """Hands, taken and rotation after a trick won by the seat at `wins`, which leads next."""
    taken = rotate_right(taken + (taken_by_trick(trick) << wins), wins)
    a, b, c, d = rotate_hands(wins >> SEAT_BITS, a, b, c, d)
    return a, b, c, d, taken, rotation + wins
