"""What a finished hand is worth to each seat, on one scale from 0 to 1.

Playouts and hands that end inside a tree are valued by the same function. The kinds:

    points      own penalty points, fewer is better
    relative    (total − own) / Σ (total − each)
    difference  the others' mean − own
    match       the chance to finish ahead of each of the others, averaged: 1 is certain to be first

`scale` holds the total of the deal and 1 / (total − lowest score that the rules allow). `ahead[m,
d]` is the chance to finish a match ahead of a seat that has d − DIFFERENCE_ZERO points more, when
the highest score is m points below the target.
"""

from hearts.kernels.core.jit import inlined
from hearts.kernels.core.state import final_points

POINTS, RELATIVE, DIFFERENCE, MATCH = range(4)

# Rows of `ahead`: how far the highest score is from the target; 0 when the match is over.
MARGINS = 160
_THIRD = 1.0 / 3.0
DIFFERENCE_ZERO = 200  # the column of `ahead` for equal scores


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
    """Writes points (4) and rewards (4) of a finished hand; the seat that shot the moon, or -1."""
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
        room = 4.0 * total - everyone
        for seat in range(4):
            reward[seat] = (total - points[seat]) / room if room > 0.0 else 0.25
    else:
        for seat in range(4):
            reward[seat] = match_value(seat, points, scores, target, ahead)
    return shooter
