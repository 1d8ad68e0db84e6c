"""Imitation: the policy network learns the recorded decisions of other players."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from hearts.engine.bridge.network import Network
from hearts.game.records import Record
from hearts.kernels.network.arrays import Samples
from hearts.kernels.network.features import FEATURES
from hearts.kernels.network.inference import OUTPUTS, PASS_HEAD
from hearts.training.decisions import Decisions, decisions_of
from hearts.training.hyperparameters import Imitation
from hearts.training.neural.network import (
    Indices,
    Moves,
    SparseNetwork,
    bags_of,
    log_policy,
    moves_of,
)

EVALUATED = 8192  # decisions that are evaluated at once
PLAYS, PASSES = "plays", "passes"
TEMPERATURES = [2 ** (i / 4) for i in range(21)]  # 1 to 32


@dataclass(frozen=True)
class Fit:
    """How well a network predicts some decisions."""

    decisions: int
    log_loss: float  # negative log-likelihood, nats per decision
    top1: float  # share of decisions whose most probable move was chosen

    def __str__(self) -> str:
        return f"{self.log_loss:.3f} nats, {self.top1:.1%}"


class Imitator:
    """A network that learns from decisions."""

    def __init__(self, imitation: Imitation, start: Network | None = None) -> None:
        torch.set_num_threads(1)
        self.imitation = imitation
        widths = imitation.hidden1_width, imitation.hidden2_width
        if start is not None:
            widths = len(start.bias), len(start.hidden_bias)
        self.player = SparseNetwork(FEATURES, OUTPUTS, widths, imitation.seed)
        if start is not None:
            self.player.load_network(start)

    def network(self, **provenance: Any) -> Network:
        """The network, rounded to integers."""
        return self.player.network(provenance | {"imitation": asdict(self.imitation)})

    def updates(self, decisions: int) -> int:
        """The number of updates that `learn` makes."""
        return self.imitation.epochs * max(1, decisions // self.imitation.batch_size)

    def learn(self, samples: Samples, chosen: Indices) -> Iterator[float]:
        """Learn the `chosen` samples; yield the loss of each update, nats per decision."""
        orders = [self._order(chosen, epoch) for epoch in range(self.imitation.epochs)]
        optimizer = torch.optim.AdamW(
            self.player.parameters(), fused=True, weight_decay=self.imitation.weight_decay
        )
        batches = [batch for order in orders for batch in self._batches(order)]
        first, last = self.imitation.learning_rate
        for number, batch in enumerate(batches):
            for group in optimizer.param_groups:
                group["lr"] = first + (last - first) * number / len(batches)
            optimizer.zero_grad()
            loss = -self._log_likelihood(samples, batch)[0].mean()
            loss.backward()
            optimizer.step()
            yield float(loss.detach())

    def temper(self, samples: Samples, chosen: Indices) -> dict[str, float]:
        """Divide the logits by the temperatures that fit best; return them.

        A network that was trained to win is much more certain than players are alike.
        """
        found = {}
        passing = samples.head[chosen] > 0
        for name, head, own in ((PLAYS, 0, ~passing), (PASSES, PASS_HEAD, passing)):
            if own.any():
                outputs = slice(head, head + PASS_HEAD)
                found[name] = self._temperature(samples, chosen[own][:EVALUATED])
                with torch.no_grad():
                    self.player.out.weight[outputs] /= found[name]
                    self.player.out.bias[outputs] /= found[name]
        return found

    def _temperature(self, samples: Samples, batch: Indices) -> float:
        with torch.no_grad():
            _, logits, moves = self._log_likelihood(samples, batch)
            losses = [
                -(functional.log_softmax(logits / each, dim=1) * moves.targets).sum()
                for each in TEMPERATURES
            ]
        return TEMPERATURES[int(torch.stack(losses).argmin())]

    def _order(self, chosen: Indices, epoch: int) -> Indices:
        return np.random.default_rng([self.imitation.seed, epoch]).permutation(chosen)

    def _batches(self, order: Indices) -> list[Indices]:
        return np.array_split(order, max(1, len(order) // self.imitation.batch_size))

    def evaluate(
        self, samples: Samples, chosen: Indices
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Negative log-likelihoods of the `chosen` samples, and whether each was most probable."""
        losses, hits = [], []
        with torch.no_grad():
            for batch in np.array_split(chosen, max(1, len(chosen) // EVALUATED)):
                gained, log_probabilities, moves = self._log_likelihood(samples, batch)
                losses.append(-gained.numpy())
                best = log_probabilities.argmax(dim=1, keepdim=True)
                hits.append((moves.targets.gather(1, best) > 0)[:, 0].numpy())
        return np.concatenate(losses), np.concatenate(hits)

    def _log_likelihood(
        self, samples: Samples, batch: Indices
    ) -> tuple[torch.Tensor, torch.Tensor, Moves]:
        """Log-likelihood of what was chosen, of all moves, and the moves."""
        moves = moves_of(batch, samples)
        bags = bags_of(batch, samples.features, samples.sizes[:, 0], FEATURES)
        log_probabilities = log_policy(self.player(bags), moves)
        return (log_probabilities * moves.targets).sum(1), log_probabilities, moves


def fits_by_group(imitator: Imitator, decisions: Decisions, chosen: Indices) -> dict[str, Fit]:
    """The fit of all plays and passes, and of the plays of each player."""
    losses, hits = imitator.evaluate(decisions.samples, chosen)
    passing = decisions.samples.head[chosen] > 0
    players = decisions.players[chosen]
    groups = {PLAYS: ~passing, PASSES: passing}
    groups |= {str(name): ~passing & (players == name) for name in np.unique(players)}
    return {
        name: Fit(int(own.sum()), float(losses[own].mean()), float(hits[own].mean()))
        for name, own in groups.items()
        if own.any()
    }


class Lesson:
    """A network learns from records; held-out deals say how well it predicts, at each stage."""

    def __init__(
        self,
        records: Sequence[Record],
        imitation: Imitation,
        start: Network | None = None,
        players: Collection[str] = (),
    ) -> None:
        self.imitator = Imitator(imitation, start)
        # To learn from, some seats forget their pass; in the judgement all know it.
        self.decisions = decisions_of(records, imitation, imitation.forgetful)
        self.learned = self.decisions.chosen(players)
        self._judged = decisions_of(records, imitation, forgetful=0.0)
        self._held_out = self._judged.chosen(players, held_out=True)
        self.temperatures: dict[str, float] = {}
        self.fits: dict[str, dict[str, Fit]] = {}  # by stage and group of decisions

    @property
    def updates(self) -> int:
        """The number of updates that `run` makes."""
        return self.imitator.updates(len(self.learned))

    def run(self) -> Iterator[float]:
        """Learn; yield the loss of each update."""
        self._evaluate("before")
        self.temperatures = self.imitator.temper(self.decisions.samples, self.learned)
        self._evaluate("tempered")
        yield from self.imitator.learn(self.decisions.samples, self.learned)
        self._evaluate("after")

    def network(self, **provenance: Any) -> Network:
        """The network, with what it learned."""
        fits = {group: asdict(fit) for group, fit in self.fits["after"].items()}
        return self.imitator.network(**provenance, temperatures=self.temperatures, held_out=fits)

    def _evaluate(self, stage: str) -> None:
        self.fits[stage] = fits_by_group(self.imitator, self._judged, self._held_out)
