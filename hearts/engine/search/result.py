"""The result of a search, and its progress observer."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hearts.game.cards import CardSet

Statistics = NDArray[np.float64]  # (worlds, moves, 8): columns in hearts.kernels.core.statistics


@dataclass(frozen=True)
class SearchResult:
    """The statistics of every move of a view."""

    moves: tuple[CardSet, ...]  # each a set of cards that are equal in play, from the lowest
    statistics: Statistics
    weights: NDArray[np.float64]  # (worlds,), sum 1
    worlds: int  # number of sampled worlds
    voters: int  # worlds with their own tree, duplicates counted; 1 for a single tree
    simulations: int
    exact: bool  # solved, not sampled
    # rollouts: what is added to the mean reward of each move (moves,): the weighted log policy of
    # the network and `auxiliary_value`.
    bonus: NDArray[np.float64] | None = None
    # rollouts: the advantage of each move in the auxiliary tree, in rewards (moves,).
    auxiliary_value: NDArray[np.float64] | None = None


class Watch:
    """Observes the progress of a search that runs in another thread."""

    def __init__(self) -> None:
        self._snapshot: Callable[[], SearchResult] | None = None

    def begin(self, snapshot: Callable[[], SearchResult]) -> None:
        """Register the function that returns the result so far; called by the search."""
        self._snapshot = snapshot

    def result(self) -> SearchResult | None:
        """The result so far; None before the search has begun."""
        return None if self._snapshot is None else self._snapshot()
