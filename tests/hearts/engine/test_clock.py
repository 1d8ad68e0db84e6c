"""Searches by time: the two clocks, and when a search ends."""

import time
from dataclasses import replace
from itertools import count

import pytest

from hearts.engine.bridge.worlds import root_moves
from hearts.engine.clock import TIMERS
from hearts.engine.config import ALGORITHMS, CLOCKS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from hearts.engine.search.rollouts import AT_ONCE
from hearts.engine.search.trees import SLICE
from hearts.game.cards import count as count_cards
from hearts.game.errors import InvalidConfig
from hearts.game.rules import STANDARD, PassDirection
from hearts.views.view import View
from models.voids import VoidBelief
from tests.hearts.engine.passing.test_choose import passing_view
from tests.hearts.play import random_deal

QUICK = SearchConfig(worlds=12, simulations=300, endgame=0)
DEAL = random_deal(STANDARD, 6, 1)
EARLY = View.of(DEAL, DEAL.trick.turn)


def slice_of(algorithm: str) -> int:
    """Simulations between two checks of the clock."""
    return AT_ONCE * count_cards(root_moves(EARLY)) if algorithm == "rollouts" else SLICE


def test_every_clock_tells_the_time():
    assert TIMERS.keys() == set(CLOCKS)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_cpu_clock_does_not_count_waiting(algorithm):
    class Waits(VoidBelief):
        def sample(self, view, n, rng):
            time.sleep(0.05)
            return super().sample(view, n, rng)

    config = replace(QUICK, algorithm=algorithm, time_ms=20)
    waited = decide(EARLY, config, belief=Waits())
    at_once = slice_of(algorithm)
    assert waited.simulations == at_once  # time was up at the first check
    worked = decide(EARLY, replace(config, clock="cpu"), belief=Waits())
    assert worked.simulations > 10 * at_once
    assert worked.seconds > 0.07


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_search_by_time_ends_at_the_first_look_after_it(monkeypatch, clock, algorithm):
    looks = count()
    monkeypatch.setitem(TIMERS, clock, lambda: next(looks) / 1000)  # 1 ms between two checks
    config = replace(QUICK, algorithm=algorithm, clock=clock, time_ms=25)
    spent = decide(EARLY, config).simulations // slice_of(algorithm)
    # Racing checks once more before each batch of worlds.
    assert spent == 25 if algorithm != "rollouts" else 17 <= spent <= 25


def test_the_cpu_clock_is_for_one_thread():
    with pytest.raises(InvalidConfig, match="clock: 'cpu' counts the work of one thread"):
        replace(QUICK, clock="cpu", threads=2)


def test_a_search_for_passes_keeps_to_either_clock(monkeypatch):
    view = passing_view(1, PassDirection.LEFT)
    for clock in CLOCKS:
        looks = count()
        monkeypatch.setitem(TIMERS, clock, lambda looks=looks: next(looks) / 1000)
        done = [
            choose_pass(view, replace(QUICK, clock=clock, time_ms=ms)).simulations for ms in (1, 3)
        ]
        assert 0 == done[0] < done[1]
