"""The speed of playouts, with and without BMI2 instructions."""

import json
import os
import subprocess
import sys

import numpy as np

from hearts.bench.positions import DEALS, full_deals
from hearts.bench.timing import least_cpu_seconds
from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import rules_word
from hearts.engine.playouts import Playout
from hearts.game.rules import STANDARD
from hearts.kernels.playouts.batch import count_penalties

PER_DEAL = 300  # playouts of each deal in one repetition
EPSILON = 0.1
NAMES = {
    Playout.UNIFORM: "playout_uniform",
    Playout.EPSILON_GREEDY: "playout_greedy",
    Playout.SHOOT_AWARE: "playout_shoot",
    Playout.SOFTMAX: "playout_softmax",
}


def playout_ns(playout: Playout, repetitions: int) -> float:
    """CPU nanoseconds of one playout of a full deal by the standard rules."""
    states, rules, epsilon = full_deals(), rules_word(STANDARD), epsilon_word(EPSILON)

    def play(times: int) -> None:
        count_penalties(playout_code(playout), states, rules, epsilon, np.uint64(1), times)

    play(1)  # compiles
    return least_cpu_seconds(lambda: play(PER_DEAL), repetitions) / (PER_DEAL * DEALS) * 1e9


def playout_speed(playout: Playout, repetitions: int) -> dict[str, float]:
    """The speed of one policy, as JSON."""
    return {f"{NAMES[playout]}_ns": round(playout_ns(playout, repetitions), 1)}


def speeds_without_bmi2(repetitions: int) -> dict[str, float]:
    """The speed of all policies in a process that compiles for any x86-64 processor."""
    environment = os.environ | {"NUMBA_CPU_NAME": "generic"}
    command = [sys.executable, "-m", __name__, str(repetitions)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    speeds = json.loads(run.stdout)
    return {f"{name}_generic_ns": speeds[f"{name}_ns"] for name in NAMES.values()}


def main() -> None:
    """Print the speed of all policies as JSON."""
    repetitions = int(sys.argv[1])
    speeds = [playout_speed(playout, repetitions) for playout in Playout]
    sys.stdout.write(json.dumps({name: ns for each in speeds for name, ns in each.items()}))


if __name__ == "__main__":
    main()
