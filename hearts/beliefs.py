"""What a search asks of an opponent model, and how one is found by its name."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hearts.errors import InvalidConfig
from hearts.view import View

GROUP = "hearts.beliefs"  # the entry points under which packages offer their beliefs


@dataclass(frozen=True)
class Worlds:
    """Deals that fit a view, each with its weight."""

    hands: NDArray[np.uint64]  # (n, 4): what each seat holds, the viewer's own hand included
    weights: NDArray[np.float64]  # (n,): finite, not negative, sum 1

    def __len__(self) -> int:
        return len(self.hands)

    @property
    def effective(self) -> float:
        """The number of equally weighted worlds that would say as much."""
        return float(1.0 / np.square(self.weights).sum())


class Belief(Protocol):
    """An opponent model: which deals are likely, given what one seat knows."""

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """`n` worlds that fit the view."""
        ...


def belief_names() -> Sequence[str]:
    """The names of all installed beliefs."""
    return sorted(point.name for point in entry_points(group=GROUP))


@cache
def load_belief(name: str) -> Belief:
    """The belief that is installed under a name, such as OM-1."""
    for point in entry_points(group=GROUP, name=name):
        belief: Belief = point.load()()
        return belief
    raise InvalidConfig("belief", f"{name!r} is not installed; choose {', '.join(belief_names())}")
