"""The suite of `hearts bench`: all benchmarks in order, and the machine they ran on."""

import platform
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numba
import numpy as np

from hearts.bench.decisions import level_ms, moves, thread_speedup, time_over_ms
from hearts.bench.playouts import NAMES, playout_speed, speeds_without_bmi2
from hearts.bench.solver import ending_ms
from hearts.bench.timing import FULL, QUICK, Repetitions
from hearts.bench.worlds import worlds
from hearts.engine.playouts import Playout
from hearts.kernels.core.bits import HAS_BMI2
from hearts.players.spec import CONFIGS

BUDGETS_MS = (5, 20, 100)  # of searches by time
ENDINGS = (4, 5, 6)  # cards a seat

Result = dict[str, Any]
Step = tuple[str, Callable[[], Result]]  # the name of a benchmark, and its function


def steps(*, full: bool) -> list[Step]:
    """The benchmarks in order; only the full suite measures code for generic processors."""
    times = FULL if full else QUICK
    generic: list[Step] = [("playouts without BMI2", partial(speeds_without_bmi2, times.playouts))]
    return [
        *((NAMES[playout], partial(playout_speed, playout, times.playouts)) for playout in Playout),
        *(generic if full else []),
        ("moves", partial(moves, times.moves)),
        *((f"level {level}", partial(_level, level, times)) for level in CONFIGS),
        ("threads", partial(thread_speedup, times.budgets)),
        ("worlds", partial(worlds, times.worlds)),
        *((f"searches of {ms} ms", partial(_budget, ms, times)) for ms in BUDGETS_MS),
        *((f"endings of {cards} cards", partial(_ending, cards)) for cards in ENDINGS),
    ]


def measure(
    progress: Callable[[Iterable[Step]], Iterable[Step]] = iter, *, full: bool = False
) -> Result:
    """Run the benchmarks; `progress` wraps the steps, so that a caller can show a bar."""
    results: Result = {}
    for _, step in progress(steps(full=full)):
        for name, value in step().items():
            # Several steps add to one entry: levels, budgets and endings.
            merged = isinstance(value, dict) and name in results
            results[name] = results[name] | value if merged else value
    return results | {"full": full} | machine()


def machine() -> Result:
    """The processor and the versions that the results depend on."""
    return {
        "cpu": _cpu_name(),
        "bmi2": HAS_BMI2,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


def _level(level: str, times: Repetitions) -> Result:
    return {"level_cpu_ms": {level: level_ms(CONFIGS[level], times)}}


def _budget(time_ms: float, times: Repetitions) -> Result:
    return {"time_over_ms": {str(time_ms): round(time_over_ms(time_ms, times.budgets), 3)}}


def _ending(cards: int) -> Result:
    return {"endgame_ms": {str(cards): ending_ms(cards)}}


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
