"""What a search finds, how it is watched, and how it is stopped."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hearts.game.cards import CardSet

Stop = NDArray[np.uint8]  # (1,): set it to 1, and a search returns what it has
Figures = NDArray[np.float64]  # (worlds, moves, 8): see hearts.kernels.core.statistics


@dataclass(frozen=True)
class Findings:
    """What a search found out about the moves of a view."""

    moves: tuple[CardSet, ...]  # each a set of cards that are equal in play, from the lowest
    figures: Figures
    weights: NDArray[np.float64]  # (worlds,), sum 1
    worlds: int  # worlds that were sampled
    voters: int  # worlds with a tree of their own, equal ones counted; 1 for a single tree
    simulations: int
    exact: bool  # solved, not sampled
    # What speaks for the moves of a race beside its rollouts, in rewards (moves,).
    bonus: NDArray[np.float64] | None = None
    # Of that, how much better than their mean a tree over the same worlds finds them.
    advice: NDArray[np.float64] | None = None


class Watch:
    """A look over the shoulder of a search that runs in another thread."""

    def __init__(self) -> None:
        self._look: Callable[[], Findings] | None = None

    def begin(self, look: Callable[[], Findings]) -> None:
        """Take from a search how its findings so far can be had."""
        self._look = look

    def findings(self) -> Findings | None:
        """What the search has found so far; None before it has begun."""
        return None if self._look is None else self._look()


def no_stop() -> Stop:
    """A stop flag that nobody sets."""
    return np.zeros(1, dtype=np.uint8)
