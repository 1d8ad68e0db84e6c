"""Move statistics: eight sums per move, from the view of the searching seat.

    VISITS   number of playouts        QUEEN    playouts in which the seat took Q♠
    REWARD   rewards                   MOON     playouts in which it shot the moon
    POINTS   penalty points            AGAINST  playouts in which another seat did
    SQUARES  squared penalty points    MATCH    expected places in the match

The last axis of a statistics array is the column.
"""

from hearts.kernels.core.bits import S16, U
from hearts.kernels.core.jit import inlined
from hearts.kernels.core.reward import match_value, rewards

VISITS, REWARD, POINTS, SQUARES, QUEEN, MOON, AGAINST, MATCH = range(8)
COLUMNS = 8

_QUEEN_TAKEN = U(0x10)


@inlined
def add_outcome(
    statistics, seat, taken, rules, kind, scale, scores, target, tables, points, reward
):  # fmt: skip
    """Value a finished hand for all seats, and add the result of `seat` to a move's statistics (8).

    Writes `points` (4) and `reward` (4).
    """
    shooter = rewards(taken, rules, kind, scale, scores, target, tables, points, reward)
    own = points[seat]
    statistics[VISITS] += 1.0
    statistics[REWARD] += reward[seat]
    statistics[POINTS] += own
    statistics[SQUARES] += own * own
    statistics[MATCH] += match_value(seat, points, scores, target, tables)
    if (taken >> (U(seat) * S16)) & _QUEEN_TAKEN:
        statistics[QUEEN] += 1.0
    if shooter == seat:
        statistics[MOON] += 1.0
    elif shooter >= 0:
        statistics[AGAINST] += 1.0
