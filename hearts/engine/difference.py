"""The cost of one move compared with another, with the standard error of the difference.

Both moves are compared world by world, which makes the error much smaller than that of two
independent means. A single tree has no statistics per world, so there the variances of the two
means add up.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hearts.engine.search.result import SearchResult
from hearts.kernels.core.statistics import POINTS, SQUARES, VISITS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """How many points more one move costs than another."""

    points: float
    error: float | None  # standard error, 0 for an exact difference; None: unknown
    worlds: int = 0  # worlds in which both were tried; 0 without statistics per world
    cheaper: int = 0  # of these, the worlds in which the other move costs less

    @property
    def is_certain(self) -> bool:
        """Whether the difference is larger than two standard errors."""
        return self.error is not None and abs(self.points) > 2 * self.error


EQUAL = Difference(0.0, 0.0)  # for moves that are equal in play


def difference(result: SearchResult, one: int, other: int) -> Difference | None:
    """How much more move `one` of a search costs than `other`; None if one was never tried."""
    if one == other:
        return EQUAL
    statistics = result.statistics[:, [one, other]]
    tried = statistics[..., VISITS] > 0
    if not tried.any(axis=0).all():
        return None
    both = tried.all(axis=1)
    if both.any():
        return _paired(result, statistics[both], result.weights[both])
    # Too few simulations to try both moves in any world: the error is unknown.
    means = _means(statistics.sum(axis=0))
    return Difference(float(means[0] - means[1]), None)


def from_batches(gaps: Floats) -> Difference:
    """The difference from the gaps between the means of batches of equal size."""
    error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps)) if len(gaps) > 1 else None
    return Difference(float(gaps.mean()), error)


def _paired(result: SearchResult, statistics: Floats, weights: Floats) -> Difference:
    """The difference from the statistics (worlds, 2, 8) of worlds in which both were tried."""
    searched, shares = len(result.weights), weights / weights.sum()
    means = _means(statistics)
    gaps = means[:, 0] - means[:, 1]
    mean = float(shares @ gaps)
    # Equal worlds are merged, but were sampled independently.
    sampled = max(2.0, result.worlds * float(weights.sum()))
    variance = float(shares @ (gaps - mean) ** 2) / (sampled - 1)
    if not result.exact and (searched == 1 or searched < result.worlds):
        # The variance between merged worlds does not include the variance within each.
        variance += float(np.square(shares) @ _variances(statistics).sum(axis=1))
    counted = round(sampled) if searched > 1 else 0
    return Difference(
        points=mean,
        error=math.sqrt(variance) if math.isfinite(variance) else None,
        worlds=counted,
        cheaper=round(counted * float(shares @ (gaps > 0))),
    )


def _means(statistics: Floats) -> Floats:
    """The mean points of moves that were tried."""
    return np.asarray(statistics[..., POINTS] / statistics[..., VISITS])


def _variances(statistics: Floats) -> Floats:
    """The variances of these means; infinite for a move that was tried only once."""
    visits = statistics[..., VISITS]
    spread = np.maximum(statistics[..., SQUARES] / visits - _means(statistics) ** 2, 0)
    return np.where(visits > 1, spread / np.maximum(visits - 1, 1), np.inf)
