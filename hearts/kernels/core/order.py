"""The state of a playout, rotated so that the seat to play comes first.

a, b, c, d are the hands of the seat to play and of the seats to its left. `taken` is rotated with
them, so that no array is indexed by seat. `rotation` is the distance from seat 0 to the seat to
play, `winner_shift` that from the seat to play to the winning seat; both are in bits, 16 per seat,
mod 64.
"""

from hearts.kernels.core.bits import ONE, S16, ZERO, U, rotate_right, select
from hearts.kernels.core.jit import inlined
from hearts.kernels.core.state import lane_of, taken_by_trick

LANE_SHIFT = U(4)  # `seat << LANE_SHIFT` is the lowest bit of the seat's lane
WRAP = U(63)  # mask for bit distances mod 64


@inlined
def rotate_hands(seats, a, b, c, d):
    """The four hands, starting from the one `seats` (0 … 3) to the left."""
    odd, across = seats & ONE != ZERO, seats > ONE
    e, f = select(odd, b, a), select(odd, c, b)
    g, h = select(odd, d, c), select(odd, a, d)
    return select(across, g, e), select(across, h, f), select(across, e, g), select(across, f, h)


@inlined
def put_card(card, count, trick, best, winner_shift):
    """Trick, best card and winner after a card, seen from the next seat."""
    over = count == ZERO or (card & lane_of(best)) > best
    best, winner_shift = (card, ZERO) if over else (best, winner_shift)
    return trick | card, best, winner_shift - S16


@inlined
def close_trick(trick, winner_shift, a, b, c, d, taken, rotation):
    """Hands, taken and rotation after a trick, seen from its winner, who leads next."""
    taken = rotate_right(taken + (taken_by_trick(trick) << winner_shift), winner_shift)
    a, b, c, d = rotate_hands(winner_shift >> LANE_SHIFT, a, b, c, d)
    return a, b, c, d, taken, rotation + winner_shift
