"""Every aggregation against an oracle in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.aggregation import best_children, scores, votes
from hearts.engine.config import AGGREGATIONS, BEST_CHILDREN, SearchConfig
from hearts.engine.search.result import SearchResult
from hearts.kernels.core.statistics import COLUMNS, REWARD, VISITS

NEVER = -1e9
Cell = tuple[int, float]  # visits and mean reward of a move in a world


def random_table(worlds: int, moves: int, seed: int) -> list[list[Cell]]:
    """Visits and means (worlds, moves); every world has tried some move, ties are common.

    Means are multiples of 1/32, so that sums of rewards are exact and ties remain ties.
    """
    rng = np.random.default_rng(seed)
    visits = rng.integers(0, 6, (worlds, moves)) * rng.integers(1, 100, (worlds, moves))
    visits[np.arange(worlds), rng.integers(moves, size=worlds)] += 1
    means = rng.integers(0, 33, (worlds, moves)) / 32
    pairs = zip(visits.tolist(), means.tolist(), strict=True)
    return [list(zip(*row, strict=True)) for row in pairs]


def random_weights(worlds: int, seed: int) -> list[float]:
    shares = np.random.default_rng(seed).integers(1, 9, worlds)
    return (shares / shares.sum()).tolist()


SEEDS = st.integers(0, 2**32)
TABLES = st.builds(random_table, st.integers(1, 6), st.integers(1, 6), SEEDS)


def result_of(
    table: list[list[Cell]], weights: list[float], *, exact: bool = False
) -> SearchResult:
    statistics = np.zeros((len(table), len(table[0]), COLUMNS))
    for world, row in enumerate(table):
        for move, (visits, mean) in enumerate(row):
            statistics[world, move, [VISITS, REWARD]] = visits, visits * mean
    return SearchResult(
        moves=tuple(1 << move for move in range(len(table[0]))),
        statistics=statistics,
        weights=np.array(weights),
        worlds=len(table),
        voters=len(table),
        simulations=int(statistics[..., VISITS].sum()),
        exact=exact,
    )


def worth(cell: Cell, rule: str, exact: bool) -> float:
    """The value of a move for the choice of a tree's best move."""
    visits, mean = cell
    if rule == "robust" and not exact:
        return visits + 1e-6 * (mean if visits else NEVER)
    if visits == 0:
        return NEVER
    return mean - 0.5 / math.sqrt(visits) if rule == "secure" else mean


def vote_oracle(table: list[list[Cell]], weights: list[float], rule: str) -> list[float]:
    result = [0.0] * len(table[0])
    for row, weight in zip(table, weights, strict=True):
        values = [worth(cell, rule, False) for cell in row]
        result[values.index(max(values))] += weight * len(table)
    return result


def weighted_mean(pairs: list[tuple[float, float]]) -> float:
    """The weighted mean of pairs of value and weight."""
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else NEVER


def score_oracle(
    table: list[list[Cell]], weights: list[float], config: SearchConfig
) -> list[float]:
    result = []
    for move in range(len(table[0])):
        column = [(row[move], weight) for row, weight in zip(table, weights, strict=True)]
        tried = [(mean, weight) for (visits, mean), weight in column if visits]
        mean = weighted_mean(tried)
        if config.aggregation == "vote":
            result.append(vote_oracle(table, weights, config.best_child)[move] + 1e-6 * mean)
        elif config.aggregation == "visits":
            result.append(sum(weight * visits for (visits, _), weight in column))
        elif config.aggregation == "value":
            result.append(weighted_mean([(mean, weight * n) for (n, mean), weight in column]))
        elif config.aggregation == "weighted":
            result.append(mean)
        elif config.aggregation == "mean-variance":
            squares = [((value - mean) ** 2, weight) for value, weight in tried]
            deviation = math.sqrt(max(weighted_mean(squares), 0))
            result.append(mean - config.risk * deviation)
        else:
            result.append(min((value for value, _ in tried), default=NEVER))
    return result


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@settings(max_examples=100)
@given(TABLES, SEEDS, st.sampled_from(BEST_CHILDREN), st.sampled_from([0.0, 0.5, 2.0]))
def test_scores_agree_with_plain_python(aggregation, table, seed, best_child, risk):
    weights = random_weights(len(table), seed)
    config = SearchConfig(aggregation=aggregation, best_child=best_child, risk=risk)
    expected = score_oracle(table, weights, config)
    assert scores(result_of(table, weights), config) == pytest.approx(expected, abs=1e-7)


@given(TABLES, SEEDS, st.sampled_from(BEST_CHILDREN))
def test_votes_agree_with_plain_python_and_sum_to_the_worlds(table, seed, rule):
    weights = random_weights(len(table), seed)
    counted = votes(result_of(table, weights), SearchConfig(best_child=rule))
    assert counted == pytest.approx(vote_oracle(table, weights, rule))
    assert counted.sum() == pytest.approx(len(table))


@given(TABLES, st.sampled_from(BEST_CHILDREN), st.booleans())
def test_a_tree_votes_for_a_move_that_it_tried(table, rule, exact):
    best = best_children(result_of(table, [1 / len(table)] * len(table), exact=exact), rule)
    for row, move in zip(table, best, strict=True):
        values = [worth(cell, rule, exact) for cell in row]
        assert row[move][0] > 0
        assert values[move] == pytest.approx(max(values), abs=1e-9)


@given(TABLES, SEEDS)
def test_a_move_that_nobody_tried_is_never_played(table, seed):
    weights = random_weights(len(table), seed)
    column = [[*row, (0, 0.0)] for row in table]
    for aggregation in AGGREGATIONS:
        config = SearchConfig(aggregation=aggregation)
        result = scores(result_of(column, weights), config)
        assert result.argmax() < len(table[0])


def test_aggregations_differ():
    """One extreme world against two moderate ones: the aggregations disagree."""
    table = [
        [(100, 0.9), (100, 0.1), (10, 0.45)],
        [(10, 0.3), (110, 0.4), (10, 0.45)],
        [(10, 0.3), (110, 0.4), (10, 0.38)],
    ]
    played = {}
    for aggregation in AGGREGATIONS:
        config = SearchConfig(aggregation=aggregation, best_child="robust", risk=2.0)
        result = scores(result_of(table, [1 / 3] * 3), config)
        played[aggregation] = int(result.argmax())
    assert played == {
        "vote": 1,
        "visits": 1,
        "value": 0,
        "weighted": 0,
        "mean-variance": 2,
        "worst-case": 2,
    }
