"""The players of self-play tables: the network that learns, and a population of others.

self               the network that learns
duck, cautious, …  a policy of hearts.engine.bridge.policies
shipped, FILE      a network of hearts/data or of a file, which draws from its probabilities
best:shipped, …    a network that plays its most probable card
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.network import NETWORKS, WEIGHTS, Network, load_network, network_in_data
from hearts.engine.bridge.policies import POLICIES
from hearts.game.cards import SEATS
from hearts.game.errors import InvalidConfig
from hearts.kernels.network.arrays import Layers
from hearts.kernels.network.selfplay import LEARNER
from hearts.kernels.policies.choose import NETWORK, NETWORK_BEST
from hearts.training.hyperparameters import Weighted

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

SELF, BEST = "self", "best:"
# Shares of random cards that ε-greedy players may have, in 1/65536.
RANDOM_CARDS = np.array([0, 3277, 6554, 13107, 19661], dtype=np.uint64)


def network_named(name: str) -> Network:
    """A network of hearts/data, or that of a file."""
    return network_in_data(name) if name in NETWORKS else load_network(Path(name))


def parse_population(text: str) -> Weighted:
    """Read `duck=2,shooter,shipped=0.5`; the weight is 1 where none is given."""
    found = []
    for part in filter(None, text.split(",")):
        name, _, weight = part.partition("=")
        try:
            found.append((name.strip(), float(weight or 1)))
        except ValueError:
            raise InvalidConfig("population", f"{part!r}: write NAME=WEIGHT") from None
    if not found or any(not 0 < weight < float("inf") for _, weight in found):
        raise InvalidConfig("population", f"{text!r}: name players with positive weights")
    return tuple(found)


@dataclass(frozen=True)
class Population:
    """Kinds of players as kernel arguments; kind 0 is the network that learns."""

    names: tuple[str, ...]  # of the kinds
    policies: Ints  # (kinds,)
    networks: Ints  # (kinds,): the number in the stack; 0 is the one that learns
    others: tuple[Network, ...]  # the further networks of the stack
    shares: NDArray[np.float64]  # (kinds,): probability of each kind at a seat of a mixed table

    @classmethod
    def of(cls, weighted: Weighted) -> "Population":
        """The population of names with weights."""
        weights = {SELF: 0.0}
        for name, weight in weighted:
            weights[name] = weights.get(name, 0.0) + weight
        kinds = [_kind(name) for name in weights]
        others = {name: network_named(name) for _, name in kinds if name not in ("", SELF)}
        numbers = {"": 0, SELF: 0} | {name: i for i, name in enumerate(others, 1)}
        shares = np.array(list(weights.values()))
        return cls(
            names=tuple(weights),
            policies=np.array([policy for policy, _ in kinds], dtype=np.int64),
            networks=np.array([numbers[name] for _, name in kinds], dtype=np.int64),
            others=tuple(others.values()),
            shares=shares / max(shares.sum(), 1e-9),
        )

    def seat(self, hands: int, share: float, rng: np.random.Generator) -> Ints:
        """The kinds (hands, 4) of all players: one seat of each table learns, at most tables all.

        At a `share` of the tables the other seats are drawn from the population.
        """
        kinds = rng.choice(len(self.names), (hands, SEATS), p=self.shares)
        kinds[np.arange(hands), rng.integers(SEATS, size=hands)] = LEARNER
        kinds[rng.random(hands) >= share] = LEARNER
        return kinds


def epsilons(hands: int, rng: np.random.Generator) -> Words:
    """The shares of random cards (hands, 4) of ε-greedy players."""
    return rng.choice(RANDOM_CARDS, (hands, SEATS))


def stacked(networks: Sequence[Network]) -> Layers:
    """Networks in one stack; narrower ones get units that do nothing."""
    wide = {name: _padded([getattr(each, name) for each in networks]) for name in WEIGHTS}
    # `deltas` are for incremental updates, which self-play does not use.
    return Layers(deltas=np.zeros((len(networks), 0, 0), dtype=np.float32), **wide)


def _padded(arrays: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    shape = tuple(max(sizes) for sizes in zip(*(array.shape for array in arrays), strict=True))
    stack = np.zeros((len(arrays), *shape), dtype=np.float32)
    for padded, array in zip(stack, arrays, strict=True):
        padded[tuple(slice(size) for size in array.shape)] = array
    return stack


def _kind(name: str) -> tuple[int, str]:
    """The number of a policy, and the name of its network if it is one."""
    if name in POLICIES:
        return POLICIES[name].code, ""
    if name.startswith(BEST):
        return NETWORK_BEST, name.removeprefix(BEST)
    return NETWORK, name
