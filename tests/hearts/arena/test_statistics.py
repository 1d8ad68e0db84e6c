"""Bootstrap intervals against the normal approximation and known data."""

import math
import statistics

import numpy as np
import pytest

from hearts.arena.statistics import Interval, bootstrap


def test_the_bootstrap_agrees_with_the_normal_approximation():
    values = np.random.default_rng(1).normal(-2.0, 5.0, 400).tolist()
    found = bootstrap(values)
    error = statistics.stdev(values) / math.sqrt(len(values))
    assert found.mean == pytest.approx(statistics.fmean(values))
    assert found.low == pytest.approx(found.mean - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(found.mean + 1.96 * error, abs=0.1 * error)


def test_the_bootstrap_of_two_values_is_known():
    # Resamples of (0, 1) have means 0, ½, 1 with probabilities ¼, ½, ¼.
    assert bootstrap([0.0, 1.0]) == Interval(0.5, 0.0, 1.0)
    assert bootstrap([3.0] * 7) == Interval(3.0, 3.0, 3.0)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(3)
    found = [bootstrap(rng.exponential(1.0, 80)) for _ in range(200)]
    covered = sum(interval.low <= 1.0 <= interval.high for interval in found)
    assert 0.87 * 200 <= covered <= 0.99 * 200


def test_an_interval_says_what_it_means():
    assert str(Interval(-1.5, -2.0, -1.0)) == "-1.50 (-2.00 … -1.00)"
    assert Interval(-1.5, -2.0, -1.0).excludes_zero
    assert not Interval(0.5, -1.0, 2.0).excludes_zero
    assert Interval(0.5, -1.0, 2.0).half_width == 1.5
