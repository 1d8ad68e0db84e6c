"""What `hearts bench` measures: CPU time, the minimum over rounds, because machines are shared."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numba
import numpy as np

from hearts.arena.referee import Referee
from hearts.engine.beliefs import load_belief
from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import States, rules_word, state_of
from hearts.engine.config import ALGORITHMS, OPPONENTS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.levels import LEVELS, PLAIN
from hearts.engine.passing.choose import choose_pass
from hearts.engine.playouts import Playout
from hearts.game.cards import RANKS, SEATS, count, lowest, members
from hearts.game.deal import Deal, moments
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.kernels.core.bits import HAS_BMI2
from hearts.kernels.core.reward import DIFFERENCE
from hearts.kernels.playouts.batch import count_penalties
from hearts.kernels.search.solver import TABLE_SIZE, solve_moves
from hearts.players.duck import DuckPlayer
from hearts.views.view import View

DEALS = 64  # different hands, so that branch predictors cannot learn one by heart
REPEATS = 300  # times that each is played out in a round
PLAYOUT_ROUNDS = 200  # of some 8 ms: neighbours on a shared machine disturb for longer than that
MOVE_ROUNDS = 80  # of some 40 ms
ROUNDS = 40
MOVE = 9_990  # simulations of a move: 30 worlds of 333
MANY_WORLDS = 100  # times 30: a difference that stands out from noise
LEVEL_DEALS = 6  # all choices of all seats: some 40 each
LEVEL_ROUNDS = 8
OPENING = 3  # tricks, where there is most to think about
OM2_DEALS = 9
OM2_WORLDS = 200
BUDGETS_MS = (5, 20, 100)  # of searches by time
BUDGET_ROUNDS = 8
ENDINGS = (4, 5, 6)  # cards a seat
ENDING_DEALS = 100

Step = tuple[str, Callable[[], dict[str, Any]]]

_NAMES = {
    Playout.UNIFORM: "playout_uniform",
    Playout.EPSILON_GREEDY: "playout_greedy",
    Playout.SHOOT_AWARE: "playout_shoot",
    Playout.SOFTMAX: "playout_softmax",
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
    return [
        *playouts,
        ("playouts without BMI2", _without_bmi2),
        ("moves", _moves),
        *((f"level {level}", _level_step(level)) for level in LEVELS),
        ("threads", _threads),
        ("worlds", _worlds),
        *((f"searches of {ms} ms", _budget_step(ms)) for ms in BUDGETS_MS),
        *((f"endings of {k} cards", _ending_step(k)) for k in ENDINGS),
    ]


def measure(
    progress: Callable[[Iterable[Step]], Iterable[Step]] = iter, *, only_playouts: bool = False
) -> dict[str, Any]:
    """Run the benchmarks; `progress` wraps the steps, so that a caller can show a bar."""
    chosen = steps()[: len(Playout)] if only_playouts else steps()
    figures: dict[str, Any] = {}
    for _, step in progress(chosen):
        for name, figure in step().items():
            # Budgets and endings come one at a time, and are one entry of the result each.
            merged = isinstance(figure, dict) and name in figures
            figures[name] = figures[name] | figure if merged else figure
    return figures | machine()


def _playout_step(playout: Playout) -> Callable[[], dict[str, Any]]:
    return lambda: {f"{_NAMES[playout]}_ns": round(playout_ns(playout), 1)}


def playout_ns(playout: Playout, rounds: int = PLAYOUT_ROUNDS) -> float:
    """Nanoseconds of CPU for one playout of a full deal by the standard rules."""
    states, rules, epsilon = full_deals(), rules_word(STANDARD), epsilon_word(0.1)

    def play(repeats: int) -> None:
        count_penalties(playout_code(playout), states, rules, epsilon, np.uint64(1), repeats)

    play(1)  # compiles
    return min(_cpu_times(lambda: play(REPEATS), rounds)) / (REPEATS * DEALS) * 1e9


def _moves() -> dict[str, float]:
    """CPU milliseconds of whole decisions at trick 1: worlds, search and all."""
    uniform = move_ms(replace(PLAIN, simulations=MOVE, playout="uniform"))
    greedy = move_ms(replace(PLAIN, simulations=MOVE))
    return {
        "move_pimc_uniform_cpu_ms": round(uniform, 3),
        "move_pimc_greedy_cpu_ms": round(greedy, 3),
        "move_ismcts_cpu_ms": round(move_ms(replace(PLAIN, algorithm="ismcts")), 3),
        "move_default_cpu_ms": round(move_ms(SearchConfig()), 3),
        "sims_per_s": round(MOVE / greedy * 1000),
    }


def move_ms(config: SearchConfig, rounds: int = MOVE_ROUNDS) -> float:
    """CPU milliseconds of a decision: the minimum over rounds, the mean over some views."""
    views = first_tricks()
    for view in views:
        decide(view, config)  # compiles
    # All views in every round, so that none has all its rounds in a bad second.
    times = [[_seconds_of(view, config) for view in views] for _ in range(rounds)]
    return float(np.min(times, axis=0).mean()) * 1000


def _level_step(level: str) -> Callable[[], dict[str, Any]]:
    return lambda: {"level_cpu_ms": {level: level_ms(LEVELS[level])}}


def level_ms(
    config: SearchConfig, deals: int = LEVEL_DEALS, rounds: int = LEVEL_ROUNDS
) -> dict[str, float]:
    """CPU milliseconds of the choices of whole hands, each the least over rounds.

    The mean card, that of the first tricks, the costliest, and the costliest pass.
    """
    passes, cards = _choices(deals)
    work: list[Callable[[], object]] = [partial(choose_pass, view, config) for view in passes]
    work += [partial(decide, view, config) for view in cards]
    times = [[next(_cpu_times(each, 1)) for each in work] for _ in range(rounds)]
    least = np.min(times, axis=0) * 1000
    pass_ms, card_ms = least[: len(passes)], least[len(passes) :]
    opening = [len(view.tricks) < OPENING for view in cards]
    figures = {
        "mean": card_ms.mean(),
        "first_tricks": card_ms[opening].mean(),
        "max": card_ms.max(),
        "pass_max": pass_ms.max(),
    }
    return {name: round(float(figure), 1) for name, figure in figures.items()}


def _choices(deals: int) -> tuple[list[View], list[View]]:
    """What seats see when they pass and when they may choose a card, in hands of the ducker."""
    referee = Referee([DuckPlayer()] * SEATS)
    passes: list[View] = []
    cards: list[View] = []
    for seed in range(deals):
        deal = Deal.random(PASSING, PassDirection(1 + seed % 3), np.random.default_rng(seed))
        for before, seat, _ in moments(referee.play(deal, seed)):
            view = View.of(before, seat)
            if view.passing:
                passes.append(view)
            elif count(view.legal) > 1:
                cards.append(view)
    return passes, cards


def _seconds_of(view: View, config: SearchConfig) -> float:
    """CPU seconds of a decision that has really done its work."""
    (seconds,) = _cpu_times(lambda: _checked(view, config), 1)
    return seconds


def _checked(view: View, config: SearchConfig) -> None:
    """Decide, and see that all simulations were done."""
    assert decide(view, config).simulations == config.simulations


def first_tricks() -> list[View]:
    """Views of the second seat on the first trick, with a choice of clubs."""
    rng = np.random.default_rng(2026)
    deals = (Deal.random(STANDARD, PassDirection.HOLD, rng) for _ in range(DEALS))
    opened = [deal.play(lowest(deal.legal)) for deal in deals]
    return [View.of(deal, deal.turn or 0) for deal in opened if count(deal.legal) > 1][:8]


def _threads() -> dict[str, float]:
    """How much sooner two threads are done than one: the best of some rounds each."""
    view = first_tricks()[0]

    def fastest(threads: int) -> float:
        config = SearchConfig(simulations=100_000, threads=threads)
        return min(decide(view, config).seconds for _ in range(8))

    return {"thread_speedup": round(fastest(1) / fastest(2), 2)}


def _worlds() -> dict[str, float]:
    """CPU of worlds: 30 more of OM-1 once a position is counted, the slowest trick; OM-2's."""
    return {
        "worlds_30_us": round(max(map(worlds_us, _middles())), 2),
        "worlds_om2_ms": round(om2_ms(), 2),
    }


