"""Self-play PPO with a centralised critic: training of the policy network.

Proximal policy optimization (Schulman et al. 2017) with generalised advantage estimation (Schulman
et al. 2016) and Adam (Kingma & Ba 2015). The critic sees all four hands; only the player is kept.

All random numbers are functions of the seed and the step, so an interrupted training ends with the
same weights on the same machine. Each step runs in two threads.
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

from hearts.engine.bridge.network import Network, quantised
from hearts.engine.bridge.state import rules_word
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PASSING
from hearts.kernels.network.arrays import Floats, Samples, Weights, new_samples
from hearts.kernels.network.critic import CRITIC_FEATURES
from hearts.kernels.network.features import FEATURES
from hearts.kernels.network.gradients import batch_gradients, gae
from hearts.kernels.network.inference import OUTPUTS
from hearts.kernels.network.selfplay import HEURISTIC, MAX_DECISIONS, NETWORK, play_hands

THREADS = 2
POINTS = 10.0  # penalty points per unit of return
MAX_MOVES = 13
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-7  # of Adam


@dataclass(frozen=True)
class Training:
    """Hyperparameters; pairs are the values at the first and the last step, linear in between."""

    hands: int = 20_000_000
    seed: int = 1
    hidden1_width: int = 128
    hidden2_width: int = 32  # a multiple of 4
    hands_per_step: int = 4096  # hands played with the same weights
    batch_size: int = 8192  # decisions per update of the weights
    epochs: int = 2  # passes over the decisions of a step
    learning_rate: tuple[float, float] = (1e-3, 1e-4)
    entropy_bonus: tuple[float, float] = (0.01, 0.002)
    clip: float = 0.2  # ε of PPO: the ratio of probabilities is clipped to 1 ± ε
    gae_lambda: float = 0.95
    heuristic_share: float = 0.25  # of the tables, which have some heuristic players

    @property
    def steps(self) -> int:
        """The number of steps: hands are played, then the weights updated."""
        return max(1, self.hands // self.hands_per_step)


# Former names of these fields, which older checkpoints have.
_FORMER_NAMES = {
    "hidden1_width": "width",
    "hidden2_width": "depth",
    "hands_per_step": "step_hands",
    "batch_size": "batch",
    "epochs": "rounds",
    "learning_rate": "rate",
    "entropy_bonus": "entropy",
    "gae_lambda": "decay",
    "heuristic_share": "mixed",
}


@dataclass(frozen=True)
class Progress:
    """Results of one step."""

    step: int
    entropy: float  # of the policy, nats per decision
    clip_fraction: float  # share of decisions whose ratio was clipped
    value_error: float  # mean squared error of the critic
    gap: float  # points per hand, network − heuristic, at the tables that have both
    moons: float  # share of hands with a moon


class Trainer:
    """Player and critic, the moments of Adam, and the number of steps done."""

    def __init__(self, training: Training) -> None:
        self.training = training
        rng = np.random.default_rng([training.seed])
        self.player = _new_weights(rng, FEATURES, training, OUTPUTS)
        self.critic = _new_weights(rng, CRITIC_FEATURES, training, 1)
        self.moments = [np.zeros_like(each) for each in (*self.arrays, *self.arrays)]
        self.step = self.updates = 0
        self._workers = [_Worker(training, number) for number in range(THREADS)]
        self._pool = ThreadPoolExecutor(THREADS)

    @property
    def arrays(self) -> tuple[Floats, ...]:
        """All weights of both networks."""
        return (*self.player, *self.critic)

    def run(self) -> Iterator[Progress]:
        """Train until the last step."""
        while self.step < self.training.steps:
            yield self._run_step()

    def network(self, **provenance: Any) -> Network:
        """The player, rounded to integers."""
        training = {"training": asdict(self.training)}
        return quantised(self.player._asdict(), provenance | training)

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        about = np.array([self.step, self.updates])
        kept = {f"a{i:02}": each for i, each in enumerate((*self.arrays, *self.moments))}
        temporary = path.with_suffix(".new.npz")
        np.savez(temporary, about=about, training=np.array(repr(self.training)), **kept)  # type: ignore[arg-type]  # mypy takes **kept for allow_pickle
        temporary.replace(path)

    def load(self, path: Path) -> None:
        """Continue from a checkpoint."""
        try:
            with np.load(BytesIO(path.read_bytes())) as found:
                kept = dict(found)
        except (OSError, EOFError, ValueError, TypeError, BadZipFile) as error:
            raise InvalidConfig("checkpoint", f"{path}: cannot be read: {error}") from error
        if str(kept.get("training")) not in (repr(self.training), _former_repr(self.training)):
            raise InvalidConfig("checkpoint", f"{path} belongs to another training")
        self.step, self.updates = map(int, kept["about"])
        for i, each in enumerate((*self.arrays, *self.moments)):
            each[...] = kept[f"a{i:02}"]

    def _run_step(self) -> Progress:
        """Play hands, estimate advantages, and update the weights for some epochs."""
        rng = np.random.default_rng([self.training.seed, self.step])
        seed = np.uint64(rng.integers(1 << 62))
        self._in_threads(lambda worker: worker.play(seed, self.player, self.critic))
        self._normalise_advantages()
        totals = sum(self._run_epoch(rng) for _ in range(self.training.epochs))
        self.step += 1
        entropy, clipped, error, decisions = (float(each) for each in np.asarray(totals))
        points = np.concatenate([worker.points for worker in self._workers])
        kinds = np.concatenate([worker.kinds for worker in self._workers])
        return Progress(
            step=self.step,
            entropy=entropy / decisions,
            clip_fraction=clipped / decisions,
            value_error=error / decisions,
            gap=gap(points, kinds),
            moons=float((np.sort(points)[:, 1] == PASSING.total).mean()),
        )

    def _normalise_advantages(self) -> None:
        """Scale the advantages of a step to a standard deviation of 1."""
        deviation = np.concatenate([worker.advantages for worker in self._workers]).std() + 1e-6
        for worker in self._workers:
            worker.advantages /= deviation

    def _run_epoch(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Update the weights over all decisions once.

        Returns the sums of entropy, clipped decisions and squared error, and the number of
        decisions.
        """
        done = self.step / self.training.steps
        learning_rate = _interpolate(self.training.learning_rate, done)
        entropy_bonus = _interpolate(self.training.entropy_bonus, done)
        orders = [rng.permutation(worker.decisions) for worker in self._workers]
        batches = max(1, min(map(len, orders)) * THREADS // self.training.batch_size)
        splits = [np.array_split(order, batches) for order in orders]
        totals = np.zeros(4)
        for batch in zip(*splits, strict=True):
            for worker, share in zip(self._workers, batch, strict=True):
                worker.batch = share
            self._in_threads(lambda worker: worker.learn(self.player, self.critic, entropy_bonus))
            size = sum(map(len, batch))
            self._update(learning_rate, size)
            totals[:3] += sum(worker.totals for worker in self._workers)
            totals[3] += size
        return totals

    def _in_threads(self, work: Callable[["_Worker"], None]) -> None:
        list(self._pool.map(work, self._workers))

    def _update(self, learning_rate: float, size: int) -> None:
        """Update all weights by Adam, with the mean gradients of `size` decisions."""
        self.updates += 1
        n = len(self.arrays)
        unbias = (1 - _BETA1**self.updates, 1 - _BETA2**self.updates)
        for i, weights in enumerate(self.arrays):
            gradient = sum(worker.gradients[i] for worker in self._workers) / np.float32(size)
            mean, square = self.moments[i], self.moments[n + i]
            mean += (1 - _BETA1) * (gradient - mean)
            square += (1 - _BETA2) * (gradient * gradient - square)
            weights -= learning_rate / unbias[0] * mean / (np.sqrt(square / unbias[1]) + _EPSILON)


class _Worker:
    """The work of one thread: its own hands, samples and gradients."""

    def __init__(self, training: Training, number: int) -> None:
        self.training = training
        hands = training.hands_per_step // THREADS
        self.start = number * hands
        self.samples: Samples = new_samples(hands * MAX_DECISIONS)
        self.decisions = 0
        self.points = np.empty((hands, 4), dtype=np.int64)
        self.kinds = np.empty((hands, 4), dtype=np.int64)
        self.advantages = self.value_targets = np.zeros(0, dtype=np.float32)
        self.scratch = [_new_scratch(training) for _ in ("player", "critic")]
        shapes = np.random.default_rng(0)
        self.player_gradients = _new_weights(shapes, FEATURES, training, OUTPUTS)
        self.critic_gradients = _new_weights(shapes, CRITIC_FEATURES, training, 1)
        self.batch = np.zeros(0, dtype=np.int64)
        self.totals = np.zeros(3)  # entropy, clipped decisions, squared error of the critic

    @property
    def gradients(self) -> tuple[Floats, ...]:
        return (*self.player_gradients, *self.critic_gradients)

    def play(self, seed: np.uint64, player: Weights, critic: Weights) -> None:
        """Play hands, and estimate the advantage of every decision."""
        heuristic_share = np.uint64(round(self.training.heuristic_share * 65536))
        n = self.decisions = play_hands(
            seed, self.start, heuristic_share, rules_word(PASSING), player, critic, *self.scratch,
            self.samples, self.kinds, self.points,
        )  # fmt: skip
        total = self.points.sum(axis=1, keepdims=True)
        returns = (((total - self.points) / 3 - self.points) / POINTS).astype(np.float32)
        self.advantages, self.value_targets = np.empty((2, n), dtype=np.float32)
        gae_lambda = np.float32(self.training.gae_lambda)
        gae(n, self.samples, returns, gae_lambda, self.advantages, self.value_targets)

    def learn(self, player: Weights, critic: Weights, entropy_bonus: float) -> None:
        """Compute the gradients of the decisions in `batch`."""
        self.totals[:] = 0
        for gradient in self.gradients:
            gradient[...] = 0
        batch_gradients(
            self.batch, self.samples, self.advantages, self.value_targets,
            np.float32(self.training.clip), np.float32(entropy_bonus), player, critic,
            self.player_gradients, self.critic_gradients, *self.scratch, self.totals,
        )  # fmt: skip


def gap(points: NDArray[np.int64], kinds: NDArray[np.int64]) -> float:
    """Points per hand, network − heuristic, at the tables that have both; 0 if none has."""
    means = []
    for kind in (NETWORK, HEURISTIC):
        seats = kinds == kind
        means.append((points * seats).sum(axis=1) / np.maximum(seats.sum(axis=1), 1))
    both = (kinds == NETWORK).any(axis=1) & (kinds == HEURISTIC).any(axis=1)
    return float((means[0] - means[1])[both].mean()) if both.any() else 0.0


def _former_repr(training: Training) -> str:
    """The training as older checkpoints describe it."""
    fields = (
        f"{_FORMER_NAMES.get(name, name)}={value!r}" for name, value in vars(training).items()
    )
    return f"Training({', '.join(fields)})"


def _interpolate(ends: tuple[float, float], done: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * done


def _new_scratch(training: Training) -> tuple[NDArray[Any], ...]:
    """Scratch arrays of one network: see hearts.kernels.network.gradients."""
    hidden1, hidden2 = training.hidden1_width, training.hidden2_width
    sizes = (hidden1, hidden2, hidden2, hidden1, MAX_MOVES)
    floats = tuple(np.empty(size, dtype=np.float32) for size in sizes)
    return (*floats, np.empty(MAX_MOVES, dtype=np.int64))


def _new_weights(
    rng: np.random.Generator, features: int, training: Training, outputs: int
) -> Weights:
    """Random weights; the second layer is scaled as by He et al. (2015)."""

    def normal(*shape: int, scale: float) -> Floats:
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    hidden1, hidden2 = training.hidden1_width, training.hidden2_width
    return Weights(
        features=normal(features, hidden1, scale=0.1),
        bias=np.zeros(hidden1, dtype=np.float32),
        hidden=normal(hidden2, hidden1, scale=(2 / hidden1) ** 0.5),
        hidden_bias=np.zeros(hidden2, dtype=np.float32),
        out=normal(outputs, hidden2, scale=0.01),
        out_bias=np.zeros(outputs, dtype=np.float32),
    )
