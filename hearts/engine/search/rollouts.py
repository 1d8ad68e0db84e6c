"""Rollouts: a race of the moves, each tried in each world and then played on by the network.

Nobody in a rollout sees a hidden card, the searching seat included: what it would do next it
decides by what it will know then, so it never counts on knowing more. After each round over some
worlds a move that is clearly worse than the best leaves the race; when one is left, it is over.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.network import LEAST_PROBABILITY, Network, Seen, seen_by, shipped
from hearts.engine.bridge.state import States
from hearts.engine.search.result import Figures
from hearts.engine.search.task import Task, over_parts
from hearts.game.cards import count, set_of
from hearts.kernels.core.statistics import REWARD, VISITS
from hearts.kernels.network.rollouts import move_probabilities, refresh_worlds, roll_out
from hearts.views.view import View

ROLLOUTS_PER_MS = 50  # about what a core does in the middle of a hand: sizes a race by time
AT_ONCE = 4  # worlds between two looks at the clock
CLEARLY = 3.0  # standard errors by which a move that leaves the race is worse
ROUND = 50  # worlds between two looks at who is left
LEAST_WORLDS = 8  # that count, below which no error can be told
LEAST_ROLLOUTS = 50  # of each move, before which what is rare may not have shown itself
META, BROKEN = 6, np.uint64(1 << 7)  # of a state: see hearts.kernels.core.state


def log_odds(task: Task, view: View, network: Network | None = None) -> NDArray[np.float64]:
    """What the network thinks of the moves by itself: log P (moves,)."""
    network, (seen, voids) = network or shipped(), seen_by(view)
    state = as_trained(task.states[:1], view)
    state[0, view.seat] = view.hand  # in worlds of a mixture it may be another
    opened = np.empty((1, 4, len(network.bias)), dtype=np.float32)
    odds = np.zeros(len(task.moves))
    refresh_worlds(state, seen, voids, network.arrays, opened)
    move_probabilities(state[0], opened[0], task.root, network.arrays, odds)
    return np.log(odds + LEAST_PROBABILITY)


def as_trained(states: States, view: View) -> States:
    """The worlds as self-play has them: there, hearts break at the end of a trick."""
    states = states.copy()
    finished = set_of(card for trick in view.tricks for card in trick.cards)
    if not finished & view.rules.heart_breakers:
        states[:, META] &= ~BROKEN
    return states


def rollouts(task: Task, view: View, network: Network | None = None) -> tuple[Figures, int]:
    """Every move in every world, over and over, until simulations or time are used up."""
    race = _Race(task, view, network or shipped())
    while race.goes_on:
        race.run_round()
    return race.figures, race.done


class _Race:
    """The moves that are left, and what is known of all of them."""

    def __init__(self, task: Task, view: View, network: Network) -> None:
        self.task, self.network = task, network
        self.seen: Seen
        self.seen, self.voids = seen_by(view)
        self.states, self.worlds = as_trained(task.states, view), len(task.states)
        self.figures = task.new_figures(self.worlds)
        self.moves, self.done = task.root, 0
        self.tried = 0  # worlds, counted again in each lap over them
        self.idle = 0  # of these the latest, which had none of the moves that are left
        self.opened = np.empty((self.worlds, 4, len(network.bias)), dtype=np.float32)
        refresh_worlds(self.states, self.seen, self.voids, network.arrays, self.opened)

    @property
    def goes_on(self) -> bool:
        """Whether there is something left to find out, and a budget for it."""
        if self.tried and (self.task.is_over or count(int(self.moves)) < 2):
            return False
        if self.idle >= self.worlds:
            return False
        return self.task.config.time_ms is not None or self._left > 0

    @property
    def _left(self) -> int:
        """How many more rollouts each move that is left may have."""
        moves = count(int(self.moves))
        left = self.task.config.simulations - self.done
        return left // moves if self.tried else max(1, left // moves)

    def run_round(self) -> None:
        """Try all moves that are left in the next worlds, and drop those that are clearly worse."""
        lap, first = divmod(self.tried, self.worlds)
        worlds = min(ROUND, self.worlds - first)
        if self.task.config.time_ms is None:
            worlds = min(worlds, self._left)
        work = partial(self._try, lap, first)
        done = sum(over_parts(work, worlds, self.task.config.threads))
        self.done += done
        self.tried += worlds
        self.idle = 0 if done else self.idle + worlds
        if self.tried >= LEAST_ROLLOUTS:
            self._drop_worse()

    def _try(self, lap: int, start: int, part: slice) -> int:
        """Try the moves once in some of the worlds from `start` on."""
        task, done, end = self.task, 0, start + part.stop
        for first in range(start + part.start, end, AT_ONCE):
            here = slice(first, min(first + AT_ONCE, end))
            done += roll_out(
                self.states[here], self.opened[here], self.seen, self.voids,
                lap * self.worlds + first, task.seed(0),
                task.root, task.allowed[here], self.moves, task.rules_word, *task.rewarding,
                self.network.arrays, self.figures[here], task.stop,
            )  # fmt: skip
            if task.is_over:
                break
        return int(done)

    def _drop_worse(self) -> None:
        """Take from the race what is clearly worse than the best."""
        figures = self.figures[:, : len(self.task.moves)]
        racing = [i for i, move in enumerate(self.task.moves) if self.moves & np.uint64(move)]
        tried = (figures[:, racing, VISITS] > 0).all(axis=1)
        weights = self.task.weights[tried] / max(self.task.weights[tried].sum(), 1e-9)
        if not tried.any() or 1 / np.square(weights).sum() < LEAST_WORLDS:
            return
        means = figures[tried, :, REWARD][:, racing] / figures[tried, :, VISITS][:, racing]
        if self.task.bonus is not None:  # what decides in the end decides here
            means += self.task.bonus[racing]
        best = int(np.argmax(weights @ means))
        for place, gaps in zip(racing, (means[:, [best]] - means).T, strict=True):
            if is_clear(gaps, weights):
                self.moves &= ~np.uint64(self.task.moves[place])


def is_clear(gaps: NDArray[np.float64], weights: NDArray[np.float64]) -> bool:
    """Whether the mean of some gaps is above 0 by more than chance."""
    mean = float(weights @ gaps)
    error = float(np.sqrt(np.square(weights) @ np.square(gaps - mean)))
    return mean > CLEARLY * error
