"""Win probabilities: interpolation and grid against plain Python, and against drawn matches."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.engine.rewards import match_tables
from hearts.engine.winning import FARTHEST, LEVELS, STEP, shipped_model
from hearts.kernels.core.winning import MatchTables, fill_wins, win_probabilities
from hearts.training.match_model import TARGET

NOTHING = np.zeros(4, dtype=np.int64)
TARGETS = st.sampled_from((50, 75, 100, 150, 400))


def won(after: tuple[int, ...], target: int = 100) -> list[float]:
    """The kernel's probabilities for some scores."""
    winning = np.empty(4)
    tables = match_tables(target, after)
    win_probabilities(NOTHING, np.array(after), target, tables, winning)
    return winning.tolist()


def win_oracle(after: list[int], target: int, before: tuple[int, ...]) -> list[float]:
    """Shares of the first place in a match that is over, otherwise the grid, multilinear."""
    if max(after) >= target:
        lowest = min(after)
        return [(score == lowest) / after.count(lowest) for score in after]
    missing = max(0, target - min(before) - FARTHEST)
    skipped = min(missing, max(0, target - max(before) - 50))
    places = []
    for score in after:
        distance = target - score - skipped
        place = min(max((FARTHEST - distance) / STEP, 0), LEVELS - 1)
        places.append((int(place), place - int(place)))
    return [interpolated([places[seat], *places[:seat], *places[seat + 1 :]]) for seat in range(4)]


def interpolated(places: list[tuple[int, float]]) -> float:
    """The value of the grid between the 16 levels around some places."""
    total = 0.0
    for corner in product((0, 1), repeat=4):
        factors = [part if up else 1 - part for up, (_, part) in zip(corner, places, strict=True)]
        levels = [level + up for up, (level, _) in zip(corner, places, strict=True)]
        if np.prod(factors) > 0:
            total += float(np.prod(factors)) * float(shipped_model().wins[tuple(levels)])
    return total


@given(st.tuples(*[st.integers(-30, 110)] * 4), TARGETS)
def test_probabilities_agree_with_the_oracle(after, target):
    found = won(after, target)
    assert found == pytest.approx(win_oracle([*after], target, after), abs=1e-6)
    assert sum(found) == pytest.approx(1, abs=1e-3)


@given(st.tuples(*[st.integers(0, 99)] * 4))
def test_seats_are_alike_and_fewer_points_are_better(scores):
    found = won(scores)
    for order in permutations(range(4)):
        turned = won(tuple(scores[seat] for seat in order))
        assert turned == pytest.approx([found[seat] for seat in order], abs=1e-6)
    by_score = [win for _, win in sorted(zip(scores, found, strict=True))]
    rounding = 1e-4  # of the stored grid
    assert all(more >= fewer - rounding for more, fewer in pairwise(by_score))


def test_the_grid_is_the_mean_over_the_next_hand():
    """A few points of the grid again, from a grid that has only the points above them."""
    results, probabilities = shipped_model().results
    tables = match_tables(TARGET, (0, 0, 0, 0))
    places = np.array([[25, 25, 25, 25], [25, 20, 18, 10], [14, 22, 5, 9], [3, 3, 12, 0]])
    scores = TARGET - FARTHEST + STEP * places
    again = MatchTables(tables.ahead, tables.levels, tables.wins.copy())
    fill_wins(scores, places, TARGET, results, probabilities, again)
    for start, place in zip(scores.tolist(), places.tolist(), strict=True):
        after = [[s + p for s, p in zip(start, row, strict=True)] for row in results.tolist()]
        winning = np.array([win_oracle(each, TARGET, (0, 0, 0, 0)) for each in after])
        expected = probabilities @ winning
        assert again.wins[tuple(place)] == pytest.approx(expected[0], abs=1e-4)
        own_last = tuple(place[::-1])
        assert again.wins[own_last] == pytest.approx(expected[3], abs=1e-4)
        assert tables.wins[tuple(place)] == pytest.approx(expected[0], abs=1e-4)


@pytest.mark.parametrize(
    "start", [(0, 0, 0, 0), (40, 50, 60, 80), (70, 72, 80, 95), (50, 55, 85, 60), (30, 60, 75, 90)]
)
def test_probabilities_are_those_of_matches(start):
    """Calibration: 20,000 matches whose hands are drawn from the results of the model.

    The error of 20,000 matches is 0.4%; the rest is for scores between two levels of the grid.
    """
    rng, (results, probabilities) = np.random.default_rng(7), shipped_model().results
    scores = np.tile(start, (20_000, 1))
    playing = np.ones(len(scores), dtype=bool)
    while playing.any():
        drawn = rng.choice(len(results), playing.sum(), p=probabilities)
        scores[playing] += results[drawn]
        playing = scores.max(axis=1) < TARGET
    first = scores == scores.min(axis=1, keepdims=True)
    shares = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    assert won(start) == pytest.approx(shares.tolist(), abs=0.03)
