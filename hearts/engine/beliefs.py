"""What a search asks of an opponent model, and how one is found by its name."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hearts.game.errors import InvalidConfig
from hearts.views.view import View

GROUP = "hearts.beliefs"  # the entry points under which packages offer their beliefs
LOADED = 64  # beliefs that are kept: names with arguments are without number

Probabilities = NDArray[np.float64]  # (52, 4): see Belief.probabilities


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

    def probabilities(self, view: View) -> Probabilities:
        """For every card the probability that each seat holds it now (52, 4).

        Row `suit * 13 + rank` (`cards.index_of`, suits in the order C, D, S, H) belongs to a
        card, column s to seat s. A card in the viewer's hand has 1 in the viewer's column; a card
        out of play a row of zeros; an unseen card nothing in the viewer's column, and a row of sum
        1, or less in a partial view, where it may be gone. Column s adds up to the cards that seat
        s holds. (In a mixture with what the others think the viewer's hand is not fixed either.)
        """
        ...


def belief_names() -> Sequence[str]:
    """The names of all installed beliefs."""
    return sorted(point.name for point in entry_points(group=GROUP))


@lru_cache(LOADED)
def load_belief(name: str) -> Belief:
    """The belief of a name such as OM-1, or of a name with arguments such as mixture:0.3:OM-2.

    Arguments are texts, separated by colons or commas.
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
