"""Counterfactual worlds: centred rewards compare moves, whatever the other hand is worth."""

import numpy as np
import pytest

from hearts.engine.search.counterfactual import centred
from hearts.kernels.core.statistics import COLUMNS, REWARD, VISITS

WORTH = np.array([0.1, 0.0, -0.2, 0.05])


def statistics_of(levels: list[float], tried: list[list[int]], seed: int = 0) -> np.ndarray:
    """Statistics without noise: worlds with these offsets that have tried some moves."""
    statistics = np.zeros((len(levels), len(WORTH), COLUMNS))
    visits = np.random.default_rng(seed).integers(1, 50, statistics.shape[:2]) * np.array(tried)
    statistics[..., VISITS] = visits
    statistics[..., REWARD] = visits * (np.array(levels)[:, None] + WORTH)
    return statistics


def values(statistics: np.ndarray) -> np.ndarray:
    return statistics[..., REWARD] / np.maximum(statistics[..., VISITS], 1)


def test_a_good_hand_does_not_speak_for_its_cards():
    """The second hand is good and has moves 1 and 2, the third is bad and has 0 and 3."""
    tried = [[1, 1, 1, 1], [0, 1, 1, 0], [1, 0, 0, 1]]
    statistics = statistics_of([0.5, 0.9, 0.1], tried)
    found = centred(statistics, np.array([True, False, False]), np.array([0.2, 0.4, 0.4]))
    assert (found[0] == statistics[0]).all()
    for world in (1, 2):
        here = np.array(tried[world], dtype=bool)
        assert values(found)[world, here] == pytest.approx((0.5 + WORTH)[here], abs=1e-3)
    assert (found[..., VISITS] == statistics[..., VISITS]).all()
    others = [column for column in range(COLUMNS) if column != REWARD]
    assert (found[..., others] == statistics[..., others]).all()


def test_without_a_complete_world_moves_are_still_compared():
    tried = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]]
    statistics = statistics_of([0.2, 0.9, 0.4, 0.6], tried)
    found = centred(statistics, np.zeros(4, dtype=bool), np.full(4, 0.25))
    seen = np.array([values(found)[np.array(tried)[:, move] > 0, move] for move in range(4)])
    assert np.ptp(seen, axis=1) == pytest.approx(np.zeros(4), abs=0.01)
    assert seen.mean(axis=1) - seen.mean() == pytest.approx(WORTH - WORTH.mean(), abs=0.01)


def test_a_world_with_one_move_says_nothing():
    statistics = statistics_of([0.5, 0.95], [[1, 1, 1, 1], [0, 0, 1, 0]])
    found = centred(statistics, np.array([True, False]), np.full(2, 0.5))
    assert values(found)[1, 2] == pytest.approx(values(found)[0, 2], abs=1e-3)


def test_a_world_that_the_search_did_not_come_to_stays_empty():
    statistics = statistics_of([0.5, 0.5], [[1, 1, 1, 1], [0, 0, 0, 0]])
    found = centred(statistics, np.array([True, False]), np.full(2, 0.5))
    assert (found == statistics).all()
