"""The statistics of each legal card, computed from a search result."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearts.engine.search.result import SearchResult
from hearts.game.cards import Card, members, name
from hearts.kernels.core import statistics as column

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MoveStatistics:
    """The search statistics of one legal card; cards that are equal in play share them."""

    card: Card
    votes: float  # number of worlds that prefer it, weighted
    visits: int  # simulations that began with it
    points: float  # mean points of this hand
    points_error: float  # standard error of that mean
    queen: float  # probability of taking Q♠
    moon: float  # probability of shooting the moon
    moon_against: float  # probability that another seat shoots the moon
    match_value: float  # 1: certain to win the match, 0: certain to be last
    auxiliary_value: float  # advantage over the mean move in the auxiliary tree, in rewards
    score: float  # result of the aggregation; the highest is played

    def as_object(self) -> dict[str, Any]:
        """The statistics as JSON, rounded; null for a card that no simulation has tried."""
        means = {
            "points": self.points,
            "points_error": self.points_error,
            "queen": self.queen,
            "moon": self.moon,
            "moon_against": self.moon_against,
            "match_value": self.match_value,
            "advice": self.auxiliary_value,  # the name of the HTTP API
            "score": self.score,
        }
        rounded = {key: round(value, 4) if self.visits else None for key, value in means.items()}
        counts = {"votes": round(self.votes, 4), "visits": self.visits}
        return {"card": name(self.card), **counts, **rounded}


def move_statistics(
    result: SearchResult, votes: Floats, scores: Floats
) -> tuple[MoveStatistics, ...]:
    """The statistics of every legal card, best first; `votes` and `scores` are by move."""
    means, errors = _means(result), _point_errors(result)
    visits = result.statistics[..., column.VISITS].sum(axis=0)
    auxiliary = result.auxiliary_value
    found = [
        MoveStatistics(
            card=card,
            votes=float(votes[move]),
            visits=int(visits[move]),
            points=float(means[move, column.POINTS]),
            points_error=float(errors[move]),
            queen=float(means[move, column.QUEEN]),
            moon=float(means[move, column.MOON]),
            moon_against=float(means[move, column.AGAINST]),
            match_value=float(means[move, column.MATCH]),
            auxiliary_value=0.0 if auxiliary is None else float(auxiliary[move]),
            score=float(scores[move]),
        )
        for move, cards in enumerate(result.moves)
        for card in members(cards)
    ]
    return tuple(sorted(found, key=lambda each: (-each.score, each.card)))


def _means(result: SearchResult) -> Floats:
    """The means of all columns over simulations (moves, 8), worlds weighted."""
    totals = np.tensordot(result.weights, result.statistics, axes=1) * len(result.weights)
    return np.asarray(totals / np.maximum(totals[:, column.VISITS, None], 1e-12))


def _point_errors(result: SearchResult) -> Floats:
    """The standard error of each move's mean points: between worlds, or within a single one."""
    statistics, weights = result.statistics, result.weights
    visits = statistics[..., column.VISITS]
    means = statistics[..., column.POINTS] / np.maximum(visits, 1)
    if len(weights) == 1:
        squares = statistics[0, :, column.SQUARES] / np.maximum(visits[0], 1)
        variance = np.maximum(squares - means[0] ** 2, 0)
        return np.asarray(np.sqrt(variance / np.maximum(visits[0], 1)))
    shares = weights[:, None] * (visits > 0)
    total = np.maximum(shares.sum(axis=0), 1e-12)
    mean = (shares * means).sum(axis=0) / total
    return np.asarray(np.sqrt((shares**2 * (means - mean) ** 2).sum(axis=0)) / total)
