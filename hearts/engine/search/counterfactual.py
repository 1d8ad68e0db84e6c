"""Counterfactual worlds: worlds in which the searching seat holds a hand other than its own.

Such a world has statistics only for the moves that both hands have. Its rewards also depend on how
good the other hand is, so they are centred before worlds are averaged. Otherwise the cards of good
hands would look like good moves.
"""

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.state import States
from hearts.engine.search.result import Statistics
from hearts.game.errors import InvalidConfig
from hearts.kernels.core.statistics import REWARD, VISITS

ITERATIONS = 20  # of alternating least squares; it converges in the first few

Moves = NDArray[np.uint64]  # (worlds,): the moves that each world has
Weights = NDArray[np.float64]


def useful(states: States, moves: Moves, weights: Weights) -> tuple[States, Moves, Weights]:
    """Keep the worlds that have a move in common with the real hand."""
    some = moves > 0
    if not (weights[some] > 0).any():
        raise InvalidConfig("belief", "it gave no world in which a card of the hand can be played")
    return states[some], moves[some], weights[some] / weights[some].sum()


def centred(statistics: Statistics, complete: NDArray[np.bool_], weights: Weights) -> Statistics:
    """The statistics with centred rewards in the worlds that lack a move.

    Least squares fit a reward as an offset of the world plus a value of the move; the offsets are
    subtracted. `complete` worlds, which have every move, have no offset. If there are none, rewards
    are centred on their mean.
    """
    visits = statistics[..., VISITS]
    tried = (visits > 0).astype(np.float64)
    means = statistics[..., REWARD] / np.maximum(visits, 1)
    shares = weights[:, None] * tried
    shifts = np.zeros(len(statistics))
    for _ in range(ITERATIONS):
        values = _mean(shares, means + shifts[:, None], axis=0)
        shifts = _mean(tried, values - means, axis=1) * ~complete
    result = statistics.copy()
    result[..., REWARD] += shifts[:, None] * visits
    return result


def _mean(weights: Weights, values: Weights, axis: int) -> Weights:
    return np.asarray((weights * values).sum(axis) / np.maximum(weights.sum(axis), 1e-12))
