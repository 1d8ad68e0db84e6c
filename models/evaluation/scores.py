"""Scores of one belief over many views, with bootstrap intervals.

The cards of one hand are not independent, so intervals come from resampling whole hands (bootstrap:
Efron, 1979).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from hearts.engine.beliefs import Belief
from hearts.game.cards import RANKS
from models.evaluation.labelled import Floats, LabelledView
from models.evaluation.metrics import effective_worlds, log_losses, log_ratio

SCORED_TRICKS = range(2, 12)  # the tricks over which log-loss is averaged, counted from 1
DECILES = 10
RESAMPLES = 1000  # of the bootstrap
SAMPLED = 100  # worlds, for the effective sample size


class HandTotals:
    """The scores of one hand, summed."""

    def __init__(self) -> None:
        # by trick: log-losses and squared errors of hidden cards, and their number
        self.losses = np.zeros((3, RANKS + 1))
        # by decile of the stated probability: stated and true probabilities, and their number
        self.deciles = np.zeros((3, DECILES))


class ViewMetrics(NamedTuple):
    """Metrics of a belief in one view."""

    log_ratio: float
    effective: float  # worlds
    ms: float  # CPU time of `probabilities`


@dataclass
class Scores:
    """The scores of one belief."""

    hands: dict[int, HandTotals] = field(default_factory=lambda: defaultdict(HandTotals))
    views: dict[int, list[ViewMetrics]] = field(  # by trick
        default_factory=lambda: defaultdict(list)
    )

    def add(self, labelled: LabelledView, probabilities: Floats) -> None:
        """Add the probabilities (52, 4) that a belief states in one view."""
        totals = self.hands[labelled.number]
        stated, true = labelled.stated(probabilities), labelled.true
        losses, squares = log_losses(probabilities, labelled), np.square(stated - true)
        totals.losses[:, labelled.trick] += losses.sum(), squares.sum(), len(losses)
        if labelled.trick in SCORED_TRICKS:
            possible = labelled.possible
            decile = np.minimum((stated[possible] * DECILES).astype(int), DECILES - 1)
            for line, values in zip(totals.deciles, (stated, true, possible), strict=True):
                line += np.bincount(decile, values[possible], DECILES)

    @property
    def is_scored(self) -> bool:
        """Whether any of the scored tricks was reached."""
        return any(hand.losses[-1, SCORED_TRICKS].any() for hand in self.hands.values())

    @property
    def by_trick(self) -> dict[int, float]:
        """The mean log-loss of a hidden card in each trick, in nats."""
        losses, _, cards = self._losses.sum(axis=0)
        return {int(t): float(losses[t] / cards[t]) for t in np.flatnonzero(cards)}

    @property
    def log_loss(self) -> float:
        """The mean log-loss over the scored tricks, in nats."""
        losses = [loss for trick, loss in self.by_trick.items() if trick in SCORED_TRICKS]
        return float(np.mean(losses))

    @cached_property
    def resampled(self) -> Floats:
        """The log-loss of each bootstrap resample (RESAMPLES,)."""
        draws = _resamples(len(self.hands))
        losses, _, cards = np.tensordot(draws, self._losses, 1).swapaxes(0, 1)
        scored = slice(SCORED_TRICKS.start, SCORED_TRICKS.stop)
        losses, cards = losses[:, scored], cards[:, scored]
        found: Floats = np.nanmean(losses / np.where(cards > 0, cards, np.nan), axis=1)
        return found

    @property
    def calibration(self) -> list[dict[str, float]]:
        """Stated and true probabilities by decile of the stated ones.

        `error` is the standard error of the difference.
        """
        hands = np.array([hand.deciles for hand in self.hands.values()])
        resampled = np.tensordot(_resamples(len(hands)), hands, 1)
        deciles = np.flatnonzero(hands[:, 2].sum(axis=0))
        return [
            _calibration(int(decile), hands[:, :, decile].sum(axis=0), resampled[:, :, decile])
            for decile in deciles
        ]

    def as_object(self) -> dict[str, Any]:
        """The scores as JSON."""
        scored = self._losses[:, :, SCORED_TRICKS.start : SCORED_TRICKS.stop]
        _, squares, cards = scored.sum(axis=(0, 2))
        return {
            "log_loss": self.log_loss,
            "log_loss_interval": interval(self.resampled),
            "by_trick": {str(trick): loss for trick, loss in self.by_trick.items()},
            "brier": float(squares / cards),
            "calibration": self.calibration,
            **_mean_metrics([view for views in self.views.values() for view in views]),
            "tricks": self._tricks(),
        }

    def _tricks(self) -> list[dict[str, Any]]:
        """The scores of each trick."""
        _, squares, cards = self._losses.sum(axis=0)
        return [
            {"trick": trick, "log_loss": loss, "brier": float(squares[trick] / cards[trick])}
            | _mean_metrics(self.views[trick])
            for trick, loss in self.by_trick.items()
        ]

    @property
    def _losses(self) -> Floats:
        """By hand: total losses, total squares and cards, by trick (hands, 3, 14)."""
        return np.array([hand.losses for hand in self.hands.values()])


def score_view(
    belief: Belief, labelled: LabelledView, scores: Scores, rng: np.random.Generator
) -> None:
    """Add one view to the scores of a belief."""
    begun = process_time()
    probabilities = belief.probabilities(labelled.view)
    ms = 1000 * (process_time() - begun)
    scores.add(labelled, probabilities)
    ratio = log_ratio(belief, labelled, probabilities, rng)
    effective = effective_worlds(belief.sample(labelled.view, SAMPLED, rng))
    scores.views[labelled.trick].append(ViewMetrics(ratio, effective, ms))


def interval(resampled: Floats) -> list[float]:
    """The 95% percentile interval of a bootstrap."""
    low, high = np.percentile(resampled, [2.5, 97.5])
    return [float(low), float(high)]


def _calibration(decile: int, totals: Floats, resampled: Floats) -> dict[str, float]:
    """One decile of a calibration curve, from totals (3,) and resampled totals (RESAMPLES, 3)."""
    stated, true, number = totals
    drawn = resampled[resampled[:, 2] > 0]
    return {
        "from": decile / DECILES,
        "to": (decile + 1) / DECILES,
        "stated": float(stated / number),
        "true": float(true / number),
        "number": int(number),
        "error": float(np.std((drawn[:, 1] - drawn[:, 0]) / drawn[:, 2])),
    }


def _mean_metrics(views: Sequence[ViewMetrics]) -> dict[str, Any]:
    """TSSR, effective worlds and CPU time, averaged over some views."""
    ratios, effective, ms = np.array(views).T
    return {
        "tssr": {"mean": float(np.exp(ratios).mean()), "median_log": float(np.median(ratios))},
        "effective_worlds": float(effective.mean()),
        "ms_per_view": float(ms.mean()),
    }


@cache
def _resamples(hands: int) -> Floats:
    """How often each resample draws each hand (RESAMPLES, hands), the same for every belief."""
    uniform = np.full(hands, 1 / hands)
    return np.random.default_rng(0).multinomial(hands, uniform, RESAMPLES).astype(np.float64)