def om2_ms(rounds: int = ROUNDS) -> float:
    """CPU milliseconds of 200 worlds of OM-2 at the sixth trick: the median of some hands."""
    belief, rng = load_belief("OM-2"), np.random.default_rng(0)
    views = [View.of(deal, deal.turn or 0) for deal in islice(_endings(RANKS - 5), OM2_DEALS)]

    def fastest(view: View) -> float:
        return min(_cpu_times(lambda: belief.sample(view, OM2_WORLDS, rng), rounds))

    return float(np.median([fastest(view) for view in views])) * 1000


def worlds_us(view: View, rounds: int = ROUNDS) -> float:
    """CPU microseconds of 30 worlds of a view, once it is counted: many more than 30 against 30."""
    belief, rng = load_belief("OM-1"), np.random.default_rng(0)

    def fastest(worlds: int) -> float:
        return min(_cpu_times(lambda: belief.sample(view, worlds, rng), rounds))

    return (fastest(30 * (1 + MANY_WORLDS)) - fastest(30)) / MANY_WORLDS * 1e6


def _middles() -> Iterator[View]:
    """A view of the leader of every trick but the last of a hand."""
    rng = np.random.default_rng(2026)
    deal = Deal.random(STANDARD, PassDirection.HOLD, rng)
    while len(deal.tricks) < 12:
        if not deal.trick.cards:
            yield View.of(deal, deal.turn or 0)
        deal = deal.play(int(rng.choice(list(members(deal.legal)))))


