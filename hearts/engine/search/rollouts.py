"""Rollouts: every move is tried in every world, and the network plays on for all seats.

No seat in a rollout sees a hidden card, the searching seat included, so there is no strategy
fusion. Moves are raced by successive elimination: after each batch of worlds, moves that are
clearly worse than the best are eliminated; the search ends when one is left.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.histories import seen_in_worlds
from hearts.engine.bridge.network import LEAST_PROBABILITY, shipped, shipped_stack
from hearts.engine.bridge.policies import NO_EPSILON, all_network, rollout_policies
from hearts.engine.bridge.state import States
from hearts.engine.search.result import Statistics
from hearts.engine.search.task import Task, over_parts
from hearts.game.cards import Card, bit, count, set_of
from hearts.kernels.core.statistics import REWARD, VISITS
from hearts.kernels.network.arrays import Layers
from hearts.kernels.network.rollouts import move_probabilities, refresh_worlds, roll_out
from hearts.views.view import View

ROLLOUTS_PER_MS = 50  # of a core in mid-hand, roughly: sizes a search by time
AT_ONCE = 4  # worlds between two deadline checks
THRESHOLD = 3.0  # standard errors by which an eliminated move is worse than the best
BATCH = 50  # worlds between two eliminations
HISTORIES = 32  # worlds whose histories the log policy of a partial view is averaged over
LEAST_WORLDS = 8  # effective sample size below which the standard error is not trusted
LEAST_ROLLOUTS = 50  # of each move before the first elimination, so that rare events show up
META, BROKEN = 6, np.uint64(1 << 7)  # of a state: see hearts.kernels.core.state


def log_policy(task: Task, view: View) -> NDArray[np.float64]:
    """The log policy of the network at the view: log π (moves,).

    Where the history is missing, π is the mean over the histories of some worlds.
    """
    network = shipped()
    states = as_trained(task.states[: HISTORIES if view.partial else 1], view)
    seen, voids = seen_in_worlds(view, states, task.config.seed)
    states[:, view.seat] = view.hand  # a counterfactual world has another hand
    accumulators = np.empty((len(states), 4, len(network.bias)), dtype=np.float32)
    probabilities = np.zeros((len(states), len(task.moves)))
    refresh_worlds(all_network(len(states)), states, seen, voids, shipped_stack(), accumulators)
    for state, accumulator, row in zip(states, accumulators, probabilities, strict=True):
        move_probabilities(state, accumulator, task.root, task.rules_word, network.arrays, row)
    return np.asarray(np.log(probabilities.mean(axis=0) + LEAST_PROBABILITY))


def as_trained(states: States, view: View) -> States:
    """The states as in training, where hearts break only at the end of a trick."""
    states = states.copy()
    if view.partial:  # the missing tricks may have broken them
        return states
    finished = set_of(card for trick in view.tricks for card in trick.cards)
    if not finished & view.rules.heart_breakers:
        states[:, META] &= ~BROKEN
    return states


def rollouts(task: Task, view: View) -> tuple[Statistics, int]:
    """Race the moves in repeated passes over the worlds, until the budget is used up."""
    racing = _Racing(task, view, shipped_stack())
    while racing.is_running:
        racing.run_batch()
    return racing.statistics, racing.done


def roll_out_card(task: Task, view: View, card: Card) -> tuple[Statistics, int]:
    """Try one card, with the whole budget."""
    racing = _Racing(task, view, shipped_stack())
    racing.moves = task.root & np.uint64(next(each for each in task.moves if each & bit(card)))
    while racing.left and racing.idle < racing.worlds and not task.is_over:
        racing.run_batch()
    return racing.statistics, racing.done


class _Racing:
    """Successive elimination: the remaining moves, and the statistics of all of them."""

    def __init__(self, task: Task, view: View, networks: Layers) -> None:
        self.task, self.networks = task, networks
        self.states, self.worlds = as_trained(task.states, view), len(task.states)
        self.seen, self.voids = seen_in_worlds(view, self.states, task.config.seed)
        self.statistics = task.new_statistics(self.worlds)
        self.moves, self.done = task.root, 0
        self.tried = 0  # worlds, counted again in each pass over them
        self.idle = 0  # worlds in a row that had none of the remaining moves
        hidden1 = networks.bias.shape[1]
        self.accumulators = np.empty((self.worlds, 4, hidden1), dtype=np.float32)
        self.policies = rollout_policies(view.rules, self.worlds, task.policies)
        refresh_worlds(
            self.policies, self.states, self.seen, self.voids, networks, self.accumulators
        )

    @property
    def is_running(self) -> bool:
        """Whether several moves and some budget remain."""
        if self.tried and (self.task.is_over or count(int(self.moves)) < 2):
            return False
        if self.idle >= self.worlds:
            return False
        return self.task.config.time_ms is not None or self.left > 0

    @property
    def left(self) -> int:
        """The rollouts that are left for each remaining move."""
        moves = count(int(self.moves))
        left = self.task.config.simulations - self.done
        return left // moves if self.tried else max(1, left // moves)

    def run_batch(self) -> None:
        """Try the remaining moves in the next worlds, and eliminate those that are worse."""
        lap, first = divmod(self.tried, self.worlds)
        worlds = min(BATCH, self.worlds - first)
        if self.task.config.time_ms is None:
            worlds = min(worlds, self.left)
        work = partial(self._try, lap, first)
        done = sum(over_parts(work, worlds, self.task.config.threads))
        self.done += done
        self.tried += worlds
        self.idle = 0 if done else self.idle + worlds
        if self.tried >= LEAST_ROLLOUTS:
            self._eliminate()

    def _try(self, lap: int, start: int, part: slice) -> int:
        """Try the moves once in a slice of the worlds from `start` on."""
        task, done, end = self.task, 0, start + part.stop
        for first in range(start + part.start, end, AT_ONCE):
            here = slice(first, min(first + AT_ONCE, end))
            done += roll_out(
                self.policies[here], self.states[here], self.accumulators[here], self.seen[here],
                self.voids, lap * self.worlds + first, task.seed(0), NO_EPSILON, task.root,
                task.allowed[here], self.moves, task.rules_word, *task.reward.arguments,
                self.networks, self.statistics[here], task.stop,
            )  # fmt: skip
            if task.is_over:
                break
        return int(done)

    def _eliminate(self) -> None:
        """Eliminate the moves that are clearly worse than the best."""
        statistics = self.statistics[:, : len(self.task.moves)]
        left = [i for i, move in enumerate(self.task.moves) if self.moves & np.uint64(move)]
        tried = (statistics[:, left, VISITS] > 0).all(axis=1)
        weights = self.task.weights[tried] / max(self.task.weights[tried].sum(), 1e-9)
        if not tried.any() or 1 / np.square(weights).sum() < LEAST_WORLDS:
            return
        means = statistics[tried, :, REWARD][:, left] / statistics[tried, :, VISITS][:, left]
        if self.task.bonus is not None:  # the bonus is part of the final score
            means += self.task.bonus[left]
        best = int(np.argmax(weights @ means))
        for place, gaps in zip(left, (means[:, [best]] - means).T, strict=True):
            if is_clear(gaps, weights):
                self.moves &= ~np.uint64(self.task.moves[place])


def is_clear(gaps: NDArray[np.float64], weights: NDArray[np.float64]) -> bool:
    """Whether the weighted mean of some gaps is above 0 by more than THRESHOLD standard errors."""
    mean = float(weights @ gaps)
    error = float(np.sqrt(np.square(weights) @ np.square(gaps - mean)))
    return mean > THRESHOLD * error
