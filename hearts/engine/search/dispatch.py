"""Search a view over given worlds with the algorithm of the config."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Worlds
from hearts.engine.clock import Deadline, Stop, no_stop
from hearts.engine.config import MAX_WORLDS, SearchConfig
from hearts.engine.playouts import Playout
from hearts.engine.search.result import SearchResult, Statistics, Watch
from hearts.engine.search.rollouts import ROLLOUTS_PER_MS, log_policy, roll_out_card, rollouts
from hearts.engine.search.task import Task
from hearts.engine.search.trees import SIMULATIONS_PER_MS, SLICE, one_tree, trees, trees_in_time
from hearts.game.cards import Card, count
from hearts.kernels.core.reward import DIFFERENCE, POINTS
from hearts.kernels.core.statistics import REWARD, VISITS
from hearts.kernels.search.solver import TABLE_SIZE, solve_worlds
from hearts.views.view import View

ONE_WORLD = 6  # cards a seat up to which a single known world is solved: under 10 ms
AUXILIARY_SHARE = 0.2  # of `time_ms`, for the auxiliary tree of rollouts
SOLVED_AT_ONCE = 8  # worlds between two deadline checks


def supported_config(view: View, config: SearchConfig) -> SearchConfig:
    """The config, with ε-greedy playouts for softmax ones under rules that those do not know."""
    playout = Playout(config.playout).under(view.rules).value
    return config if playout == config.playout else replace(config, playout=playout)


def is_solved(view: View, config: SearchConfig) -> bool:
    """Whether the worlds of a view are solved exactly instead of searched."""
    if not config.endgame or view.first_trick:
        return False
    return view.round_size <= (max(config.endgame, ONE_WORLD) if is_known(view) else config.endgame)


def is_known(view: View) -> bool:
    """Whether only one deal fits the view."""
    full = (count(view.possible[seat]) == view.hand_sizes[seat] for seat in view.others)
    return not view.gone and all(full)


def worlds_wanted(view: View, config: SearchConfig) -> int:
    """The number of worlds that a search samples from its belief."""
    if is_known(view):
        return 1
    if is_solved(view, config):
        return config.worlds
    if config.algorithm == "pimc":
        return min(config.worlds, _pimc_limit(config))
    if config.algorithm == "rollouts":
        return min(config.worlds, max(1, _rollout_budget(config) // count(view.legal)))
    # One tree takes a new world every iteration.
    return MAX_WORLDS if config.time_ms else min(config.simulations, MAX_WORLDS)


def _pimc_limit(config: SearchConfig) -> int:
    """The largest number of worlds that all get simulations."""
    if config.time_ms is None:
        return config.simulations
    return max(1, int(config.time_ms * SIMULATIONS_PER_MS / 4 / SLICE))


def _rollout_budget(config: SearchConfig) -> int:
    if config.time_ms is None:
        return config.simulations
    return int(config.time_ms * ROLLOUTS_PER_MS)


def search(
    view: View,
    worlds: Worlds,
    config: SearchConfig,
    *,
    stop: Stop | None = None,
    deadline: Deadline | None = None,
    watch: Watch | None = None,
) -> SearchResult:
    """Search the moves of a view over some worlds; `deadline` ends a search by time."""
    stop = no_stop() if stop is None else stop
    task = Task.of(view, worlds, config, stop, deadline or Deadline(config))
    task = task if watch is None else replace(task, watch=watch)
    if is_solved(view, config):
        return task.result(*_solve(task), exact=True)
    if config.algorithm == "rollouts":
        return _search_by_rollouts(task, view)
    if config.algorithm == "pimc":
        return task.result(*(trees(task) if config.time_ms is None else trees_in_time(task)))
    return task.result(*one_tree(task))


def search_card(view: View, worlds: Worlds, card: Card, config: SearchConfig) -> SearchResult:
    """Roll out one card over some worlds; the other moves of the result are not tried."""
    task = Task.of(view, worlds, config, no_stop(), Deadline(config))
    return task.result(*roll_out_card(task, view, card))


def _search_by_rollouts(task: Task, view: View) -> SearchResult:
    """Run rollouts with a bonus for moves from the network's policy and the auxiliary tree."""
    auxiliary, simulations = _auxiliary_tree(task)
    bonus = auxiliary
    if view.rules.usual_penalties:  # else the network does not play
        bonus = task.config.policy_weight * task.spread * log_policy(task, view) + auxiliary
    task = replace(task, bonus=bonus, auxiliary_value=auxiliary)
    statistics, done = rollouts(task, view)
    return task.result(statistics, done + simulations)


def _auxiliary_tree(task: Task) -> tuple[NDArray[np.float64], int]:
    """The advantage of each move over the mean in an auxiliary tree (moves,); its simulations."""
    config = task.config
    if not config.auxiliary_simulations:
        return np.zeros(len(task.moves)), 0
    time_ms = None if config.time_ms is None else max(1.0, AUXILIARY_SHARE * config.time_ms)
    tree = replace(
        config, algorithm="ismcts", simulations=config.auxiliary_simulations, time_ms=time_ms
    )
    statistics, done = one_tree(replace(task, config=tree, deadline=Deadline(tree)))
    rewards, visits = statistics[0, : len(task.moves), [REWARD, VISITS]]
    if not visits.all():  # stopped before every move was tried
        return np.zeros(len(visits)), done
    means = rewards / visits
    return means - means.mean(), done


def _solve(task: Task) -> tuple[Statistics, int]:
    """Solve worlds exactly until time is up: one outcome for each move."""
    n = len(task.states)
    statistics = task.new_statistics(n, exact=True)
    # The other rewards are not additive over tricks; the difference is close to them.
    mode = POINTS if task.reward.kind == POINTS else DIFFERENCE
    table = np.zeros((2, TABLE_SIZE), dtype=np.uint64)
    for done in range(0, n, SOLVED_AT_ONCE):
        part = slice(done, done + SOLVED_AT_ONCE)
        solve_worlds(
            task.states[part], task.root, task.allowed[part], mode,
            task.rules_word, *task.reward.arguments, *table, statistics[part],
        )  # fmt: skip
        if task.is_over:
            break
    return statistics, int(statistics[..., VISITS].sum())