def _budget_step(time_ms: float) -> Callable[[], dict[str, Any]]:
    return lambda: {"time_over_ms": {str(time_ms): round(time_over_ms(time_ms), 3)}}


def time_over_ms(time_ms: float, rounds: int = BUDGET_ROUNDS) -> float:
    """How many ms a decision by time takes too long, in the worst of all ways to decide.

    Of each way it is the least over rounds: what others do on the machine only makes it longer.
    """
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(2026))
    card, passing = first_tricks()[0], View.of(deal, 0)

    def seconds(config: SearchConfig) -> Iterator[float]:
        yield min(decide(card, config).seconds for _ in range(rounds))
        yield min(choose_pass(passing, config).seconds for _ in range(rounds))

    configs = [
        SearchConfig(algorithm=algorithm, opponents=opponents, time_ms=time_ms)
        for algorithm in ALGORITHMS
        for opponents in OPPONENTS
    ]
    return max(1000 * each - time_ms for config in configs for each in seconds(config))


def _ending_step(cards: int) -> Callable[[], dict[str, Any]]:
    return lambda: {"endgame_ms": {str(cards): ending_ms(cards)}}


def ending_ms(cards: int) -> dict[str, float]:
    """CPU milliseconds to solve one world of so many cards a seat: median, 90% and maximum."""
    times = [_solving_ms(deal) for deal in _endings(cards)]
    median, p90 = np.quantile(times, [0.5, 0.9])
    figures = {"median": median, "p90": p90, "max": max(times)}
    return {name: round(float(figure), 3) for name, figure in figures.items()}


def _solving_ms(deal: Deal) -> float:
    """CPU milliseconds to solve every move of a deal, from an empty table; the best of three."""
    state, moves, word = state_of(deal), np.uint64(deal.legal), rules_word(deal.rules)
    lines = np.zeros(13, dtype=np.uint64)

    def solve() -> None:
        keys, values = np.zeros((2, TABLE_SIZE), dtype=np.uint64)
        solve_moves(state, moves, word, DIFFERENCE, keys, values, lines)

    solve()  # compiles
    return min(_cpu_times(solve, 3)) * 1000


def _endings(cards: int) -> Iterator[Deal]:
    """Deals between tricks, played by the ducking player so far."""
    duck = DuckPlayer()
    for seed in range(ENDING_DEALS):
        deal = Deal.random(STANDARD, PassDirection.HOLD, np.random.default_rng(seed))
        while len(deal.tricks) < 13 - cards:
            view = View.of(deal, deal.turn or 0, checked=False)
            deal = deal.play(duck.choose_card(view, seed))
        yield deal


def full_deals() -> States:
    """The states of DEALS fresh hands."""
    rng = np.random.default_rng(2026)
    deals = (Deal.random(STANDARD, PassDirection.HOLD, rng) for _ in range(DEALS))
    return np.array([state_of(deal) for deal in deals])


def _cpu_times(work: Callable[[], object], rounds: int) -> Iterator[float]:
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
