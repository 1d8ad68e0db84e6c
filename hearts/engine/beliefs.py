"""The interface of opponent models, and their lookup by name."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hearts.engine.clock import Limit
from hearts.game.errors import InvalidConfig
from hearts.views.view import View

GROUP = "hearts.beliefs"  # the entry point group of beliefs
CACHE_SIZE = 64  # beliefs kept loaded: arguments make the number of names unlimited

Probabilities = NDArray[np.float64]  # (52, 4): see Belief.probabilities


@dataclass(frozen=True)
class Worlds:
    """Deals that fit a view, each with its weight."""

    hands: NDArray[np.uint64]  # (n, 4): what each seat holds, the viewer's own hand included
    weights: NDArray[np.float64]  # (n,): finite, not negative, sum 1
    replaced: bool = False  # a cheaper belief sampled them, because time was up
    # (n, 4): the policies by which the seats play on in a rollout (hearts.kernels.policies.choose);
    # without them the network plays for everybody.
    policies: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.hands)

    @property
    def effective(self) -> float:
        """The effective sample size: 1 / Σ weights²."""
        return float(1.0 / np.square(self.weights).sum())


class Belief(Protocol):
    """An opponent model: which deals are likely, given what one seat knows.

    Both methods also accept partial views and views before the pass. docs/contributing.md explains
    how to add a belief; every registered belief must pass `tests/laws/test_beliefs.py`.
    """

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds that fit the view; the same state of `rng` gives the same worlds."""
        ...

    def probabilities(self, view: View) -> Probabilities:
        """The probability that each seat holds each card now (52, 4).

        Rows are cards (`cards.index_of`: suit * 13 + rank, suits in the order C, D, S, H), columns
        are seats. The row of a card

        - in the viewer's hand has 1 in the viewer's column,
        - that is out of play is 0,
        - that is unseen has 0 in the viewer's column and the sum 1; in a partial view, where the
          card may be gone, the sum is at most 1.

        Column s adds up to the number of cards that seat s holds. In a mixture with the public
        belief the viewer's hand is not fixed either.
        """
        ...


@runtime_checkable
class LimitedBelief(Belief, Protocol):
    """A belief that takes milliseconds, and can end its work early."""

    def sample_within(self, limit: Limit, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds; after the limit a cheaper belief samples them, quickly."""
        ...

    def probabilities_within(self, limit: Limit, view: View) -> Probabilities:
        """The probabilities as far as they are known at the limit."""
        ...


@dataclass(frozen=True)
class BeliefReport:
    """What a belief says of a view, for people."""

    probabilities: Probabilities
    # for each seat the probability of each kind of player, by what such players do; empty for the
    # viewer
    types: tuple[Mapping[str, float], ...]


@runtime_checkable
class TypedBelief(Belief, Protocol):
    """A belief that also says how the opponents play."""

    def report_within(self, limit: Limit, view: View) -> BeliefReport:
        """The probabilities of cards and of player types as far as they are known at the limit."""
        ...


def sample_worlds(
    belief: Belief, view: View, n: int, rng: np.random.Generator, limit: Limit
) -> Worlds:
    """Sample `n` worlds until a limit, if the belief can end early."""
    if isinstance(belief, LimitedBelief):
        return belief.sample_within(limit, view, n, rng)
    return belief.sample(view, n, rng)


def belief_names() -> Sequence[str]:
    """The names of all installed beliefs."""
    return sorted(point.name for point in entry_points(group=GROUP))


@lru_cache(CACHE_SIZE)
def load_belief(name: str) -> Belief:
    """Load a belief by its name, such as OM-1 or, with arguments, mixture:0.3:OM-2.

    Arguments are passed as strings; colons or commas separate them.
    """
    kind, *arguments = name.replace(",", ":").split(":")
    for point in entry_points(group=GROUP, name=kind):
        make = point.load()
        try:
            inspect.signature(make).bind(*arguments)
        except TypeError:
            raise InvalidConfig(
                "belief", f"{name!r}: {kind} does not take these arguments"
            ) from None
        belief: Belief = make(*arguments)
        return belief
    raise InvalidConfig("belief", f"{name!r} is not installed; choose {', '.join(belief_names())}")
