"""Input features of the critic, which sees all four hands.

feature      is active for
HELD         64 r + each card in the hand of the seat r to the left
CHOSEN       each card that the seat has chosen to pass
otherwise    as the player's feature of the same name (hearts.kernels.network.features);
             NOBODY or SEVERAL seats have taken penalty cards
"""

import numpy as np

from hearts.kernels.core.bits import S16, U, lowest_bit_index
from hearts.kernels.core.jit import fast
from hearts.kernels.core.state import PENALTIES_TAKEN
from hearts.kernels.network.features import (
    HEARTS_BITS,
    QUEEN_BIT,
    add_cards,
    place_index,
    sole_taker,
    trick_cost,
)

HELD, WINNING, PLACE, COST, BROKEN, FIRST, QUEEN_TAKEN = 0, 256, 320, 336, 344, 345, 348
SOLE_TAKER, NOBODY, SEVERAL, PASSING, DIRECTION = 352, 356, 357, 358, 360
HEARTS_TAKEN, CHOSEN = 384, 448
CRITIC_FEATURES = 512


@fast
def critic_features(
    seat, hands, chosen, direction, trick, best, winner, count, taken, first, broken, active
):
    """Write the critic's features for a seat; return their number.

    `direction` is that of the pass while cards are being passed, otherwise −1.
    """
    n = 0
    for r in range(4):
        n = add_cards(hands[(seat + r) & 3], HELD + 64 * r, active, n)
    n = add_cards(chosen, CHOSEN, active, n)
    active[n] = PLACE + place_index(seat, winner, count)
    n += 1
    if count:
        active[n] = WINNING + np.int64(lowest_bit_index(best))
        active[n + 1] = COST + trick_cost(trick)
        n += 2
    if direction >= 0:
        active[n], active[n + 1] = PASSING, DIRECTION + direction
        n += 2
    for condition, feature in ((broken, BROKEN), (first, FIRST)):
        if condition:
            active[n] = feature
            n += 1
    sole = sole_taker(taken)
    if sole >= 0:
        active[n] = SOLE_TAKER + ((sole - seat) & 3)
    else:
        active[n] = SEVERAL if taken & PENALTIES_TAKEN else NOBODY
    n += 1
    for r in range(4):
        lane = taken >> (U((seat + r) & 3) * S16)
        active[n] = HEARTS_TAKEN + 16 * r + np.int64(lane & HEARTS_BITS)
        n += 1
        if lane & QUEEN_BIT:
            active[n] = QUEEN_TAKEN + r
            n += 1
    return n
