"""The reward of a finished hand for each seat, between 0 and 1.

Playouts, tree leaves and solved endings use the same function. The kinds of reward:

    points      own penalty points, fewer is better
    relative    (total − own) / Σ (total − each)
    difference  the mean of the others − own
    match       the probability of winning the match, and a share of the difference; for the seat
                that shot the moon, half of it as if the moon had been stopped late

Kernels take the reward as five arguments: `kind`; `scale`, the points of a deal and 1 / (points −
lowest possible score); `scores` before the hand; `target`, the score that ends a match; and the
`MatchTables`, of which `ahead[m, d]` is the probability of finishing ahead of a seat that has d −
DIFFERENCE_ZERO points more, when the highest score is m points below the target.
"""

import numpy as np

from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.state import final_points
from hearts.kernels.core.winning import win_probabilities

POINTS, RELATIVE, DIFFERENCE, MATCH = range(4)

MARGINS = 160  # rows of `ahead`; row 0 is a match that is over
DIFFERENCE_ZERO = 200  # the column of `ahead` for equal scores
# Of the difference in the reward `match`: a seat that can hardly win or lose plays for points.
DIFFERENCE_SHARE = 0.2
# Of the moons that playouts see their own seat shoot, about half succeed: real opponents stop them
# (docs/experiments/044-winning-matches.md).
MOON_TRUST = 0.5
_THIRD = 1.0 / 3.0


@inlined
def match_value(seat, points, scores, target, tables):
    """The expected place of a seat in the match, after a hand: 1 is the first, 0 the last."""
    highest = 0
    for other in range(4):
        highest = max(highest, scores[other] + points[other])
    margin = min(max(target - highest, 0), MARGINS - 1)
    own, value = scores[seat] + points[seat], 0.0
    for other in range(4):
        if other != seat:
            lead = scores[other] + points[other] - own + DIFFERENCE_ZERO
            value += tables.ahead[margin, min(max(lead, 0), 2 * DIFFERENCE_ZERO)]
    return value * _THIRD


@inlined
def _difference_line(points, per_point):
    """The difference as a function of the own points: its value at 0, and its slope."""
    everyone = points[0] + points[1] + points[2] + points[3]
    return 0.5 + 0.5 * per_point * _THIRD * everyone, -0.5 * per_point * 4.0 * _THIRD


@inlined
def _trusting_rewards(points, scale, scores, target, tables, reward):
    """Write the rewards (4) of the kind `match`, as if no moon could have been stopped."""
    win_probabilities(points, scores, target, tables, reward)
    equal, step = _difference_line(points, scale[1])
    for seat in range(4):
        reward[seat] += DIFFERENCE_SHARE * (equal + step * points[seat] - reward[seat])


@inlined
def _match_rewards(shooter, points, scale, scores, target, tables, reward):
    """Write the rewards (4) of the kind `match`; `shooter` has shot the moon (-1: nobody)."""
    stopped = 0.0
    if shooter >= 0:
        a, b, c, d = points[0], points[1], points[2], points[3]
        for seat in range(4):
            points[seat] = np.int64(scale[0]) if seat == shooter else 0
        _trusting_rewards(points, scale, scores, target, tables, reward)
        stopped = reward[shooter]
        points[0], points[1], points[2], points[3] = a, b, c, d
    _trusting_rewards(points, scale, scores, target, tables, reward)
    if shooter >= 0:
        reward[shooter] = MOON_TRUST * reward[shooter] + (1.0 - MOON_TRUST) * stopped


@inlined
def value_points(shooter, points, kind, scale, scores, target, tables, reward):
    """Write the rewards (4) of a hand with some points (4) and a moon shooter, or -1."""
    total, per_point = scale[0], scale[1]
    if kind == DIFFERENCE:
        equal, step = _difference_line(points, per_point)
        for seat in range(4):
            reward[seat] = equal + step * points[seat]
    elif kind == MATCH:
        _match_rewards(shooter, points, scale, scores, target, tables, reward)
    elif kind == POINTS:
        for seat in range(4):
            reward[seat] = (total - points[seat]) * per_point
    else:
        headroom = 4.0 * total - (points[0] + points[1] + points[2] + points[3])
        for seat in range(4):
            reward[seat] = (total - points[seat]) / headroom if headroom > 0.0 else 0.25


@kernel
def value_results(results, kind, scale, scores, target, tables, reward):
    """Write the rewards (n, 4) of hands with some points (n, 4), all moons trusted."""
    for i in range(results.shape[0]):
        value_points(-1, results[i], kind, scale, scores, target, tables, reward[i])


@inlined
def rewards(taken, rules, kind, scale, scores, target, tables, points, reward):
    """Write points (4) and rewards (4) of a finished hand; return the moon shooter, or -1."""
    shooter = final_points(taken, rules, points)
    value_points(shooter, points, kind, scale, scores, target, tables, reward)
    return shooter
