"""Minimization by L-BFGS-B (Byrd, Lu, Nocedal & Zhu 1995), from scipy in the extra `fit`."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hearts.game.errors import InvalidConfig

Floats = NDArray[np.float64]
Loss = Callable[[Floats], tuple[float, Floats]]  # from weights to a loss and its gradient
TOLERANCE = 1e-7  # relative improvement at which to stop


def minimize(loss: Loss, start: Floats, *, max_iterations: int) -> Floats:
    """The weights at which `loss` is least, or those after `max_iterations`."""
    try:
        from scipy import optimize  # not at the top: other code runs without the extra
    except ImportError as error:
        raise InvalidConfig("fit", "needs `pip install hearts-ai[fit]`") from error
    options = {"maxiter": max_iterations, "ftol": TOLERANCE}
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x)
