"""What one move costs more than another, with the standard error of the difference.

Both moves are looked at in the same worlds, and most of what a world is worth is the same for both:
the error of a difference world by world is far below that of the two means added up. A single tree
over all worlds has no figures of each: there the errors of its two means do add up.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hearts.engine.search.result import Findings
from hearts.kernels.core.statistics import POINTS, SQUARES, VISITS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """How many points more one move costs than another."""

    points: float
    error: float | None  # standard error, 0 where nothing is left to chance; None: unknown
    worlds: int = 0  # worlds in which both were tried; 0 where no world has figures of its own
    cheaper: int = 0  # of these, the worlds in which the other move costs less

    @property
    def is_certain(self) -> bool:
        """Whether it is more than chance: above two standard errors."""
        return self.error is not None and abs(self.points) > 2 * self.error


EQUAL = Difference(0.0, 0.0)  # of moves that are equal in play


def difference(findings: Findings, one: int, other: int) -> Difference | None:
    """How much more move `one` of a search costs than `other`; None where one was never tried."""
    if one == other:
        return EQUAL
    figures = findings.figures[:, [one, other]]
    tried = figures[..., VISITS] > 0
    if not tried.any(axis=0).all():
        return None
    both = tried.all(axis=1)
    if both.any():
        return _in_the_same_worlds(findings, figures[both], findings.weights[both])
    # So few simulations that each world tried one of them: no error can be told.
    means = _means(figures.sum(axis=0))
    return Difference(float(means[0] - means[1]), None)


def from_batches(gaps: Floats) -> Difference:
    """The difference from batches of the same size, the gap between the means of each given."""
    error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps)) if len(gaps) > 1 else None
    return Difference(float(gaps.mean()), error)


def _in_the_same_worlds(findings: Findings, figures: Floats, weights: Floats) -> Difference:
    """From the figures (worlds, 2, 8) of worlds in which both moves were tried."""
    rows, shares = len(findings.weights), weights / weights.sum()
    means = _means(figures)
    gaps = means[:, 0] - means[:, 1]
    mean = float(shares @ gaps)
    # Equal worlds share a row, but were drawn one by one.
    drawn = max(2.0, findings.worlds * float(weights.sum()))
    variance = float(shares @ (gaps - mean) ** 2) / (drawn - 1)
    if not findings.exact and (rows == 1 or rows < findings.worlds):
        # What chance did within a row does not show between rows that stand for many worlds.
        variance += float(np.square(shares) @ _variances(figures).sum(axis=1))
    counted = round(drawn) if rows > 1 else 0
    return Difference(
        points=mean,
        error=math.sqrt(variance) if math.isfinite(variance) else None,
        worlds=counted,
        cheaper=round(counted * float(shares @ (gaps > 0))),
    )


def _means(figures: Floats) -> Floats:
    """The mean points of moves that were tried."""
    return np.asarray(figures[..., POINTS] / figures[..., VISITS])


def _variances(figures: Floats) -> Floats:
    """The variances of these means, infinite where a move was tried only once."""
    visits = figures[..., VISITS]
    spread = np.maximum(figures[..., SQUARES] / visits - _means(figures) ** 2, 0)
    return np.where(visits > 1, spread / np.maximum(visits - 1, 1), np.inf)
