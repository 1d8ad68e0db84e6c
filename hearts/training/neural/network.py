"""Player and critic in PyTorch: a sparse first layer and two dense ones.

The network of hearts.kernels.network.inference in floats: weights are trained here, rounded to
integers (`quantised`) and played there.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from hearts.engine.bridge.network import WEIGHTS, Network, quantised
from hearts.kernels.network.arrays import Samples
from hearts.kernels.network.batches import count_active, gather_bags, gather_moves, transpose_bags
from hearts.kernels.network.inference import UNIT

MAX_MOVES = 13
NEVER = -1e9  # the logit of a missing move
Indices = NDArray[np.int64]


class Bags(NamedTuple):
    """A sparse matrix and its transpose: see hearts.kernels.network.batches."""

    indices: Tensor
    offsets: Tensor
    transposed: Tensor
    starts: Tensor


class Moves(NamedTuple):
    """The moves of a batch, in rows of 13: see `gather_moves`."""

    outputs: Tensor
    missing: Tensor
    targets: Tensor


class _SumOfRows(torch.autograd.Function):
    """An EmbeddingBag (sum) whose gradient is the EmbeddingBag of the transposed bags.

    PyTorch's own backward pass takes eight times as long.
    """

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bags: Bags) -> Tensor:
        ctx.bags = bags
        return _bag_sums(bags.indices, weight, bags.offsets)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return _bag_sums(ctx.bags.transposed, gradient.contiguous(), ctx.bags.starts), None


def _bag_sums(indices: Tensor, weight: Tensor, offsets: Tensor) -> Tensor:
    return functional.embedding_bag(indices, weight, offsets, mode="sum", include_last_offset=True)


class SparseNetwork(nn.Module):
    """Sums of feature rows, two hidden layers, and linear outputs."""

    def __init__(self, features: int, outputs: int, widths: tuple[int, int], seed: int) -> None:
        super().__init__()
        hidden1, hidden2 = widths
        self.features = nn.EmbeddingBag(features, hidden1, mode="sum")
        self.bias = nn.Parameter(torch.zeros(hidden1))
        self.hidden = nn.Linear(hidden1, hidden2)
        self.out = nn.Linear(hidden2, outputs)
        self._initialise(torch.Generator().manual_seed(seed))

    def _initialise(self, generator: torch.Generator) -> None:
        """Random weights; the second layer is scaled as by He et al. (2015)."""
        scales = {self.features: 0.1, self.hidden: (2 / len(self.bias)) ** 0.5, self.out: 0.01}
        for layer, scale in scales.items():
            nn.init.normal_(layer.weight, std=scale, generator=generator)
        for layer in (self.hidden, self.out):
            nn.init.zeros_(layer.bias)

    def forward(self, bags: Bags) -> Tensor:
        """The outputs (n, outputs)."""
        first = _SumOfRows.apply(self.features.weight, bags)
        hidden1 = functional.relu(first + self.bias)
        return self.out(functional.relu(self.hidden(hidden1)))

    def weights(self) -> dict[str, Tensor]:
        """The weights by the names of `Network`."""
        layers = {"features": self.features.weight, "bias": self.bias}
        for name in ("hidden", "out"):
            layer = getattr(self, name)
            layers |= {name: layer.weight, f"{name}_bias": layer.bias}
        return layers

    def network(self, provenance: dict[str, Any]) -> Network:
        """The network, rounded to integers."""
        weights = {name: each.detach().numpy() for name, each in self.weights().items()}
        return quantised(weights, provenance)

    def load_network(self, network: Network) -> None:
        """Take the weights of a network of the same widths."""
        with torch.no_grad():
            for name, weight in self.weights().items():
                scale = UNIT ** WEIGHTS[name][1]
                weight.copy_(torch.from_numpy(getattr(network, name) / np.float32(scale)))


def bags_of(batch: Indices, features: NDArray[np.int16], sizes: NDArray[np.int16], n: int) -> Bags:
    """The active features of some samples, out of `n` features."""
    total = count_active(batch, sizes)
    indices, transposed = np.empty((2, total), dtype=np.int32)
    offsets, starts = np.empty(len(batch) + 1, np.int32), np.empty(n + 1, np.int32)
    gather_bags(batch, features, sizes, indices, offsets)
    transpose_bags(indices, offsets, transposed, starts)
    return Bags(*map(torch.from_numpy, (indices, offsets, transposed, starts)))


def moves_of(batch: Indices, samples: Samples) -> Moves:
    """The moves of some samples, and what was chosen."""
    shape = (len(batch), MAX_MOVES)
    outputs, missing = np.empty(shape, np.int64), np.empty(shape, np.bool_)
    targets = np.empty(shape, np.float32)
    gather_moves(
        batch, samples.moves, samples.head, samples.chosen, outputs, missing, targets
    )  # fmt: skip
    return Moves(*map(torch.from_numpy, (outputs, missing, targets)))


def log_policy(outputs: Tensor, moves: Moves) -> Tensor:
    """The logarithm of the probability of each move (n, 13)."""
    logits = outputs.gather(1, moves.outputs).masked_fill(moves.missing, NEVER)
    return functional.log_softmax(logits, dim=1)
