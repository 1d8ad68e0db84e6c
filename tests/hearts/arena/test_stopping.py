"""Stopping rules: the likelihood ratio against an oracle, and error rates by simulation."""

import json
import math
import statistics
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hearts.arena.runner import CHECK_EVERY
from hearts.arena.stopping import UNDECIDED, Precision, Sprt
from hearts.game.errors import InvalidConfig

DIFFERENCES = Path(__file__).parents[2] / "data" / "deal-differences.json"
TOURNAMENTS = 4000  # simulated for each error rate
MOST_DEALS = 4000
LN_19 = math.log(0.95 / 0.05)


def normal_llr_oracle(values: list[float], low: float, high: float) -> float:
    """Difference of the maximal normal log-likelihoods with mean `low` and with mean `high`."""

    def log_likelihood(mean: float) -> float:
        deviation = math.sqrt(statistics.fmean((value - mean) ** 2 for value in values))
        density = statistics.NormalDist(mean, deviation)
        return math.fsum(math.log(density.pdf(value)) for value in values)

    return log_likelihood(low) - log_likelihood(high)


@given(
    st.lists(st.integers(-20, 20), min_size=4, max_size=30).filter(lambda each: len({*each}) > 2)
)
def test_the_ratio_is_that_of_the_maximal_likelihoods(values):
    found = Sprt(-0.4, 0.1).result(list(map(float, values))).llr
    assert found == pytest.approx(normal_llr_oracle(values, -0.4, 0.1), abs=1e-9)


def test_for_small_effects_the_ratio_is_the_one_with_known_variance():
    values = np.random.default_rng(2).normal(-0.1, 4.0, 2000)
    low, high = -0.2, 0.0
    known = len(values) * (low - high) * (2 * values.mean() - low - high) / (2 * values.var())
    assert Sprt(low, high).result(values.tolist()).llr == pytest.approx(known, rel=0.01)


@pytest.mark.parametrize(
    ("mean", "decision", "verdict"),
    [
        (-2.0, "H1", "accepted H1 (difference ≤ -1) after 100 deals"),
        (2.0, "H0", "accepted H0 (difference ≥ 0.5) after 100 deals"),
        (-0.25, UNDECIDED, "undecided after 100 deals"),
    ],
)
def test_decisions_and_their_texts(mean, decision, verdict):
    test = Sprt(-1.0, 0.5)
    values = [mean - 3, mean + 3] * 50
    result = test.result(values)
    assert (result.decision, result.verdict) == (decision, verdict)
    assert test.stops(values) == (decision != UNDECIDED)
    assert str(result).endswith(" (-2.94 … +2.94)")
    assert test.bounds == pytest.approx((-LN_19, LN_19))
    found = json.loads(json.dumps(result.as_object()))
    assert found["decision"] == decision
    assert (found["low"], found["high"], found["alpha"], found["beta"]) == (-1.0, 0.5, 0.05, 0.05)
    assert found["bounds"] == list(test.bounds)
    assert found["llr"] == result.llr


def test_equal_deals_give_a_finite_ratio():
    """As those of a player against itself, whose differences are all 0."""
    zeros = [0.0] * CHECK_EVERY
    found = Sprt(-0.3, 0.0).result(zeros)
    assert found.decision == "H0"
    assert math.isfinite(found.llr)
    assert Sprt(0.0, 0.3).result(zeros).decision == "H1"
    assert Sprt(-0.3, 0.3).result(zeros).llr == 0.0


def recorded_differences() -> NDArray[np.float64]:
    """The differences of recorded deals with many moons, moved to a mean of 0."""
    values = np.array(json.loads(DIFFERENCES.read_text()))
    return values - values.mean()


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    return rng.normal(0.0, recorded_differences().std(), shape)


