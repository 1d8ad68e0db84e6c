"""The search over given worlds: budgets, time, the stop flag and known hands."""

import threading
import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.worlds import equal_cards, root_moves
from hearts.engine.clock import no_stop
from hearts.engine.config import ALGORITHMS, OPPONENTS
from hearts.engine.decide import decide
from hearts.engine.search.dispatch import search
from hearts.engine.search.trees import world_order
from hearts.game.cards import bit, count, lowest
from hearts.game.rules import STANDARD, Rules
from hearts.game.trick import Hands
from hearts.kernels.core.statistics import VISITS
from hearts.views.view import View
from tests.golden.proofs import best_play
from tests.hearts.engine.searches import EARLY, QUICK, TREES, VIEWS, choices, sample
from tests.hearts.play import positions
from tests.hearts.worlds import all_worlds


@pytest.mark.parametrize("algorithm", TREES)
@pytest.mark.parametrize("opponents", OPPONENTS)
@pytest.mark.parametrize("simulations", [1, 7, 100, 1000])
def test_as_many_simulations_are_done_as_the_config_says(algorithm, opponents, simulations):
    config = replace(QUICK, algorithm=algorithm, opponents=opponents, simulations=simulations)
    for view in VIEWS:
        decision = decide(view, config)
        assert decision.simulations == simulations
        leaders = {lowest(cards) for cards in equal_cards(view)}
        visits = [row.visits for row in decision.cards if row.card in leaders]
        assert sum(visits) == simulations


@pytest.mark.parametrize("algorithm", TREES)
@pytest.mark.parametrize("threads", [1, 3])
def test_the_number_holds_with_fewer_different_worlds(algorithm, threads):
    view, fitting = few_worlds()
    config = replace(QUICK, algorithm=algorithm, worlds=200, simulations=1001, threads=threads)
    decision = decide(view, config)
    assert len(fitting) < 200
    assert decision.simulations == 1001
    assert decision.worlds == (200 if algorithm == "pimc" else 1001)


@cache
def few_worlds() -> tuple[View, list[Hands]]:
    """A view with a choice, which a few worlds fit."""
    for view in choices(STANDARD, range(44, 46), range(40)):
        fitting = list(all_worlds(view))
        if 2 < len(fitting) < 12:
            return view, fitting
    raise AssertionError("no such view")


def test_worlds_share_the_simulations_evenly():
    view, config = EARLY, replace(QUICK, simulations=100)
    result = search(view, sample(view, 12), config)
    each = result.statistics[..., VISITS].sum(axis=1)
    assert set(each) == {8, 9}
    assert each.sum() == 100


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("threads", [1, 2])
def test_more_time_is_more_simulations(algorithm, threads):
    done = []
    for time_ms in (2, 150):
        config = replace(QUICK, algorithm=algorithm, threads=threads, time_ms=time_ms)
        decision = decide(EARLY, config)
        assert decision.view.legal & bit(decision.card)
        done.append(decision.simulations)
    assert 0 < done[0] < done[1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_stop_flag_ends_a_search_by_time(algorithm):
    stop = no_stop()
    timer = threading.Timer(0.05, stop.fill, [1])
    timer.start()
    started = time.monotonic()
    decision = decide(EARLY, replace(QUICK, algorithm=algorithm, time_ms=60_000), stop=stop)
    timer.join()
    assert time.monotonic() - started < 30  # half of its budget
    assert decision.simulations > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_stop_flag_ends_a_search_by_simulations(algorithm):
    stop = no_stop()
    timer = threading.Timer(0.01, stop.fill, [1])
    timer.start()
    config = replace(QUICK, algorithm=algorithm, simulations=1_000_000, playout="shoot-aware")
    decision = decide(EARLY, config, stop=stop)
    timer.join()
    assert decision.simulations < 1_000_000


def test_weights_of_equal_worlds_add_up():
    view, (one, other, *_) = few_worlds()
    hands = np.array([one, other, one, one], dtype=np.uint64)
    weights = np.array([0.1, 0.6, 0.2, 0.1])
    result = search(view, Worlds(hands, weights), replace(QUICK, simulations=101))
    assert sorted(result.weights) == pytest.approx([0.4, 0.6])
    assert (result.worlds, result.voters, result.simulations) == (4, 4, 101)


def test_one_tree_takes_worlds_by_their_weight():
    weights = np.array([0.5, 0.25, 0.0, 0.125, 0.125, 0, 0, 0])
    order = world_order(weights, seed=1)
    assert np.bincount(order, minlength=8).tolist() == [4, 2, 0, 1, 1, 0, 0, 0]
    assert world_order(weights, seed=1).tolist() == order.tolist()


def known_hands(rules: Rules, sizes: range) -> tuple[View, Hands]:
    """A view with a choice in which all hands are known, and the hands."""
    for seed in range(1000):
        for deal in positions(rules, seed, skew=0.6):
            view = View.of(deal, deal.turn or 0)
            known = view.round_size in sizes and view.known == deal.hands
            if known and count(root_moves(view)) > 1:
                return view, deal.hands
    raise AssertionError("no such hand")


@pytest.mark.parametrize("endgame", [0, 5])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_known_hands_are_one_world(algorithm, endgame):
    view, hands = known_hands(STANDARD, range(3, 6))
    config = replace(QUICK, algorithm=algorithm, endgame=endgame)
    result = search(view, sample(view, 12), config)
    assert len(result.statistics) == len(result.weights) == 1
    assert result.exact == bool(endgame)
    if endgame:
        exact = best_play(view, hands)
        decision = decide(view, config)
        assert decision.exact
        assert exact[decision.card] == max(exact.values())
