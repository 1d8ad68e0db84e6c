"""The rewards that a search maximises, as kernel arguments."""

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from hearts.engine.winning import levels, shipped_model
from hearts.game.cards import SEATS
from hearts.game.rules import Rules, lowest_score
from hearts.kernels.core.reward import (
    DIFFERENCE,
    DIFFERENCE_ZERO,
    MARGINS,
    MATCH,
    POINTS,
    RELATIVE,
    value_results,
)
from hearts.kernels.core.winning import MatchTables

KINDS = {"points": POINTS, "relative": RELATIVE, "difference": DIFFERENCE, "match": MATCH}

# From the recorded hands in tests/data: the difference between two seats changes by 12.6 points a
# hand (standard deviation); a match to 100 lasts 9.6 hands, so the highest score grows by 10.4.
SPREAD_PER_HAND = 12.6
ADVANCE_PER_HAND = 10.4


@dataclass(frozen=True)
class RewardScale:
    """The arguments of the functions in hearts.kernels.core.reward."""

    kind: int
    scale: NDArray[np.float64]  # total of the deal, 1 / (total − lowest possible score)
    scores: NDArray[np.int64]  # match scores before this hand
    target: int
    tables: MatchTables

    @property
    def arguments(self) -> tuple[int, NDArray[np.float64], NDArray[np.int64], int, MatchTables]:
        """The reward arguments of the kernels."""
        return self.kind, self.scale, self.scores, self.target, self.tables

    @property
    def spread(self) -> NDArray[np.float64]:
        """The standard deviation of each seat's reward among hands, in that of the difference.

        Options that are added to rewards or compared with them were chosen for the difference.
        """
        if self.kind != MATCH:
            return np.ones(SEATS)
        return _match_spread(tuple(self.scale.tolist()), tuple(self.scores.tolist()), self.target)


def reward_scale(reward: str, rules: Rules, match_scores: tuple[int, ...]) -> RewardScale:
    """The arguments for one of KINDS under some rules."""
    total = rules.total
    span = max(1, total - lowest_score(rules))
    return RewardScale(
        KINDS[reward],
        np.array([total, 1 / span], dtype=np.float64),
        np.array(match_scores, dtype=np.int64),
        rules.target_score,
        match_tables(rules.target_score, match_scores),
    )


def match_tables(target: int, scores: tuple[int, ...]) -> MatchTables:
    """What the rest of a match to some target is worth."""
    return MatchTables(ahead_probabilities(), levels(target, scores), shipped_model().wins)


@lru_cache(maxsize=64)  # of the hands that are played at a time
def _match_spread(
    scale: tuple[float, ...], scores: tuple[int, ...], target: int
) -> NDArray[np.float64]:
    results, probabilities = shipped_model().results
    values, deviations = np.empty(results.shape), []
    for kind in (MATCH, DIFFERENCE):
        arguments = np.array(scale), np.array(scores), target, match_tables(target, scores)
        value_results(results, kind, *arguments, values)
        deviations.append(np.sqrt(probabilities @ np.square(values - probabilities @ values)))
    return np.asarray(deviations[0] / deviations[1])


@cache
def ahead_probabilities() -> NDArray[np.float64]:
    """`ahead[m, d]`: probability of finishing ahead of a seat with d − DIFFERENCE_ZERO points more.

    m is the distance from the highest score to the target score. The rest of the match is modelled
    as a random walk; at m = 0 the match is over, and equal scores share the place.
    """
    leads = np.arange(-DIFFERENCE_ZERO, DIFFERENCE_ZERO + 1)
    table = np.empty((MARGINS, len(leads)))
    table[0] = (np.sign(leads) + 1) / 2
    for margin in range(1, MARGINS):
        spread = SPREAD_PER_HAND * math.sqrt(max(1.0, margin / ADVANCE_PER_HAND))
        table[margin] = [(1 + math.erf(lead / spread / math.sqrt(2))) / 2 for lead in leads]
    return table