def heavy_tailed(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    return rng.choice(recorded_differences(), shape)


def mirrored(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    return -heavy_tailed(rng, shape)


@dataclass
class Simulation:
    """Many simulated tournaments under one test."""

    accepted_h1: float  # share of the tournaments
    accepted_h0: float
    deals: float  # mean number

    @classmethod
    def of(cls, test: Sprt, draw, mean: float) -> "Simulation":
        """Tournaments whose deals have the distribution of `draw`, moved to `mean`."""
        rng = np.random.default_rng(7)
        lower, upper = test.bounds
        total, squares = np.zeros((2, TOURNAMENTS))
        deals, decided = np.full(TOURNAMENTS, MOST_DEALS), np.zeros(TOURNAMENTS)
        for n in range(CHECK_EVERY, MOST_DEALS + 1, CHECK_EVERY):
            open_ones = np.flatnonzero(decided == 0)
            values = mean + draw(rng, (len(open_ones), CHECK_EVERY))
            total[open_ones] += values.sum(axis=1)
            squares[open_ones] += (values**2).sum(axis=1)
            means = total[open_ones] / n
            llr = test.llr(n, means, squares[open_ones] / n - means**2)
            decided[open_ones] = (llr >= upper).astype(float) - (llr <= lower)
            deals[open_ones[decided[open_ones] != 0]] = n
        return cls((decided == 1).mean(), (decided == -1).mean(), deals.mean())


def at_most(share: float) -> float:
    """A bound that the error rate of a correct test exceeds about once in a thousand seeds."""
    return share + 3 * math.sqrt(share * (1 - share) / TOURNAMENTS)


@pytest.mark.parametrize("draw", [normal, heavy_tailed, mirrored])
@pytest.mark.parametrize("width", [0.5, 1.0, 2.0])  # the standard deviation of a deal is 3.8
def test_wrong_decisions_are_as_rare_as_promised(draw, width):
    test = Sprt(-width, 0.0)
    at_h0, at_h1 = (Simulation.of(test, draw, mean) for mean in (test.high, test.low))
    assert at_h0.accepted_h1 <= at_most(test.alpha)
    assert at_h1.accepted_h0 <= at_most(test.beta)
    for simulation in (at_h0, at_h1):
        assert simulation.accepted_h0 + simulation.accepted_h1 > 0.999


def test_the_two_error_rates_may_differ():
    test = Sprt(-0.8, 0.2, alpha=0.01, beta=0.2)
    at_h0, at_h1 = (Simulation.of(test, heavy_tailed, mean) for mean in (test.high, test.low))
    assert at_h0.accepted_h1 <= at_most(test.alpha)
    assert 0.08 < at_h1.accepted_h0 <= at_most(test.beta)


def test_a_sequential_test_needs_fewer_deals_than_a_fixed_number():
    test = Sprt(-0.5, 0.0)
    quantile = statistics.NormalDist().inv_cdf(0.95)
    fixed = (2 * quantile * recorded_differences().std() / (test.high - test.low)) ** 2
    for mean in (test.low, test.high):
        assert Simulation.of(test, heavy_tailed, mean).deals < 0.6 * fixed
    assert Simulation.of(test, heavy_tailed, -2 * test.low).deals < 0.25 * fixed


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ((0.0, -1.0), "sprt: 0.0 -1.0: the first number must be less"),
        ((1.0, 1.0), "sprt: "),
        ((-math.inf, 0.0), "sprt: "),
        ((0.0, math.nan), "sprt: "),
        ((-1.0, 0.0, 0.0), "alpha: 0.0 is out of range"),
        ((-1.0, 0.0, 0.5), "alpha: 0.5 is out of range"),
        ((-1.0, 0.0, 0.05, math.nan), "beta: nan is out of range"),
    ],
)
def test_tests_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(InvalidConfig, match=message):
        Sprt(*wrong)


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan])
def test_intervals_have_a_width(wrong):
    with pytest.raises(InvalidConfig, match="until: "):
        Precision(wrong)
