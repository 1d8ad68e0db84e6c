"""Relative CPU times: tests do not depend on the speed or the load of a machine."""

from collections.abc import Callable
from time import process_time

import numpy as np

from hearts.bench.positions import DEALS, full_deals
from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import rules_word
from hearts.engine.playouts import Playout
from hearts.game.rules import STANDARD
from hearts.kernels.playouts.batch import count_penalties

Work = Callable[[], object]


def playouts(number: int, policy: Playout = Playout.UNIFORM) -> Work:
    """Playouts of full deals; uniform ones, 0.2 µs each, are the unit of comparison."""
    states, rules, epsilon = full_deals(), rules_word(STANDARD), epsilon_word(0.1)
    repeats, code = max(1, number // DEALS), playout_code(policy)
    return lambda: count_penalties(code, states, rules, epsilon, np.uint64(1), repeats)


def fastest_in_turns(one: Work, other: Work, repeats: int = 30) -> float:
    """How many times the CPU time of `other` `one` takes, each at its fastest of some repeats."""
    for work in (one, other):
        work()  # compiles
    best = np.full(2, np.inf)
    for _ in range(repeats):
        for place, work in enumerate((one, other)):
            begun = process_time()
            work()
            best[place] = min(best[place], process_time() - begun)
    return float(best[0] / best[1])
