"""From the figures of many worlds to one score per move; the highest is played."""

import numpy as np
from numpy.typing import NDArray

from hearts.engine.config import SearchConfig
from hearts.engine.search.result import Findings
from hearts.kernels.core.statistics import REWARD, VISITS

Scores = NDArray[np.float64]  # (moves,)

_NEVER = -1e9  # the score of a move that no world has tried


def scores(findings: Findings, config: SearchConfig) -> Scores:
    """The score of every move: the config's aggregation, and what spoke for it before."""
    found = _aggregated(findings, config)
    return found if findings.bonus is None else found + findings.bonus


def _aggregated(findings: Findings, config: SearchConfig) -> Scores:
    """The score of every move by the config's aggregation."""
    means, visits, weights = world_means(findings), findings.figures[..., VISITS], findings.weights
    tried = visits > 0
    if config.aggregation == "vote":
        # Equal votes are common with few worlds; the mean decides among them.
        return votes(findings, config) + 1e-6 * _weighted_mean(means, weights, tried)
    if config.aggregation == "visits":
        return np.asarray(weights @ visits)
    if config.aggregation == "value":
        return _ratio(weights @ findings.figures[..., REWARD], weights @ visits)
    if config.aggregation == "weighted":
        return _weighted_mean(means, weights, tried)
    if config.aggregation == "mean-variance":
        mean = _weighted_mean(means, weights, tried)
        variance = _weighted_mean(np.square(means - mean), weights, tried)
        return mean - config.risk * np.sqrt(np.maximum(variance, 0))
    return np.where(tried.any(axis=0), np.where(tried, means, np.inf).min(axis=0), _NEVER)


def votes(findings: Findings, config: SearchConfig) -> Scores:
    """The weight of the worlds whose own best move it is, as a number of worlds.

    A world that the search did not come to has no vote. In a race, worlds that some moves no longer
    met are thought to be like those that met all of them.
    """
    best, tried = best_children(findings, config.best_child), findings.figures[..., VISITS] > 0
    met, whole = tried.any(axis=1), tried.all(axis=1)
    weights = findings.weights * (whole if findings.bonus is not None and whole.any() else met)
    weight = np.bincount(best, weights=weights, minlength=len(findings.moves))
    all_weight = findings.weights if findings.bonus is None else weights
    return np.asarray(weight * findings.voters / max(float(all_weight.sum()), 1e-9))


def best_children(findings: Findings, rule: str) -> NDArray[np.int64]:
    """The move that each world's own tree would play."""
    visits, means = findings.figures[..., VISITS], world_means(findings)
    value = np.where(visits > 0, means, _NEVER)
    # Visits of a race only say how long a move was in it.
    if rule == "robust" and not findings.exact and findings.bonus is None:
        value = visits + 1e-6 * value
    elif rule == "secure":
        # A reward lies in [0, 1], so half is the largest standard deviation that it can have.
        value = value - 0.5 / np.sqrt(np.maximum(visits, 1))
    return np.asarray(value.argmax(axis=1))


def world_means(findings: Findings) -> NDArray[np.float64]:
    """The mean reward (worlds, moves), 0 where a move was not tried."""
    figures = findings.figures
    return figures[..., REWARD] / np.maximum(figures[..., VISITS], 1)


def _weighted_mean(
    values: NDArray[np.float64], weights: NDArray[np.float64], tried: NDArray[np.bool_]
) -> Scores:
    shares = weights[:, None] * tried
    return _ratio((shares * values).sum(axis=0), shares.sum(axis=0))


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> Scores:
    return np.where(below > 0, above / np.where(below > 0, below, 1), _NEVER)
