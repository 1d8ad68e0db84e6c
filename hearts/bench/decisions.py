"""The time of whole decisions: worlds, search and aggregation."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hearts.bench.positions import choices, first_tricks, pass_view
from hearts.bench.timing import Repetitions, Work, cpu_seconds
from hearts.engine.config import ALGORITHMS, OPPONENTS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.levels import DEFAULT, PLAIN
from hearts.engine.passing.choose import choose_pass
from hearts.views.view import View

SIMULATIONS = 9_990  # of a move: 30 worlds of 333
MANY_SIMULATIONS = 100_000  # enough for two threads to share
OPENING = 3  # the first tricks, which have the most choices


def moves(repetitions: int) -> dict[str, float]:
    """CPU milliseconds of moves in the first trick, by kind of search, as JSON."""
    uniform = move_ms(replace(PLAIN, simulations=SIMULATIONS, playout="uniform"), repetitions)
    greedy = move_ms(replace(PLAIN, simulations=SIMULATIONS), repetitions)
    ismcts = move_ms(replace(PLAIN, algorithm="ismcts"), repetitions)
    return {
        "move_pimc_uniform_cpu_ms": round(uniform, 3),
        "move_pimc_greedy_cpu_ms": round(greedy, 3),
        "move_ismcts_cpu_ms": round(ismcts, 3),
        "move_default_cpu_ms": round(move_ms(DEFAULT, repetitions), 3),
        "sims_per_s": round(SIMULATIONS / greedy * 1000),
    }


def move_ms(config: SearchConfig, repetitions: int) -> float:
    """CPU milliseconds of a move: the minimum over repetitions, the mean over some views."""
    work = [partial(_decide_fully, view, config) for view in first_tricks()]
    for each in work:
        each()  # compiles
    return float(_least_ms(work, repetitions).mean())


def _decide_fully(view: View, config: SearchConfig) -> None:
    """Decide, and check that all simulations were done."""
    assert decide(view, config).simulations == config.simulations


def level_ms(config: SearchConfig, repetitions: Repetitions) -> dict[str, float]:
    """CPU milliseconds of all choices of some hands, each the minimum over repetitions.

    The mean over all cards and over the first tricks, and the maximum of cards and of passes.
    """
    passes, cards = choices(repetitions.level_deals)
    work: list[Work] = [partial(choose_pass, view, config) for view in passes]
    work += [partial(decide, view, config) for view in cards]
    least = _least_ms(work, repetitions.levels)
    pass_ms, card_ms = least[: len(passes)], least[len(passes) :]
    opening = [len(view.tricks) < OPENING for view in cards]
    statistics = {
        "mean": card_ms.mean(),
        "first_tricks": card_ms[opening].mean(),
        "max": card_ms.max(),
        "pass_max": pass_ms.max(),
    }
    return {name: round(float(ms), 1) for name, ms in statistics.items()}


def _least_ms(work: Sequence[Work], repetitions: int) -> NDArray[np.float64]:
    # Every repetition does all the work, so that a brief disturbance spoils one time of each item.
    times = [[cpu_seconds(each) for each in work] for _ in range(repetitions)]
    return np.asarray(np.min(times, axis=0) * 1000)


def thread_speedup(repetitions: int) -> dict[str, float]:
    """The elapsed time of one thread over that of two, as JSON."""
    view = first_tricks()[0]

    def fastest(threads: int) -> float:
        config = SearchConfig(simulations=MANY_SIMULATIONS, threads=threads)
        return min(decide(view, config).seconds for _ in range(repetitions))

    return {"thread_speedup": round(fastest(1) / fastest(2), 2)}


def time_over_ms(time_ms: float, repetitions: int) -> float:
    """By how many milliseconds a decision exceeds `time_ms`, in the worst of all kinds of search.

    Each kind counts with its minimum over repetitions.
    """
    card, passing = first_tricks()[0], pass_view()

    def seconds(config: SearchConfig) -> Iterator[float]:
        yield min(decide(card, config).seconds for _ in range(repetitions))
        yield min(choose_pass(passing, config).seconds for _ in range(repetitions))

    configs = [
        SearchConfig(algorithm=algorithm, opponents=opponents, time_ms=time_ms)
        for algorithm in ALGORITHMS
        for opponents in OPPONENTS
    ]
    return max(1000 * each - time_ms for config in configs for each in seconds(config))
