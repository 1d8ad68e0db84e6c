"""The tuples of arrays that network kernels take: weights for play, samples of decisions.

features (features, hidden1)   bias (hidden1,)          first layer: a row for each feature
hidden (hidden2, hidden1)      hidden_bias (hidden2,)   second layer
out (outputs, hidden2)         out_bias (outputs,)      logits of cards

A stack of networks has one more axis in front.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.network.features import MAX_ACTIVE

Floats = NDArray[np.float32]


class Layers(NamedTuple):
    """A network for play, quantised to integers: see hearts.kernels.network.inference."""

    features: Floats
    # (features, hidden1): the change of the first layer when a count of LENGTH or UNSEEN falls by
    # one, or when a card moves from MINE to PLAYED
    deltas: Floats
    bias: Floats
    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats


class Samples(NamedTuple):
    """Decisions in the order of play; axis 0 is the decision."""

    features: NDArray[np.int16]  # (n, MAX_ACTIVE): active features of the player
    critic_features: NDArray[np.int16]  # (n, MAX_ACTIVE): active features of the critic
    sizes: NDArray[np.int16]  # (n, 2): the number of active features, player and critic
    moves: NDArray[np.uint64]  # the set of cards to choose from
    head: NDArray[np.int16]  # the first output: 0 to play, PASS_HEAD to pass
    chosen: NDArray[np.uint64]  # the card as a word; several cards that were chosen in any order
    log_policy: Floats  # log π(chosen) at the time of the choice
    value: Floats  # the critic's estimate at that time
    seat: NDArray[np.int16]
    hand: NDArray[np.int32]

    def part(self, chosen: slice) -> "Samples":
        """Some of the samples, not copied."""
        return Samples(*(array[chosen] for array in self))  # type: ignore[arg-type]  # same types


def new_samples(n: int) -> Samples:
    """Uninitialised samples of `n` decisions."""
    return Samples(
        features=np.empty((n, MAX_ACTIVE), dtype=np.int16),
        critic_features=np.empty((n, MAX_ACTIVE), dtype=np.int16),
        sizes=np.empty((n, 2), dtype=np.int16),
        moves=np.empty(n, dtype=np.uint64),
        head=np.empty(n, dtype=np.int16),
        chosen=np.empty(n, dtype=np.uint64),
        log_policy=np.empty(n, dtype=np.float32),
        value=np.empty(n, dtype=np.float32),
        seat=np.empty(n, dtype=np.int16),
        hand=np.empty(n, dtype=np.int32),
    )
