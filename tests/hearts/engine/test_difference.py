"""Differences: calculated by hand, and their errors against the scatter over seeds."""

import math
from dataclasses import replace

import numpy as np
import pytest

from hearts.engine.bridge.worlds import equal_cards
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.difference import EQUAL, Difference, difference, from_batches
from hearts.engine.passing.choose import choose_pass
from hearts.engine.search.result import SearchResult
from hearts.game.cards import bit, members, set_of
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.kernels.core.statistics import COLUMNS, POINTS, SQUARES, VISITS
from hearts.views.view import View
from tests.hearts.play import random_deal


def result_of(worlds, sampled=None, exact=False):
    """A search result from the points of every visit, by world and move."""
    statistics = np.zeros((len(worlds), len(worlds[0]), COLUMNS))
    for world, moves in enumerate(worlds):
        for move, points in enumerate(moves):
            statistics[world, move, VISITS] = len(points)
            statistics[world, move, POINTS] = sum(points)
            statistics[world, move, SQUARES] = sum(each**2 for each in points)
    n = len(worlds)
    weights, moves = np.full(n, 1 / n), tuple(bit(i) for i in range(len(worlds[0])))
    return SearchResult(moves, statistics, weights, sampled or n, sampled or n, 0, exact)


def test_the_error_is_that_of_the_differences_world_by_world():
    """Worlds differ by 20 points, the moves by 1, 2 or 3 in each."""
    found = difference(result_of([[[21, 23], [20]], [[2], [0, 0]], [[11], [10]]]), 0, 1)
    gaps = np.array([2, 2, 1])
    wanted = gaps.std(ddof=1) / math.sqrt(3)
    assert found == Difference(pytest.approx(5 / 3), pytest.approx(wanted), worlds=3, cheaper=3)
    back = difference(result_of([[[21, 23], [20]], [[2], [0, 0]], [[11], [10]]]), 1, 0)
    assert back == Difference(pytest.approx(-5 / 3), pytest.approx(wanted), worlds=3, cheaper=0)


def test_one_tree_adds_the_errors_of_its_two_means():
    one, other = [3.0, 5.0, 4.0, 8.0], [1.0, 2.0, 0.0]
    found = difference(result_of([[one, other]], sampled=7), 0, 1)
    wanted = math.sqrt(np.var(one, ddof=1) / 4 + np.var(other, ddof=1) / 3)
    assert found == Difference(4.0, pytest.approx(wanted))


def test_equal_worlds_count_as_often_as_they_were_drawn():
    """Two deals are possible, and 30 worlds were sampled: the error is that of 30 worlds."""
    found = difference(result_of([[[10], [0]], [[0], [0]]], sampled=30, exact=True), 0, 1)
    assert found == Difference(5.0, pytest.approx(5 / math.sqrt(29)), worlds=30, cheaper=15)
    known = difference(result_of([[[10], [0]]], exact=True), 0, 1)
    assert known == Difference(10.0, 0.0)


def test_what_cannot_be_told_is_not_told():
    assert difference(result_of([[[1], []], [[2], []]]), 0, 1) is None
    assert difference(result_of([[[1], []], [[2], []]]), 1, 1) is EQUAL
    apart = difference(result_of([[[9], []], [[], [2]]]), 0, 1)
    assert apart == Difference(7.0, None)  # no world has tried both
    assert not apart.is_certain
    once = difference(result_of([[[9], [2]]], sampled=5), 0, 1)
    assert once == Difference(7.0, None)
    assert from_batches(np.array([3.0])) == Difference(3.0, None)


def scatter(found: list[Difference]) -> tuple[float, float]:
    """The scatter of a cost over seeds, and the mean of its stated errors."""
    errors = [each.error for each in found if each.error is not None]
    assert len(errors) == len(found)
    points = [each.points for each in found]
    return float(np.std(points, ddof=1)), math.sqrt(np.mean(np.square(errors)))


@pytest.mark.parametrize(
    ("cards", "options"),
    [
        pytest.param(9, {}, id="a tree on each world"),
        pytest.param(36, {"endgame": 4}, id="solved, many worlds equal"),
        pytest.param(37, {"endgame": 0}, id="searched, many worlds equal"),
    ],
)
def test_stated_errors_are_what_seeds_scatter(cards, options):
    deals = (random_deal(PASSING, cards, seed) for seed in range(20))
    views = [View.of(deal, deal.turn) for deal in deals]
    config = SearchConfig(worlds=20, simulations=1_000, **options)
    view = max(views, key=lambda view: len(equal_cards(view)))
    # Two fixed cards, whichever is best for a seed.
    best, *_, worst = (each.card for each in decide(view, config).cards)
    decisions = [decide(view, replace(config, seed=seed)) for seed in range(100)]
    real, stated = scatter([replace(each, card=best).cost_of(worst) for each in decisions])
    assert 0.75 < stated / real < 1.4


def test_worlds_in_common_make_the_error_small():
    """With one tree the variances of the two means add up."""
    deal = random_deal(PASSING, 9, 3)
    decision = decide(View.of(deal, deal.turn), SearchConfig(simulations=6_000))
    best, other = decision.cards[0], decision.cards[-1]
    cost = decision.cost_of(other.card)
    assert cost.error < 0.7 * math.hypot(best.points_error, other.points_error)


def test_the_error_of_a_pass_is_what_seeds_scatter():
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(5))
    view = View.of(deal, 0)
    three = set_of(list(members(view.hand))[:3])
    # By rule, so that every seed compares with the same three cards.
    config = SearchConfig(simulations=400, passing="rule")
    decisions = [choose_pass(view, replace(config, seed=s), alternative=three) for s in range(100)]
    real, stated = scatter([each.cost for each in decisions])
    assert 0.75 < stated / real < 1.4
    assert choose_pass(view, config, alternative=decisions[0].cards).cost is EQUAL
    assert choose_pass(view, config).cost is None
