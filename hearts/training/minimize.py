"""A minimizer for fits: L-BFGS, numpy alone."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Loss = Callable[[Floats], tuple[float, Floats]]  # weights to a loss and its gradient
TOLERANCE = 1e-7  # gains of a step, beside the loss, below which the minimizer stops


def minimize(loss: Loss, start: Floats, *, most: int, memory: int = 8) -> Floats:
    """L-BFGS with a line search that halves; stops after `most` steps or when nothing is gained."""
    x = start
    value, slope = loss(x)
    pairs: list[tuple[Floats, Floats]] = []
    for _ in range(most):
        direction = _quasi_newton(slope, pairs)
        gain, step = float(slope @ direction), 1.0
        while True:
            new = x - step * direction
            new_value, new_slope = loss(new)
            if new_value <= value - 1e-4 * step * gain:
                break
            step /= 2
            if step < 1e-8:
                return x
        pairs = [*pairs[1 - memory :], (new - x, new_slope - slope)]
        small = value - new_value < TOLERANCE * max(abs(new_value), 1.0)
        x, value, slope = new, new_value, new_slope
        if small:
            break
    return x


def _quasi_newton(slope: Floats, pairs: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The slope times an estimate of the inverse curvature, from the last steps."""
    if not pairs:
        return slope / max(1.0, float(np.linalg.norm(slope)))
    result, factors = slope.copy(), []
    for move, change in reversed(pairs):
        factors.append(float(move @ result) / float(change @ move))
        result -= factors[-1] * change
    move, change = pairs[-1]
    result *= float(move @ change) / float(change @ change)
    for (move, change), factor in zip(pairs, reversed(factors), strict=True):
        result += move * (factor - float(change @ result) / float(change @ move))
    return result
