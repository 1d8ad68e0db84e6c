"""Ratings over a round-robin: every two players meet 2 against 2, Bradley–Terry makes one scale.

The model says that i beats j with chance 1 / (1 + 10^((r_j − r_i) / 400)), so that ratings read
like Elo's; a table counts as won by the side with fewer points, a tie as half. choix fits it; the
intervals come from the bootstrap over deals, because the tables of a deal are not independent.
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

SCALE = 400 / log(10)  # from natural log odds to Elo's points
RESAMPLES = 300
PRIOR = 0.5  # wins added both ways to a pair that met: who won every table has a finite rating


@dataclass(frozen=True)
class Rating:
    """A player's place on the scale; the mean of all ratings is 0."""

    player: str
    rating: Interval
    score: float  # share of the tables won


def round_robin(
    players: int, play: Callable[[Pair], Sequence[DealResult]]
) -> dict[Pair, Sequence[DealResult]]:
    """The results of every pair, the lower number as focus."""
    return {pair: play(pair) for pair in combinations(range(players), 2)}


def wins_of(players: int, results: Mapping[Pair, Sequence[DealResult]]) -> Wins:
    """The tables won by deal and pair; where deals stopped early, what was not played is 0."""
    deals = max(len(found) for found in results.values())
    wins = np.zeros((deals, players, players))
    for (focus, other), found in results.items():
        for place, result in enumerate(found):
            won = sum(table.beats for table in result.tables)
            wins[place, focus, other] = won
            wins[place, other, focus] = len(result.tables) - won
    return wins


def ratings(names: Sequence[str], wins: Wins, seed: int = 0) -> list[Rating]:
    """The ladder, best first, with 95% intervals over deals."""
    fitted = bradley_terry(wins.sum(axis=0))
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, len(wins), (RESAMPLES, len(wins)))
    samples = np.array([bradley_terry(wins[draw].sum(axis=0)) for draw in draws])
    low, high = np.quantile(samples, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=0)
    won, played = wins.sum(axis=(0, 2)), (wins + wins.transpose(0, 2, 1)).sum(axis=(0, 2))
    found = [
        Rating(
            name,
            Interval(float(fitted[i]), float(low[i]), float(high[i])),
            float(won[i] / max(1.0, played[i])),
        )
        for i, name in enumerate(names)
    ]
    return sorted(found, key=lambda rating: -rating.rating.mean)


def bradley_terry(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratings of n players from `wins[i, j]`, how often i beat j; their mean is 0."""
    try:
        from choix import ilsr_pairwise_dense
    except ImportError as error:
        raise InvalidConfig("ladder", "needs `pip install hearts-ai[analysis]`") from error
    met = (wins + wins.T) > 0
    return SCALE * ilsr_pairwise_dense(wins + PRIOR * met)
