"""Ratings against an oracle and known strengths."""

import math
import statistics

import numpy as np
import pytest

from hearts.arena.ratings import SCALE, bradley_terry, ratings, round_robin, wins_of
from hearts.arena.referee import Spending
from hearts.arena.results import DealResult, Table


def bradley_terry_oracle(wins: list[list[float]], iterations: int = 5000) -> list[float]:
    """Zermelo's iteration: natural logits with mean 0."""
    size = range(len(wins))
    strength = [1.0 for _ in size]
    for _ in range(iterations):
        strength = [
            sum(wins[i])
            / sum((wins[i][j] + wins[j][i]) / (strength[i] + strength[j]) for j in size if j != i)
            for i in size
        ]
    logs = [math.log(each) for each in strength]
    return [each - statistics.fmean(logs) for each in logs]


def test_ratings_agree_with_the_textbook():
    wins = [[0, 12.5, 9, 30], [7.5, 0, 11, 22], [11, 9, 0, 0], [2, 8, 0, 0]]
    met = [[0.5 * (wins[i][j] + wins[j][i] > 0) for j in range(4)] for i in range(4)]
    oracle = bradley_terry_oracle([[wins[i][j] + met[i][j] for j in range(4)] for i in range(4)])
    assert bradley_terry(np.array(wins, dtype=float)) == pytest.approx(
        [SCALE * each for each in oracle], abs=0.01
    )


def test_two_players_have_the_rating_of_their_score():
    found = bradley_terry(np.array([[0.0, 75_000.0], [25_000.0, 0.0]]))
    assert found[0] - found[1] == pytest.approx(400 * math.log10(3), abs=0.1)


def made_up(pair: tuple[int, int], strengths: list[float], deals: int) -> list[DealResult]:
    """Deals of one table each, won with the probability that the strengths imply."""
    rng = np.random.default_rng(pair)
    chance = 1 / (1 + 10 ** ((strengths[pair[1]] - strengths[pair[0]]) / 400))
    results = []
    for number in range(deals):
        own, theirs = (1, 2) if rng.random() < chance else (2, 1)
        table = Table((0, 1), ((own, own, theirs, theirs),), (None,), 0)
        results.append(DealResult(number, (table,), Spending(), Spending()))
    return results


def test_a_ladder_finds_known_strengths_within_its_intervals():
    strengths = [120.0, -150.0, 30.0]
    results = round_robin(3, lambda pair: made_up(pair, strengths, 800))
    ladder = ratings(["a", "b", "c"], wins_of(3, results))
    assert [each.player for each in ladder] == ["a", "c", "b"]
    for each in ladder:
        truth = strengths["abc".index(each.player)]
        assert each.rating.low - 8 < truth < each.rating.high + 8
        assert each.rating.half_width < 25
    assert sum(each.rating.mean for each in ladder) == pytest.approx(0, abs=1e-6)


def test_who_wins_everything_still_has_a_rating():
    results = round_robin(2, lambda pair: made_up(pair, [9000.0, 0.0], 50))
    first, last = ratings(["a", "b"], wins_of(2, results))
    assert (first.player, first.score, last.score) == ("a", 1.0, 0.0)
    assert math.isfinite(first.rating.high)
