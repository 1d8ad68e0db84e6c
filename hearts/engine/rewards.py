"""What seats play for, in the form that kernels read."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hearts.game.rules import JACK_POINTS, NO_TRICK_POINTS, MoonScoring, Rules
from hearts.kernels.core.reward import DIFFERENCE, DIFFERENCE_ZERO, MARGINS, MATCH, POINTS, RELATIVE

KINDS = {"points": POINTS, "relative": RELATIVE, "difference": DIFFERENCE, "match": MATCH}

# From the recorded hands (tests/data): a hand moves two seats apart by 12.6 points (standard
# deviation), and a match to 100 of such hands lasts 9.6, so the highest score grows by 10.4 a hand.
SPREAD_PER_HAND = 12.6
ADVANCE_PER_HAND = 10.4


@dataclass(frozen=True)
class RewardScale:
    """The arguments of hearts.kernels.core.reward."""

    kind: int
    scale: NDArray[np.float64]  # the total of the deal, 1 / (total − the lowest score there is)
    scores: NDArray[np.int64]  # match scores before this hand
    target: int
    ahead: NDArray[np.float64]  # (MARGINS, columns): chance to finish ahead


def reward_scale(reward: str, rules: Rules, match_scores: tuple[int, ...]) -> RewardScale:
    """The scale for one of KINDS."""
    total = rules.total
    span = max(1, total - lowest_score(rules))
    return RewardScale(
        KINDS[reward],
        np.array([total, 1 / span], dtype=np.float64),
        np.array(match_scores, dtype=np.int64),
        rules.target_score,
        chances_ahead(),
    )


def lowest_score(rules: Rules) -> int:
    """The lowest score that a hand can bring."""
    jack = JACK_POINTS if rules.jack_bonus else 0
    moon = -rules.total if rules.moon is MoonScoring.SHOOTER_SUBTRACTS else 0
    return min(moon, NO_TRICK_POINTS if rules.no_trick_bonus else 0) + jack


@cache
def chances_ahead() -> NDArray[np.float64]:
    """`ahead[m, d]`: the chance to finish ahead of a seat with d − DIFFERENCE_ZERO points more.

    m is how far the highest score is from the target. What is to come is a random walk of as many
    hands as it takes to get there; at m = 0 the match is over, and equal scores share the place.
    """
    leads = np.arange(-DIFFERENCE_ZERO, DIFFERENCE_ZERO + 1)
    table = np.empty((MARGINS, len(leads)))
    table[0] = (np.sign(leads) + 1) / 2
    for margin in range(1, MARGINS):
        spread = SPREAD_PER_HAND * math.sqrt(max(1.0, margin / ADVANCE_PER_HAND))
        table[margin] = [(1 + math.erf(lead / spread / math.sqrt(2))) / 2 for lead in leads]
    return table
