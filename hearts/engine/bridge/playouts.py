"""Playout policies as kernel arguments."""

from functools import cache
from hashlib import sha256

import numpy as np

from hearts.engine.playouts import Playout
from hearts.game.errors import InvalidConfig
from hearts.kernels.playouts.batch import GREEDY, SHOOT, SOFTMAX, UNIFORM
from hearts.kernels.playouts.softmax import FOLLOW_CDF, LEAD_WEIGHTS, VOID_CDF

_CODES = {
    Playout.UNIFORM: UNIFORM,
    Playout.EPSILON_GREEDY: GREEDY,
    Playout.SHOOT_AWARE: SHOOT,
    Playout.SOFTMAX: SOFTMAX,
}


def playout_code(playout: Playout) -> int:
    """The number of a policy in the kernels."""
    return _CODES[playout]


def epsilon_word(epsilon: float) -> np.uint64:
    """ε in the unit of the kernels, 1/65536."""
    if not 0 <= epsilon <= 1:
        raise InvalidConfig("epsilon", f"{epsilon} is out of range: 0 to 1")
    return np.uint64(round(epsilon * 65536))


@cache
def softmax_digest() -> str:
    """SHA-256 of the softmax policy's tables."""
    return sha256(
        b"".join(table.tobytes() for table in (LEAD_WEIGHTS, FOLLOW_CDF, VOID_CDF))
    ).hexdigest()
