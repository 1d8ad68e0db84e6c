"""Rules that stop a tournament early, by the differences of the deals played so far.

The sequential probability ratio test (SPRT; Wald 1945) decides between two hypotheses about the
mean difference with given error probabilities, after as few deals as possible. It is generalised,
as in fishtest: deals are approximately normal, and their variance is estimated under each
hypothesis. With n deals of mean m and variance v, the log-likelihood ratio of H1 to H0 is
n/2 · ln((v + (m − high)²) / (v + (m − low)²)).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, log
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hearts.arena.statistics import bootstrap
from hearts.game.errors import InvalidConfig

LEAST_VARIANCE = 1e-9  # of differences, so that the ratio is finite if all deals are equal
UNDECIDED = "undecided"


class StopRule(Protocol):
    """Says when a tournament has been played long enough."""

    def stops(self, differences: Sequence[float]) -> bool:
        """Whether to stop after deals with these differences."""


@dataclass(frozen=True)
class Precision(StopRule):
    """Stop once the 95% interval is narrow enough."""

    half_width: float  # points per hand

    def __post_init__(self) -> None:
        if not self.half_width > 0:
            raise InvalidConfig("until", f"{self.half_width} is out of range: must be more than 0")

    def stops(self, differences: Sequence[float]) -> bool:
        """Whether the interval is ±`half_width` or narrower."""
        return bootstrap(differences).half_width <= self.half_width


@dataclass(frozen=True)
class Sprt(StopRule):
    """Stop once H1 (difference ≤ `low`: the focus is better) or H0 (difference ≥ `high`) holds."""

    low: float  # points per hand
    high: float
    alpha: float = 0.05  # probability to accept H1 if H0 is true
    beta: float = 0.05  # probability to accept H0 if H1 is true

    def __post_init__(self) -> None:
        if not (isfinite(self.low) and isfinite(self.high) and self.low < self.high):
            reason = f"{self.low} {self.high}: the first number must be less than the second"
            raise InvalidConfig("sprt", reason)
        for option in ("alpha", "beta"):
            if not 0 < getattr(self, option) < 0.5:
                reason = f"{getattr(self, option)} is out of range: must be from 0 to 0.5"
                raise InvalidConfig(option, reason)

    @property
    def bounds(self) -> tuple[float, float]:
        """Accept H0 if the log-likelihood ratio is at most the first, H1 if at least the second."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def stops(self, differences: Sequence[float]) -> bool:
        """Whether one of the hypotheses is accepted."""
        return self.result(differences).decision != UNDECIDED

    def result(self, differences: Sequence[float]) -> "SprtResult":
        """The test of deals with these differences."""
        llr = float(self.llr(len(differences), np.mean(differences), np.var(differences)))
        lower, upper = self.bounds
        decision = "H1" if llr >= upper else "H0" if llr <= lower else UNDECIDED
        return SprtResult(self, len(differences), llr, decision)

    def llr(self, n: int, mean: ArrayLike, variance: ArrayLike) -> NDArray[np.float64]:
        """The log-likelihood ratio of H1 to H0 for n deals; elementwise for arrays."""
        v = np.maximum(variance, LEAST_VARIANCE)
        from_high, from_low = (np.subtract(mean, each) ** 2 for each in (self.high, self.low))
        return np.asarray(n / 2 * np.log((v + from_high) / (v + from_low)))


@dataclass(frozen=True)
class SprtResult:
    """A sequential test of the deals played so far."""

    test: Sprt
    deals: int
    llr: float  # log-likelihood ratio of H1 to H0
    decision: str  # the accepted hypothesis, H0 or H1, or UNDECIDED

    @property
    def verdict(self) -> str:
        """The decision as text."""
        texts = {
            "H1": f"accepted H1 (difference ≤ {self.test.low:g})",
            "H0": f"accepted H0 (difference ≥ {self.test.high:g})",
        }
        return f"{texts.get(self.decision, self.decision)} after {self.deals} deals"

    def as_object(self) -> dict[str, Any]:
        """The result as JSON."""
        values = {"bounds": list(self.test.bounds), "llr": self.llr, "decision": self.decision}
        return asdict(self.test) | values

    def __str__(self) -> str:
        lower, upper = self.test.bounds
        return f"LLR {self.llr:+.2f} ({lower:+.2f} … {upper:+.2f})"
