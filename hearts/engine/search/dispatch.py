"""From worlds to figures: the search itself, without a word about where worlds come from."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.network import supports
from hearts.engine.bridge.playouts import Playout
from hearts.engine.clock import Deadline
from hearts.engine.config import MAX_SIMULATIONS, MAX_WORLDS, SearchConfig
from hearts.engine.search.result import Figures, Findings, Stop, Watch, no_stop
from hearts.engine.search.rollouts import ROLLOUTS_PER_MS, log_odds, rollouts
from hearts.engine.search.task import Task
from hearts.engine.search.trees import SIMULATIONS_PER_MS, SLICE, one_tree, trees, trees_in_time
from hearts.game.cards import count
from hearts.kernels.core.reward import DIFFERENCE, POINTS
from hearts.kernels.core.statistics import REWARD, VISITS
from hearts.kernels.search.solver import TABLE_SIZE, solve_worlds
from hearts.views.view import View

ONE_WORLD = 6  # cards a seat, up to which a single known world is solved: under 10 ms
ITERATIONS_PER_ROLLOUT = 4  # of a tree instead of rollouts: in less time than they would take
COUNSEL_SHARE = 0.2  # of a budget of time, for the tree beside rollouts
SOLVED_AT_ONCE = 8  # worlds between two looks at the clock


def possible_config(view: View, config: SearchConfig) -> SearchConfig:
    """The config with what can search the view: instead of rollouts a single tree, fit playouts."""
    if config.algorithm == "rollouts" and not supports(view):
        simulations = min(ITERATIONS_PER_ROLLOUT * config.simulations, MAX_SIMULATIONS)
        config = replace(config, algorithm="ismcts", simulations=simulations)
    return replace(config, playout=Playout(config.playout).under(view.rules).value)


def is_solved(view: View, config: SearchConfig) -> bool:
    """Whether the worlds of a view are solved exactly instead of searched."""
    if not config.endgame or view.first_trick:
        return False
    return view.round_size <= (max(config.endgame, ONE_WORLD) if is_known(view) else config.endgame)


def is_known(view: View) -> bool:
    """Whether the view leaves only one deal."""
    full = (count(view.possible[seat]) == view.hand_sizes[seat] for seat in view.others)
    return not view.gone and all(full)


def worlds_wanted(view: View, config: SearchConfig) -> int:
    """How many worlds a search asks its belief for."""
    if is_known(view):
        return 1
    if is_solved(view, config):
        return config.worlds
    if config.algorithm == "pimc":
        # A world without a simulation says nothing.
        most = config.simulations
        if config.time_ms is not None:
            most = max(1, int(config.time_ms * SIMULATIONS_PER_MS / 4 / SLICE))
        return min(config.worlds, most)
    if config.algorithm == "rollouts":
        in_time = None if config.time_ms is None else int(config.time_ms * ROLLOUTS_PER_MS)
        budget = config.simulations if in_time is None else in_time
        return min(config.worlds, max(1, budget // count(view.legal)))
    # One tree takes a new world every iteration.
    return MAX_WORLDS if config.time_ms else min(config.simulations, MAX_WORLDS)


def search(
    view: View,
    worlds: Worlds,
    config: SearchConfig,
    *,
    stop: Stop | None = None,
    deadline: Deadline | None = None,
    watch: Watch | None = None,
) -> Findings:
    """Search the moves of the view over some worlds, until the deadline of a budget of time."""
    stop = no_stop() if stop is None else stop
    task = Task.of(view, worlds, config, stop, deadline or Deadline(config))
    task = task if watch is None else replace(task, watch=watch)
    if is_solved(view, config):
        return task.findings(*_solve(task), exact=True)
    if config.algorithm == "rollouts":
        advice, simulations = _counsel(task)
        task = replace(task, bonus=config.prior * log_odds(task, view) + advice, advice=advice)
        figures, done = rollouts(task, view)
        return task.findings(figures, done + simulations)
    if config.algorithm == "pimc":
        return task.findings(*(trees(task) if config.time_ms is None else trees_in_time(task)))
    return task.findings(*one_tree(task))


def _counsel(task: Task) -> tuple[NDArray[np.float64], int]:
    """How much better than their mean a tree finds the moves (moves,), and its simulations."""
    config = task.config
    if not config.counsel:
        return np.zeros(len(task.moves)), 0
    time_ms = None if config.time_ms is None else max(1.0, COUNSEL_SHARE * config.time_ms)
    tree = replace(config, algorithm="ismcts", simulations=config.counsel, time_ms=time_ms)
    figures, done = one_tree(replace(task, config=tree, deadline=Deadline(tree)))
    rewards, visits = figures[0, : len(task.moves), [REWARD, VISITS]]
    means = np.where(visits > 0, rewards / np.maximum(visits, 1), 0.0)
    # A tree that was stopped before it had tried every move has nothing to say.
    return (means - means.mean() if visits.all() else np.zeros(len(means))), done


def _solve(task: Task) -> tuple[Figures, int]:
    """Every world solved exactly: one outcome for each move, for as many as there is time."""
    n = len(task.states)
    figures = task.new_figures(n, exact=True)
    # The other rewards do not add up over tricks; what they want is close to a difference.
    mode = POINTS if task.reward.kind == POINTS else DIFFERENCE
    table = np.zeros((2, TABLE_SIZE), dtype=np.uint64)
    for done in range(0, n, SOLVED_AT_ONCE):
        part = slice(done, done + SOLVED_AT_ONCE)
        solve_worlds(
            task.states[part], task.root, task.allowed[part], mode,
            task.rules_word, *task.rewarding, *table, figures[part],
        )  # fmt: skip
        if task.is_over:
            break
    return figures, int(figures[..., VISITS].sum())
