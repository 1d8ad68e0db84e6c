"""Playouts from Python: the state of a hand in, four scores out."""

from enum import Enum
from functools import cache
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.state import States, rules_word
from hearts.game.cards import SEATS
from hearts.game.errors import InvalidConfig
from hearts.game.rules import Rules
from hearts.kernels.playouts.batch import GREEDY, SHOOT, SOFTMAX, UNIFORM, playouts
from hearts.kernels.playouts.softmax import FOLLOW_CDF, LEAD_WEIGHTS, VOID_CDF

SEED_MASK = (1 << 64) - 1


class Playout(Enum):
    """How the cards of a playout are chosen."""

    UNIFORM = "uniform"
    EPSILON_GREEDY = "epsilon-greedy"
    SHOOT_AWARE = "shoot-aware"
    SOFTMAX = "softmax"

    @property
    def code(self) -> int:
        """The number that the kernels know it by."""
        return _CODES[self]

    def under(self, rules: Rules) -> "Playout":
        """This playout where it knows the rules; softmax ones have learned the usual scoring only.

        Elsewhere the heuristic, which knows what a jack is worth, takes its place.
        """
        fit = self is not Playout.SOFTMAX or rules.usual_scoring
        return self if fit else Playout.EPSILON_GREEDY


_CODES = {
    Playout.UNIFORM: UNIFORM,
    Playout.EPSILON_GREEDY: GREEDY,
    Playout.SHOOT_AWARE: SHOOT,
    Playout.SOFTMAX: SOFTMAX,
}


@cache
def softmax_digest() -> str:
    """Names the odds that softmax playouts have."""
    return sha256(
        b"".join(odds.tobytes() for odds in (LEAD_WEIGHTS, FOLLOW_CDF, VOID_CDF))
    ).hexdigest()


def epsilon_word(epsilon: float) -> np.uint64:
    """ε as kernels read it, in units of 1/65536."""
    if not 0 <= epsilon <= 1:
        raise InvalidConfig("epsilon", f"{epsilon} is out of range: 0 to 1")
    return np.uint64(round(epsilon * 65536))


def play_out(
    states: States, rules: Rules, playout: Playout, *, seed: int = 0, epsilon: float = 0.1
) -> NDArray[np.int64]:
    """Play every state (n, 8) out once; the points of the four seats (n, 4), moon included."""
    points = np.zeros((len(states), SEATS), dtype=np.int64)
    word, eps = rules_word(rules), epsilon_word(epsilon)
    playouts(playout.code, states, word, eps, np.uint64(seed & SEED_MASK), points)
    return points
