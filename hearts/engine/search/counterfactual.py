"""Worlds in which the seat that searches holds another hand than its own.

Such a world speaks for the moves that both hands have. What it says about one of them must be held
against what it says about the others: how good that other hand is as a whole is of no interest, and
would speak for whatever cards good hands have.
"""

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.state import States
from hearts.game.errors import InvalidConfig
from hearts.kernels.core.statistics import REWARD, VISITS

ROUNDS = 20  # of taking levels and moves in turn; the first few do nearly all

Figures = NDArray[np.float64]  # (worlds, moves, 8): see hearts.kernels.core.statistics
Moves = NDArray[np.uint64]  # (worlds,): the moves that each world has
Weights = NDArray[np.float64]


def useful(states: States, moves: Moves, weights: Weights) -> tuple[States, Moves, Weights]:
    """The worlds that have a move in common with the hand that is really held."""
    some = moves > 0
    if not (weights[some] > 0).any():
        raise InvalidConfig("belief", "it gave no world in which a card of the hand can be played")
    return states[some], moves[some], weights[some] / weights[some].sum()


def levelled(figures: Figures, complete: NDArray[np.bool_], weights: Weights) -> Figures:
    """The figures with the rewards of worlds that lack a move shifted to the level of the others.

    A reward is taken to be the level of a world plus the worth of a move, both by least squares.
    Worlds that are `complete` stay as they are; where none is, levels count from their mean.
    """
    visits = figures[..., VISITS]
    tried = (visits > 0).astype(np.float64)
    means = figures[..., REWARD] / np.maximum(visits, 1)
    shares = weights[:, None] * tried
    shifts = np.zeros(len(figures))
    for _ in range(ROUNDS):
        worth = _mean(shares, means + shifts[:, None], axis=0)
        shifts = _mean(tried, worth - means, axis=1) * ~complete
    result = figures.copy()
    result[..., REWARD] += shifts[:, None] * visits
    return result


def _mean(weights: Weights, values: Weights, axis: int) -> Weights:
    return np.asarray((weights * values).sum(axis) / np.maximum(weights.sum(axis), 1e-12))
