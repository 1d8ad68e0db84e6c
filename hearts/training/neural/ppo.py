"""Self-play PPO with a centralised critic: training of the policy network.

Proximal policy optimization (Schulman et al. 2017) with generalised advantage estimation (Schulman
et al. 2016) and Adam (Kingma & Ba 2015). The critic sees all four hands; only the player is kept.
Kernels play the hands, with the player rounded to integers as it will be in play.

All random numbers are functions of the seed and the step, so an interrupted training ends with the
same weights on the same machine. One thread updates the player, another one the critic.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import torch

from hearts.engine.bridge.network import Network
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PASSING
from hearts.kernels.network.critic import CRITIC_FEATURES
from hearts.kernels.network.features import FEATURES
from hearts.kernels.network.inference import OUTPUTS
from hearts.training.hyperparameters import Training
from hearts.training.neural.network import (
    Bags,
    Indices,
    SparseNetwork,
    bags_of,
    log_policy,
    moves_of,
)
from hearts.training.selfplay import SelfPlay

VALUED = 8192  # decisions that the critic values at once

# The loss of a batch, and up to two sums over its decisions to report.
Loss = Callable[[Indices], tuple[torch.Tensor, list[float]]]


@dataclass(frozen=True)
class Progress:
    """Results of one step."""

    step: int
    entropy: float  # of the policy, nats per decision
    clip_fraction: float  # share of decisions whose ratio was clipped
    value_error: float  # mean squared error of the critic
    gap: float  # points per hand, network − others, at the tables that have both
    moons: float  # share of hands with a moon


class Trainer:
    """Player and critic, their optimizers, and the number of steps done."""

    def __init__(self, training: Training, start: Network | None = None) -> None:
        torch.set_num_threads(1)  # two threads, one for each network, are faster than two for each
        self.training = training
        widths = training.hidden1_width, training.hidden2_width
        self.player = SparseNetwork(FEATURES, OUTPUTS, widths, training.seed)
        self.critic = SparseNetwork(CRITIC_FEATURES, 1, widths, training.seed + 1)
        if start is not None:
            self.player.load_network(start)
        self.player_optimizer, self.critic_optimizer = (
            torch.optim.Adam(network.parameters(), eps=1e-7, fused=True)
            for network in (self.player, self.critic)
        )
        self.play = SelfPlay(training)
        self.step = 0
        self._pool = ThreadPoolExecutor(2)

    def run(self) -> Iterator[Progress]:
        """Train until the last step."""
        while self.step < self.training.steps:
            yield self._run_step()

    def network(self, **provenance: Any) -> Network:
        """The player, rounded to integers."""
        return self.player.network(provenance | {"training": asdict(self.training)})

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        states = {name: each.state_dict() for name, each in self._stored().items()}
        temporary = path.with_suffix(".new")
        torch.save({"step": self.step, "training": repr(self.training), **states}, temporary)
        temporary.replace(path)

    def load(self, path: Path) -> None:
        """Continue from a checkpoint."""
        try:
            kept = torch.load(path, weights_only=True)
            described = kept["training"]
        except (OSError, EOFError, ValueError, RuntimeError, LookupError, UnpicklingError) as error:
            raise InvalidConfig("checkpoint", f"{path}: cannot be read: {error}") from error
        if described != repr(self.training):
            raise InvalidConfig("checkpoint", f"{path} belongs to another training")
        self.step = kept["step"]
        for name, each in self._stored().items():
            each.load_state_dict(kept[name])

    def _stored(self) -> dict[str, Any]:
        """What a checkpoint has of its own state."""
        names = "player", "critic", "player_optimizer", "critic_optimizer"
        return {name: getattr(self, name) for name in names}

    def _run_step(self) -> Progress:
        """Play hands, estimate advantages, and update the weights for some epochs."""
        rng = np.random.default_rng([self.training.seed, self.step])
        self.play.play(self.player.network({}), rng)
        self._write_values()
        self.play.estimate_advantages()
        orders = [rng.permutation(self.play.decisions) for _ in range(self.training.epochs)]
        (entropy, clipped), (value_error,) = self._pool.map(
            lambda update: update(orders), (self._update_player, self._update_critic)
        )
        self.step += 1
        return Progress(
            step=self.step,
            entropy=entropy,
            clip_fraction=clipped,
            value_error=value_error,
            gap=self.play.gap(),
            moons=float((np.sort(self.play.points)[:, 1] == PASSING.total).mean()),
        )

    def _write_values(self) -> None:
        """Write the critic's value of every decision to the samples."""
        decisions = self.play.decisions
        chunks = np.array_split(decisions, max(1, len(decisions) // VALUED))
        list(self._pool.map(self._value, chunks))

    def _value(self, batch: Indices) -> None:
        with torch.no_grad():
            self.play.samples.value[batch] = self.critic(self._critic_input(batch))[:, 0].numpy()

    def _update_player(self, orders: list[Indices]) -> list[float]:
        """Update the player; return the mean entropy and the share of clipped decisions."""
        frozen = self.step < self.training.critic_steps
        bonus = _interpolate(self.training.entropy_bonus, self._done)
        return self._update(
            self.player_optimizer, lambda batch: self._player_loss(batch, bonus), orders, frozen
        )

    def _update_critic(self, orders: list[Indices]) -> list[float]:
        """Update the critic; return its mean squared error."""
        return self._update(self.critic_optimizer, self._critic_loss, orders)

    def _update(
        self,
        optimizer: torch.optim.Optimizer,
        loss: Loss,
        orders: list[Indices],
        frozen: bool = False,
    ) -> list[float]:
        """Update the weights of a network over all decisions, once for each order.

        Returns the means of the sums that `loss` reports.
        """
        for group in optimizer.param_groups:
            group["lr"] = 0.0 if frozen else _interpolate(self.training.learning_rate, self._done)
        reported = []
        for order in orders:
            batches = max(1, len(order) // self.training.batch_size)
            for batch in np.array_split(order, batches):
                optimizer.zero_grad()
                value, totals = loss(batch)
                value.backward()
                optimizer.step()
                reported.append([*totals, len(batch)])
        *totals, n = np.sum(reported, axis=0).tolist()
        return [each / n for each in totals]

    def _player_loss(
        self, batch: Indices, entropy_bonus: float
    ) -> tuple[torch.Tensor, list[float]]:
        """The clipped loss of PPO with an entropy bonus."""
        samples, clip = self.play.samples, self.training.clip
        moves = moves_of(batch, samples)
        outputs = self.player(bags_of(batch, samples.features, samples.sizes[:, 0], FEATURES))
        log_probabilities = log_policy(outputs, moves)
        entropy = -(log_probabilities.exp() * log_probabilities).sum(1)
        before = torch.from_numpy(samples.log_policy[batch])
        ratio = ((log_probabilities * moves.targets).sum(1) - before).exp()
        advantages = torch.from_numpy(self.play.advantages[batch])
        clipped = ratio.clamp(1 - clip, 1 + clip) * advantages
        gain = torch.minimum(ratio * advantages, clipped)
        loss = -(gain + entropy_bonus * entropy).mean()
        # The gradient is 0 where the clipped gain is the smaller one.
        stopped = clipped.detach() < (ratio * advantages).detach()
        return loss, [float(entropy.detach().sum()), float(stopped.sum())]

    def _critic_loss(self, batch: Indices) -> tuple[torch.Tensor, list[float]]:
        """Half the squared error."""
        targets = torch.from_numpy(self.play.value_targets[batch])
        error = self.critic(self._critic_input(batch))[:, 0] - targets
        squared = error.square()
        return 0.5 * squared.mean(), [float(squared.detach().sum())]

    def _critic_input(self, batch: Indices) -> Bags:
        samples = self.play.samples
        return bags_of(batch, samples.critic_features, samples.sizes[:, 1], CRITIC_FEATURES)

    @property
    def _done(self) -> float:
        """The share of the steps that is done."""
        return self.step / self.training.steps


def _interpolate(ends: tuple[float, float], done: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * done
