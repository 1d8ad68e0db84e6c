"""Bradley–Terry ratings of players over a round-robin of pairs.

i beats j with probability 1 / (1 + 10^((r_j − r_i) / 400)), as on Elo's scale. The side with fewer
points wins a table; a tie counts half. choix fits the model. Intervals are bootstrapped over deals,
because the tables of a deal are not independent.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np
from numpy.typing import NDArray

from hearts.arena.results import DealResult
from hearts.arena.statistics import LEVEL, Interval
from hearts.game.errors import InvalidConfig

Pair = tuple[int, int]  # two players by number, the focus first
Wins = NDArray[np.float64]  # (deals, n, n): tables of a deal that i won against j

SCALE = 400 / log(10)  # from natural logits to Elo points
RESAMPLES = 300
PSEUDO_WINS = 0.5  # added for both players of a pair that met, so that every rating is finite


@dataclass(frozen=True)
class Rating:
    """The rating of a player; the mean of all ratings is 0."""

    player: str
    rating: Interval
    score: float  # share of the tables won


def round_robin(
    players: int, play: Callable[[Pair], Sequence[DealResult]]
) -> dict[Pair, Sequence[DealResult]]:
    """Play every pair, the lower number as focus."""
    return {pair: play(pair) for pair in combinations(range(players), 2)}


def wins_of(players: int, results: Mapping[Pair, Sequence[DealResult]]) -> Wins:
    """The tables won by deal and pair; 0 for deals that a pair did not play."""
    deals = max(map(len, results.values()))
    wins = np.zeros((deals, players, players))
    for (focus, other), played in results.items():
        for place, result in enumerate(played):
            won = sum(table.beats for table in result.tables)
            wins[place, focus, other] = won
            wins[place, other, focus] = len(result.tables) - won
    return wins


def ratings(names: Sequence[str], wins: Wins, seed: int = 0) -> list[Rating]:
    """The ratings, best first, with 95% bootstrap intervals over deals."""
    fitted = bradley_terry(wins.sum(axis=0))
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, len(wins), (RESAMPLES, len(wins)))
    samples = np.array([bradley_terry(wins[draw].sum(axis=0)) for draw in draws])
    low, high = np.quantile(samples, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=0)
    won, played = wins.sum(axis=(0, 2)), (wins + wins.transpose(0, 2, 1)).sum(axis=(0, 2))
    rated = [
        Rating(
            name,
            Interval(float(fitted[i]), float(low[i]), float(high[i])),
            float(won[i] / max(1.0, played[i])),
        )
        for i, name in enumerate(names)
    ]
    return sorted(rated, key=lambda rating: -rating.rating.mean)


def bradley_terry(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratings with mean 0 from `wins[i, j]`, the number of times that i beat j."""
    try:
        from choix import ilsr_pairwise_dense
    except ImportError as error:
        raise InvalidConfig("ladder", "needs `pip install hearts-ai[analysis]`") from error
    met = (wins + wins.T) > 0
    return SCALE * ilsr_pairwise_dense(wins + PSEUDO_WINS * met)
