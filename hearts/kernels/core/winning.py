"""The probability of winning a match, by the scores after a hand.

A grid of scores, `wins`, has the probability at every level of the four scores; it is interpolated
in between. `fill_wins` computes the grid from the results of hands, the highest scores first. The
lowest score wins when a seat has reached the target; equal scores share the win.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.core.jit import inlined, kernel


class MatchTables(NamedTuple):
    """What the rest of a match is worth."""

    # (margins, leads): the probability of finishing ahead of another seat, by the distance from the
    # highest score to the target and by the lead: see hearts.kernels.core.reward
    ahead: NDArray[np.float64]
    # (distances,): the place of a score in `wins`, by its distance to the target; scores that are
    # farther away than the last distance count as if they were there
    levels: NDArray[np.float64]
    # (n, n, n, n): the probability of winning, by the level of the own score and those of the
    # others, in any order; the last level is the nearest to the target
    wins: NDArray[np.float32]


@inlined
def _share_first_place(points, scores, winning):
    lowest, winners = scores[0] + points[0], 0
    for seat in range(1, 4):
        lowest = min(lowest, scores[seat] + points[seat])
    for seat in range(4):
        winners += scores[seat] + points[seat] == lowest
    for seat in range(4):
        winning[seat] = 1.0 / winners if scores[seat] + points[seat] == lowest else 0.0


@inlined
def _level(distance, levels):
    """The level below a score, and the way from there to the score as a part of a level."""
    place = levels[min(distance, levels.shape[0] - 1)]
    level = np.int64(place)
    return level, place - level


@inlined
def win_probabilities(points, scores, target, tables, winning):
    """Write the probability that each seat wins the match to `winning` (4), after a hand."""
    highest = scores[0] + points[0]
    for seat in range(1, 4):
        highest = max(highest, scores[seat] + points[seat])
    if highest >= target:
        _share_first_place(points, scores, winning)
        return
    wins, levels = tables.wins, tables.levels
    a, a_part = _level(target - scores[0] - points[0], levels)
    b, b_part = _level(target - scores[1] - points[1], levels)
    c, c_part = _level(target - scores[2] - points[2], levels)
    d, d_part = _level(target - scores[3] - points[3], levels)
    for seat in range(4):
        winning[seat] = 0.0
    for corner in range(16):  # of the cell of the grid
        i, j, k, m = corner & 1, corner >> 1 & 1, corner >> 2 & 1, corner >> 3
        weight = (a_part if i else 1.0 - a_part) * (b_part if j else 1.0 - b_part)
        weight *= (c_part if k else 1.0 - c_part) * (d_part if m else 1.0 - d_part)
        if weight > 0.0:
            winning[0] += weight * wins[a + i, b + j, c + k, d + m]
            winning[1] += weight * wins[b + j, a + i, c + k, d + m]
            winning[2] += weight * wins[c + k, a + i, b + j, d + m]
            winning[3] += weight * wins[d + m, a + i, b + j, c + k]


@kernel
def fill_wins(scores, places, target, results, probabilities, tables):
    """Write `tables.wins` at `places` (n, 4), the levels of the scores (n, 4).

    `results` (m, 4) are the points of a hand with their `probabilities`; they must not depend on
    the seat. Every result leads from one of the scores to levels that were written before it.
    """
    wins, winning, mean = tables.wins, np.empty(4), np.empty(4)
    for n in range(scores.shape[0]):
        mean[:] = 0.0
        for i in range(results.shape[0]):
            win_probabilities(results[i], scores[n], target, tables, winning)
            for seat in range(4):
                mean[seat] += probabilities[i] * winning[seat]
        for seat in range(4):
            own, x = places[n, seat], places[n, (seat + 1) & 3]
            y, z = places[n, (seat + 2) & 3], places[n, (seat + 3) & 3]
            wins[own, x, y, z] = wins[own, x, z, y] = wins[own, y, x, z] = mean[seat]
            wins[own, y, z, x] = wins[own, z, x, y] = wins[own, z, y, x] = mean[seat]
