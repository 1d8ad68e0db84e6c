"""How the network learns: it plays against itself, and does more of what went better than expected.

Proximal policy optimization with a critic that sees all hands (`gradients`), Adam, all
randomness from the seed and the number of the step: the same on one machine however often it is
interrupted. Every step is done in two halves, on two cores where there are two.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.network import Network, rounded
from hearts.engine.bridge.state import rules_word
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PASSING
from hearts.kernels.network.forward import OUTPUTS, ROWS
from hearts.kernels.network.gradients import (
    CRITIC_ROWS,
    Samples,
    Weights,
    judge,
    learn,
    new_samples,
)
from hearts.kernels.network.selfplay import HEURISTIC, MOST_DECISIONS, NETWORK, play_hands

HALVES = 2
POINTS = 10.0  # penalty points that count as 1 in what a hand is worth
_MOMENTUM, _SQUARES, _STEADY = 0.9, 0.999, 1e-7  # Adam's


@dataclass(frozen=True)
class Training:
    """How a network is trained; rates fall evenly from the first to the last step."""

    hands: int = 20_000_000
    seed: int = 1
    width: int = 128  # of the first hidden layer
    depth: int = 32  # of the second
    step_hands: int = 4096  # hands between two changes of the player that plays them
    batch: int = 8192  # decisions in each change of the weights
    rounds: int = 2  # how often each decision is learned from
    rate: tuple[float, float] = (1e-3, 1e-4)
    entropy: tuple[float, float] = (0.01, 0.002)  # what undecidedness is worth
    clip: float = 0.2  # odds move by no more than this share in one step
    decay: float = 0.95  # of the credit for what happens later in the hand
    mixed: float = 0.25  # share of the tables that have heuristic players

    @property
    def steps(self) -> int:
        """How often hands are played and learned from."""
        return max(1, self.hands // self.step_hands)


@dataclass(frozen=True)
class Progress:
    """What one step came to."""

    step: int
    entropy: float  # nats of a decision
    moved: float  # share of decisions whose odds had moved as far as they may
    error: float  # mean squared error of the critic
    gap: float  # points per hand, network less heuristic, at the tables that have both
    moons: float  # share of hands in which somebody shot


class Trainer:
    """Two networks, the moments of Adam, and the number of steps done."""

    def __init__(self, training: Training) -> None:
        self.training = training
        rng = np.random.default_rng([training.seed])
        self.player = _new_weights(rng, ROWS, training, OUTPUTS)
        self.critic = _new_weights(rng, CRITIC_ROWS, training, 1)
        self.moments = [np.zeros_like(each) for each in (*self.arrays, *self.arrays)]
        self.step = self.changes = 0
        self._halves = [_Half(training, number) for number in range(HALVES)]
        self._pool = ThreadPoolExecutor(HALVES)

    @property
    def arrays(self) -> tuple[NDArray[np.float32], ...]:
        """All weights."""
        return (*self.player, *self.critic)

    def run(self) -> Iterator[Progress]:
        """Train to the end, from wherever it is."""
        while self.step < self.training.steps:
            yield self._step()

    def network(self, **made: Any) -> Network:
        """The player in whole numbers."""
        return rounded(self.player._asdict(), made | {"training": asdict(self.training)})

    def save(self, path: Path) -> None:
        """Write everything that going on later needs."""
        about = np.array([self.step, self.changes])
        kept = {f"a{i:02}": each for i, each in enumerate((*self.arrays, *self.moments))}
        temporary = path.with_suffix(".new.npz")
        np.savez(temporary, about=about, training=np.array(repr(self.training)), **kept)  # type: ignore[arg-type]  # allow_pickle is no array
        temporary.replace(path)

    def load(self, path: Path) -> None:
        """Go on from what `save` wrote."""
        try:
            with np.load(BytesIO(path.read_bytes())) as found:
                kept = dict(found)
        except (OSError, EOFError, ValueError, TypeError, BadZipFile) as error:
            raise InvalidConfig("checkpoint", f"{path}: cannot be read: {error}") from error
        if str(kept.get("training")) != repr(self.training):
            raise InvalidConfig("checkpoint", f"{path} is of another training")
        self.step, self.changes = map(int, kept["about"])
        for i, each in enumerate((*self.arrays, *self.moments)):
            each[...] = kept[f"a{i:02}"]

    def _step(self) -> Progress:
        """Play some hands and learn from them."""
        training = self.training
        rng = np.random.default_rng([training.seed, self.step])
        seed, done = np.uint64(rng.integers(1 << 62)), self.step / training.steps
        self._both(lambda half: half.play(seed, self.player, self.critic))
        spread = np.concatenate([half.gains for half in self._halves]).std() + 1e-6
        for half in self._halves:
            half.gains /= spread
        rate, worth = (_between(ends, done) for ends in (training.rate, training.entropy))
        report = np.zeros(3)
        decisions = 0
        for _ in range(training.rounds):
            orders = [rng.permutation(half.decisions) for half in self._halves]
            batches = max(1, min(map(len, orders)) * HALVES // training.batch)
            cuts = [np.array_split(order, batches) for order in orders]
            for batch in range(batches):
                for half, cut in zip(self._halves, cuts, strict=True):
                    half.order = cut[batch]
                self._both(lambda half: half.learn(self.player, self.critic, worth))
                size = sum(len(half.order) for half in self._halves)
                self._change(rate, size)
                report += sum(half.report for half in self._halves)
                decisions += size
        self.step += 1
        entropy, moved, error = (float(each) / decisions for each in report)
        points, kinds = (
            np.concatenate([getattr(half, name) for half in self._halves])
            for name in ("points", "kinds")
        )
        moons = float((np.sort(points)[:, 1] == PASSING.total).mean())
        return Progress(self.step, entropy, moved, error, gap(points, kinds), moons)

    def _both(self, work: Callable[["_Half"], None]) -> None:
        list(self._pool.map(work, self._halves))

    def _change(self, rate: float, size: int) -> None:
        """One change of all weights against their slopes, by Adam."""
        self.changes += 1
        n = len(self.arrays)
        warm = (1 - _MOMENTUM**self.changes, 1 - _SQUARES**self.changes)
        for i, weights in enumerate(self.arrays):
            slope = sum(half.slopes[i] for half in self._halves) / np.float32(size)
            mean, square = self.moments[i], self.moments[n + i]
            mean += (1 - _MOMENTUM) * (slope - mean)
            square += (1 - _SQUARES) * (slope * slope - square)
            weights -= rate / warm[0] * mean / (np.sqrt(square / warm[1]) + _STEADY)


class _Half:
    """One half of every step: hands of its own, and slopes of its own."""

    def __init__(self, training: Training, number: int) -> None:
        self.training = training
        hands = training.step_hands // HALVES
        self.samples: Samples = new_samples(hands * MOST_DECISIONS)
        self.points = np.empty((hands, 4), dtype=np.int64)
        self.kinds = np.empty((hands, 4), dtype=np.int64)
        self.rooms = [_room(training) for _ in range(2)]
        shapes = np.random.default_rng(0)
        self.player_slopes = _new_weights(shapes, ROWS, training, OUTPUTS)
        self.critic_slopes = _new_weights(shapes, CRITIC_ROWS, training, 1)
        self.report = np.zeros(3)
        self.order = np.zeros(0, dtype=np.int64)
        self.decisions = 0
        self.gains = self.outcomes = np.zeros(0, dtype=np.float32)
        self.start = number * hands

    @property
    def slopes(self) -> tuple[NDArray[np.float32], ...]:
        return (*self.player_slopes, *self.critic_slopes)

    def play(self, seed: np.uint64, player: Weights, critic: Weights) -> None:
        """Play hands, and judge every decision by how they ended."""
        mixed = np.uint64(round(self.training.mixed * 65536))
        n = self.decisions = play_hands(
            seed, self.start, mixed, rules_word(PASSING), player, critic, *self.rooms,
            self.samples, self.kinds, self.points,
        )  # fmt: skip
        total = self.points.sum(axis=1, keepdims=True)
        worth = (((total - self.points) / 3 - self.points) / POINTS).astype(np.float32)
        self.gains, self.outcomes = np.empty((2, n), dtype=np.float32)
        judge(n, self.samples, worth, np.float32(self.training.decay), self.gains, self.outcomes)

    def learn(self, player: Weights, critic: Weights, entropy: float) -> None:
        """The slopes of the decisions in `order`."""
        self.report[:] = 0
        for slope in self.slopes:
            slope[...] = 0
        learn(
            self.order, self.samples, self.gains, self.outcomes,
            np.float32(self.training.clip), np.float32(entropy),
            player, critic, self.player_slopes, self.critic_slopes, *self.rooms, self.report,
        )  # fmt: skip


def gap(points: NDArray[np.int64], kinds: NDArray[np.int64]) -> float:
    """Points per hand, network less heuristic, at the tables that have both; 0 where none has."""
    means = []
    for kind in (NETWORK, HEURISTIC):
        seats = kinds == kind
        means.append((points * seats).sum(axis=1) / np.maximum(seats.sum(axis=1), 1))
    both = (kinds == NETWORK).any(axis=1) & (kinds == HEURISTIC).any(axis=1)
    return float((means[0] - means[1])[both].mean()) if both.any() else 0.0


def _between(ends: tuple[float, float], done: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * done


def _room(training: Training) -> tuple[NDArray[Any], ...]:
    """Room for both hidden layers, their slopes, and the odds of the cards of a hand."""
    width, depth = training.width, training.depth
    sizes = (width, depth, depth, width, 13)
    floats = tuple(np.empty(size, dtype=np.float32) for size in sizes)
    return (*floats, np.empty(13, dtype=np.int64))


def _new_weights(rng: np.random.Generator, rows: int, training: Training, outputs: int) -> Weights:
    """Random weights of a size at which both layers neither fade nor burst."""

    def normal(*shape: int, scale: float) -> NDArray[np.float32]:
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    width, depth = training.width, training.depth
    return Weights(
        rows=normal(rows, width, scale=0.1),
        bias=np.zeros(width, dtype=np.float32),
        hidden=normal(depth, width, scale=(2 / width) ** 0.5),
        hidden_bias=np.zeros(depth, dtype=np.float32),
        out=normal(outputs, depth, scale=0.01),
        out_bias=np.zeros(outputs, dtype=np.float32),
    )
