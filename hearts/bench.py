"""What `hearts bench` measures: CPU time, the minimum over rounds, because machines are shared."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numba
import numpy as np

from hearts.deal import Deal
from hearts.kernels.batch import count_penalties
from hearts.kernels.bits import HAS_BMI2
from hearts.playout import Playout, States, epsilon_word, rules_word, state_of
from hearts.rules import STANDARD, PassDirection

DEALS = 64  # different hands, so that branch predictors cannot learn one by heart
REPEATS = 300  # times that each is played out in a round
ROUNDS = 40

Step = tuple[str, Callable[[], dict[str, float]]]

_NAMES = {
    Playout.UNIFORM: "playout_uniform",
    Playout.EPSILON_GREEDY: "playout_greedy",
    Playout.SHOOT_AWARE: "playout_shoot",
}


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "cpu": _cpu_name(),
        "bmi2": HAS_BMI2,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


def steps() -> list[Step]:
    """The benchmarks in order, each with its name and what measures it."""
    playouts: list[Step] = [(_NAMES[playout], _playout_step(playout)) for playout in Playout]
    return [*playouts, ("playouts without BMI2", _without_bmi2)]


def measure(
    progress: Callable[[Iterable[Step]], Iterable[Step]] = iter, *, only_playouts: bool = False
) -> dict[str, Any]:
    """Run the benchmarks; `progress` wraps the steps, so that a caller can show a bar."""
    chosen = steps()[: len(Playout)] if only_playouts else steps()
    figures: dict[str, Any] = {}
    for _, step in progress(chosen):
        figures |= step()
    return figures | machine()


def _playout_step(playout: Playout) -> Callable[[], dict[str, float]]:
    return lambda: {f"{_NAMES[playout]}_ns": round(playout_ns(playout), 1)}


def playout_ns(playout: Playout, rounds: int = ROUNDS) -> float:
    """Nanoseconds of CPU for one playout of a full deal by the standard rules."""
    states, rules, epsilon = full_deals(), rules_word(STANDARD), epsilon_word(0.1)

    def play(repeats: int) -> None:
        count_penalties(playout.code, states, rules, epsilon, np.uint64(1), repeats)

    play(1)  # compiles
    return min(_cpu_times(lambda: play(REPEATS), rounds)) / (REPEATS * DEALS) * 1e9


def full_deals() -> States:
    """The states of DEALS fresh hands."""
    rng = np.random.default_rng(2026)
    deals = (Deal.random(STANDARD, PassDirection.HOLD, rng) for _ in range(DEALS))
    return np.array([state_of(deal) for deal in deals])


def _cpu_times(work: Callable[[], None], rounds: int) -> Iterator[float]:
    for _ in range(rounds):
        start = time.process_time()
        work()
        yield time.process_time() - start


def _without_bmi2() -> dict[str, float]:
    """The playouts again in a process whose kernels are compiled for any x86-64 processor."""
    environment = os.environ | {"NUMBA_CPU_NAME": "generic"}
    command = [sys.executable, "-m", "hearts.bench"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    figures = json.loads(run.stdout)
    return {f"{name}_generic_ns": figures[f"{name}_ns"] for name in _NAMES.values()}


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(only_playouts=True)))
