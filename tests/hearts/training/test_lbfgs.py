"""The minimizer: a known minimum, few iterations, and a missing extra."""

import sys

import numpy as np
import pytest

from hearts.game.errors import InvalidConfig
from hearts.training.lbfgs import minimize

CURVATURE = np.diag([1.0, 10.0, 100.0]) + 0.3
MINIMUM = np.array([1.0, -2.0, 3.0])


def loss(x):
    off = x - MINIMUM
    return 0.5 * off @ CURVATURE @ off, CURVATURE @ off


def test_the_minimizer_finds_a_known_minimum():
    assert minimize(loss, np.zeros(3), max_iterations=50) == pytest.approx(MINIMUM, abs=1e-3)


def test_it_stops_after_the_last_iteration():
    once, twice = (minimize(loss, np.zeros(3), max_iterations=n) for n in (1, 2))
    assert loss(MINIMUM)[0] < loss(twice)[0] < loss(once)[0] < loss(np.zeros(3))[0]


def test_without_scipy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(InvalidConfig, match=r"pip install hearts-ai\[fit\]"):
        minimize(loss, np.zeros(3), max_iterations=1)
