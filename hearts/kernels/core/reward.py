"""The reward of a finished hand for each seat, between 0 and 1.

Playouts, tree leaves and solved endings use the same function. The kinds of reward:

    points      own penalty points, fewer is better
    relative    (total − own) / Σ (total − each)
    difference  the mean of the others − own
    match       the probability of finishing the match ahead of each other seat, averaged

Kernels take the reward as five arguments: `kind`; `scale`, the points of a deal and 1 / (points −
lowest possible score); `scores` before the hand; `target`, the score that ends a match;
and `ahead`. `ahead[m, d]` is the probability of finishing ahead of a seat that has d −
DIFFERENCE_ZERO points more, when the highest score is m points below the target.
"""

from hearts.kernels.core.jit import inlined
from hearts.kernels.core.state import final_points

POINTS, RELATIVE, DIFFERENCE, MATCH = range(4)

MARGINS = 160  # rows of `ahead`; row 0 is a match that is over
DIFFERENCE_ZERO = 200  # the column of `ahead` for equal scores
_THIRD = 1.0 / 3.0


@inlined
def match_value(seat, points, scores, target, ahead):
    """The value of a match for a seat after a hand."""
    highest = 0
    for other in range(4):
        highest = max(highest, scores[other] + points[other])
    margin = min(max(target - highest, 0), MARGINS - 1)
    own, value = scores[seat] + points[seat], 0.0
    for other in range(4):
        if other != seat:
            lead = scores[other] + points[other] - own + DIFFERENCE_ZERO
            value += ahead[margin, min(max(lead, 0), 2 * DIFFERENCE_ZERO)]
    return value * _THIRD


@inlined
def rewards(taken, rules, kind, scale, scores, target, ahead, points, reward):
    """Write points (4) and rewards (4) of a finished hand; return the moon shooter, or -1."""
    shooter = final_points(taken, rules, points)
    total, per_point = scale[0], scale[1]
    everyone = points[0] + points[1] + points[2] + points[3]
    if kind == DIFFERENCE:
        equal, step = 0.5 + 0.5 * per_point * _THIRD * everyone, -0.5 * per_point * 4.0 * _THIRD
        for seat in range(4):
            reward[seat] = equal + step * points[seat]
    elif kind == POINTS:
        for seat in range(4):
            reward[seat] = (total - points[seat]) * per_point
    elif kind == RELATIVE:
        headroom = 4.0 * total - everyone
        for seat in range(4):
            reward[seat] = (total - points[seat]) / headroom if headroom > 0.0 else 0.25
    else:
        for seat in range(4):
            reward[seat] = match_value(seat, points, scores, target, ahead)
    return shooter
