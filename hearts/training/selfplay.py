"""Hands of self-play, played in threads: decisions, points and advantages."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.network import Network
from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS
from hearts.game.rules import PASSING
from hearts.kernels.network.advantages import gae
from hearts.kernels.network.arrays import Floats, Samples, new_samples
from hearts.kernels.network.decisions import MAX_DECISIONS
from hearts.kernels.network.selfplay import LEARNER, play_hands
from hearts.training.hyperparameters import Training
from hearts.training.population import Population, epsilons, stacked

THREADS = 2
POINTS = 10.0  # penalty points per unit of return
FORGETFUL = np.uint64(19661)  # share of seats that forget what was passed, in 1/65536

Ints = NDArray[np.int64]


class SelfPlay:
    """The hands of one step; all arrays are used again for the next one."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.population = Population.of(training.population)
        hands = training.hands_per_step
        self.samples: Samples = new_samples(hands * MAX_DECISIONS)
        self.decisions: Ints = np.zeros(0, dtype=np.int64)  # the samples of this step
        self.advantages: Floats = np.zeros(len(self.samples.seat), dtype=np.float32)
        self.value_targets: Floats = np.zeros_like(self.advantages)
        self.points: Ints = np.zeros((hands, SEATS), dtype=np.int64)
        self.kinds: Ints = np.zeros_like(self.points)  # of players: see Population
        self._pool = ThreadPoolExecutor(THREADS)
        # Each thread has its own hands, and the samples of at most so many decisions.
        bounds = np.linspace(0, hands, THREADS + 1).astype(int).tolist()
        self._shares = [slice(*ends) for ends in pairwise(bounds)]
        self._counts = [0] * THREADS

    def play(self, player: Network, rng: np.random.Generator) -> None:
        """Play the hands of a step."""
        hands = len(self.points)
        seed = np.uint64(rng.integers(1 << 62))
        self.kinds[:] = self.population.seat(hands, self.training.population_share, rng)
        stack = stacked((player, *self.population.others))
        deals, random_cards = np.arange(hands, dtype=np.uint64), epsilons(hands, rng)

        def work(part: slice) -> int:
            played: int = play_hands(
                seed, deals[part], self.kinds[part], random_cards[part], self.population.policies,
                self.population.networks, stack, FORGETFUL, rules_word(PASSING),
                self._samples_of(part), self.points[part],
            )  # fmt: skip
            return played

        self._counts = list(self._pool.map(work, self._shares))
        starts = (part.start * MAX_DECISIONS for part in self._shares)
        self.decisions = np.concatenate(
            [start + np.arange(n) for start, n in zip(starts, self._counts, strict=True)]
        )

    def estimate_advantages(self) -> None:
        """Write advantages, with a standard deviation of 1, and value targets.

        `samples.value` must have the critic's values.
        """
        gae_lambda, returns = np.float32(self.training.gae_lambda), returns_of(self.points)
        for part, n in zip(self._shares, self._counts, strict=True):
            span = _span(part)
            gae(
                n, self._samples_of(part), returns[part], gae_lambda,
                self.advantages[span], self.value_targets[span],
            )  # fmt: skip
        self.advantages /= self.advantages[self.decisions].std() + 1e-6

    def gap(self) -> float:
        """Points per hand, network − others, at the tables that have both; 0 if none has."""
        return gap(self.points, self.kinds)

    def _samples_of(self, part: slice) -> Samples:
        return self.samples.part(_span(part))


def _span(part: slice) -> slice:
    """The samples of some hands."""
    return slice(part.start * MAX_DECISIONS, part.stop * MAX_DECISIONS)


def returns_of(points: Ints) -> Floats:
    """The return of each hand for each seat: how much better than the mean of the others."""
    total = points.sum(axis=1, keepdims=True)
    return np.asarray(((total - points) / 3 - points) / POINTS, dtype=np.float32)


def gap(points: Ints, kinds: Ints) -> float:
    """Points per hand, network − others, at the tables that have both; 0 if none has."""
    learner = kinds == LEARNER
    means = [
        (points * seats).sum(axis=1) / np.maximum(seats.sum(axis=1), 1)
        for seats in (learner, ~learner)
    ]
    both = learner.any(axis=1) & ~learner.all(axis=1)
    return float((means[0] - means[1])[both].mean()) if both.any() else 0.0
