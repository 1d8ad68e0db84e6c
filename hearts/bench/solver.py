"""The time of solving endings exactly."""

import numpy as np

from hearts.bench.positions import endings
from hearts.bench.timing import least_cpu_seconds
from hearts.engine.bridge.state import rules_word, state_of
from hearts.game.cards import RANKS
from hearts.game.deal import Deal
from hearts.kernels.core.reward import DIFFERENCE
from hearts.kernels.search.solver import TABLE_SIZE, solve_moves

REPETITIONS = 3


def ending_ms(cards: int) -> dict[str, float]:
    """CPU milliseconds to solve a world of `cards` cards a seat: median, 90% quantile, maximum."""
    times = [_solving_ms(deal) for deal in endings(cards)]
    median, p90 = np.quantile(times, [0.5, 0.9])
    statistics = {"median": median, "p90": p90, "max": max(times)}
    return {name: round(float(ms), 3) for name, ms in statistics.items()}


def _solving_ms(deal: Deal) -> float:
    """CPU milliseconds to solve every move of a deal, from an empty table."""
    state, moves, rules = state_of(deal), np.uint64(deal.legal), rules_word(deal.rules)
    lines = np.zeros(RANKS, dtype=np.uint64)

    def solve() -> None:
        keys, values = np.zeros((2, TABLE_SIZE), dtype=np.uint64)
        solve_moves(state, moves, rules, DIFFERENCE, keys, values, lines)

    solve()  # compiles
    return least_cpu_seconds(solve, REPETITIONS) * 1000
