"""What is added up for every move of a search: a row of eight numbers."""

from hearts.kernels.core.bits import S16, U
from hearts.kernels.core.jit import inlined
from hearts.kernels.core.reward import match_value, rewards

VISITS, REWARD, POINTS, SQUARES, QUEEN, MOON, AGAINST, MATCH = range(8)
COLUMNS = 8

_QUEEN_TAKEN = U(0x10)


@inlined
def add_outcome(row, seat, taken, rules, kind, scale, scores, target, ahead, points, reward):
    """Value a finished hand for all seats, and add what it brought `seat` to its move's row."""
    shooter = rewards(taken, rules, kind, scale, scores, target, ahead, points, reward)
    own = points[seat]
    row[VISITS] += 1.0
    row[REWARD] += reward[seat]
    row[POINTS] += own
    row[SQUARES] += own * own
    row[MATCH] += match_value(seat, points, scores, target, ahead)
    if (taken >> (U(seat) * S16)) & _QUEEN_TAKEN:
        row[QUEEN] += 1.0
    if shooter == seat:
        row[MOON] += 1.0
    elif shooter >= 0:
        row[AGAINST] += 1.0
