"""CPU times, and how often a benchmark repeats its work.

Machines are shared: the minimum over repetitions is the least disturbed measurement.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True)
class Repetitions:
    """How often each benchmark repeats its work."""

    playouts: int  # many, because each is shorter than a disturbance of a shared machine
    moves: int
    level_deals: int  # hands whose choices are measured, about 44 each
    levels: int
    worlds: int
    budgets: int


FULL = Repetitions(playouts=200, moves=80, level_deals=6, levels=8, worlds=40, budgets=8)
QUICK = Repetitions(playouts=60, moves=20, level_deals=2, levels=3, worlds=15, budgets=3)


def cpu_seconds(work: Work) -> float:
    """The CPU time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def least_cpu_seconds(work: Work, repetitions: int) -> float:
    """The minimum CPU time of several calls."""
    return min(cpu_seconds(work) for _ in range(repetitions))
