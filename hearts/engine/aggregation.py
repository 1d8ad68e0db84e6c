"""Aggregation: from the statistics of many worlds to one score per move."""

import numpy as np
from numpy.typing import NDArray

from hearts.engine.config import SearchConfig
from hearts.engine.search.result import SearchResult
from hearts.kernels.core.statistics import REWARD, VISITS

Scores = NDArray[np.float64]  # (moves,)

_UNTRIED = -1e9  # the score of a move that was tried in no world


def scores(result: SearchResult, config: SearchConfig) -> Scores:
    """The score of each move: the config's aggregation plus the bonus; the highest is played."""
    aggregated = _aggregated(result, config)
    return aggregated if result.bonus is None else aggregated + result.bonus


def _aggregated(result: SearchResult, config: SearchConfig) -> Scores:
    """The score of every move by the config's aggregation."""
    means, visits, weights = world_means(result), result.statistics[..., VISITS], result.weights
    tried = visits > 0
    if config.aggregation == "vote":
        # Ties are common with few worlds; the mean reward breaks them.
        return votes(result, config) + 1e-6 * _weighted_mean(means, weights, tried)
    if config.aggregation == "visits":
        return np.asarray(weights @ visits)
    if config.aggregation == "value":
        return _ratio(weights @ result.statistics[..., REWARD], weights @ visits)
    if config.aggregation == "weighted":
        return _weighted_mean(means, weights, tried)
    if config.aggregation == "mean-variance":
        mean = _weighted_mean(means, weights, tried)
        variance = _weighted_mean(np.square(means - mean), weights, tried)
        return mean - config.risk * np.sqrt(np.maximum(variance, 0))
    return np.where(tried.any(axis=0), np.where(tried, means, np.inf).min(axis=0), _UNTRIED)


def votes(result: SearchResult, config: SearchConfig) -> Scores:
    """The weight of the worlds that prefer each move, scaled to the number of worlds.

    A world without a simulation has no vote. After racing, only worlds in which every move was
    tried have a vote, if there are any.
    """
    best, tried = best_children(result, config.best_child), result.statistics[..., VISITS] > 0
    searched, complete = tried.any(axis=1), tried.all(axis=1)
    is_raced = result.bonus is not None
    weights = result.weights * (complete if is_raced and complete.any() else searched)
    weight = np.bincount(best, weights=weights, minlength=len(result.moves))
    total = weights if is_raced else result.weights
    return np.asarray(weight * result.voters / max(float(total.sum()), 1e-9))


def best_children(result: SearchResult, rule: str) -> NDArray[np.int64]:
    """The move that each world prefers (worlds,)."""
    visits, means = result.statistics[..., VISITS], world_means(result)
    value = np.where(visits > 0, means, _UNTRIED)
    # After racing, visits only show how late a move was eliminated.
    if rule == "robust" and not result.exact and result.bonus is None:
        value = visits + 1e-6 * value
    elif rule == "secure":
        # A reward lies in [0, 1], so its standard deviation is at most 0.5.
        value = value - 0.5 / np.sqrt(np.maximum(visits, 1))
    return np.asarray(value.argmax(axis=1))


def world_means(result: SearchResult) -> NDArray[np.float64]:
    """The mean reward (worlds, moves), 0 where a move was not tried."""
    statistics = result.statistics
    return statistics[..., REWARD] / np.maximum(statistics[..., VISITS], 1)


def _weighted_mean(
    values: NDArray[np.float64], weights: NDArray[np.float64], tried: NDArray[np.bool_]
) -> Scores:
    shares = weights[:, None] * tried
    return _ratio((shares * values).sum(axis=0), shares.sum(axis=0))


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> Scores:
    positive = denominator > 0
    return np.where(positive, numerator / np.where(positive, denominator, 1), _UNTRIED)
