"""Playouts from Python, for tests of the kernels."""

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import States, rules_word
from hearts.engine.playouts import Playout
from hearts.game.cards import SEATS
from hearts.game.rules import Rules
from hearts.kernels.playouts.batch import playouts

SEED_MASK = (1 << 64) - 1


def play_out(
    states: States, rules: Rules, playout: Playout, *, seed: int = 0, epsilon: float = 0.1
) -> NDArray[np.int64]:
    """Play every state (n, 8) out once; the points of the four seats (n, 4), moon included."""
    points = np.zeros((len(states), SEATS), dtype=np.int64)
    word, eps = rules_word(rules), epsilon_word(epsilon)
    playouts(playout_code(playout), states, word, eps, np.uint64(seed & SEED_MASK), points)
    return points
