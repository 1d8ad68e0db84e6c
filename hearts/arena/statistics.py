"""Bootstrap confidence intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
LEVEL = 0.95
BLOCK = 100  # resamples drawn at once, to bound the memory


@dataclass(frozen=True)
class Interval:
    """A mean with its 95% confidence interval."""

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the width of the interval."""
        return (self.high - self.low) / 2

    @property
    def excludes_zero(self) -> bool:
        """Whether 0 is outside the interval."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ({self.low:+.2f} … {self.high:+.2f})"


def bootstrap(values: Sequence[float], seed: int = 0) -> Interval:
    """The mean of some values with its percentile bootstrap interval."""
    data = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(seed)
    means = [
        data[rng.integers(0, len(data), (BLOCK, len(data)))].mean(axis=1)
        for _ in range(RESAMPLES // BLOCK)
    ]
    return _interval(data.mean(), means)


def bootstrap_ratio(totals: Sequence[float], counts: Sequence[float], seed: int = 0) -> Interval:
    """Σ totals / Σ counts with its interval; each place is a cluster, such as a deal.

    0 / 0, with an empty interval, if nothing was counted.
    """
    data = np.array([totals, counts], dtype=np.float64)
    if not data[1].any():
        return Interval(0.0, 0.0, 0.0)
    data = data[:, data[1] > 0]
    rng, size = np.random.default_rng(seed), data.shape[1]
    means = []
    for _ in range(RESAMPLES // BLOCK):
        drawn, counted = data[:, rng.integers(0, size, (BLOCK, size))].sum(axis=2)
        means.append(drawn / counted)
    total, counted = data.sum(axis=1)
    return _interval(total / counted, means)


def _interval(mean: float, resampled: list[NDArray[np.float64]]) -> Interval:
    """The percentile interval of the means of resamples."""
    low, high = np.quantile(np.concatenate(resampled), ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Interval(float(mean), float(low), float(high))
