"""Sampling ends at a limit: the stop flag or the deadline of a search."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from hearts.engine.beliefs import LimitedBelief, load_belief, sample_worlds
from hearts.engine.clock import UNLIMITED, Deadline, Limit, no_stop
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.warmup import views
from models.behaviour import BehaviourBelief
from models.mixture import MixtureBelief
from models.posterior import ChainConfig

VIEW = next(view for view in views() if view.to_move and len(view.tricks) == 6)
FOREVER = ChainConfig(steps=2_000_000_000)  # about twenty minutes
SLOW = BehaviourBelief(move=FOREVER, analysis=FOREVER)
BELIEFS = {"OM-2": SLOW, "mixture": MixtureBelief(0.3, 0.3, SLOW)}


def in_time(milliseconds: float, clock: str = "wall") -> Limit:
    return Limit(no_stop(), Deadline(SearchConfig(time_ms=milliseconds, clock=clock)))


def stopped_after(seconds: float) -> Limit:
    stop = no_stop()
    threading.Timer(seconds, stop.fill, [1]).start()
    return Limit(stop, UNLIMITED.deadline)


LIMITS = {
    "wall": lambda: in_time(200),
    "cpu": lambda: in_time(50, "cpu"),
    "stop": lambda: stopped_after(0.2),
}


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("belief", BELIEFS)
def test_sampling_ends_at_a_limit_with_valid_worlds(belief, limit):
    assert isinstance(BELIEFS[belief], LimitedBelief)
    worlds = sample_worlds(BELIEFS[belief], VIEW, 40, np.random.default_rng(1), LIMITS[limit]())
    assert len(worlds) == 40
    assert worlds.weights.sum() == pytest.approx(1)
    if belief == "OM-2":
        assert all(VIEW.consistent_with([int(cards) for cards in hands]) for hands in worlds.hands)


@pytest.mark.parametrize("limit", LIMITS)
def test_probabilities_end_at_a_limit(limit):
    found = SLOW.probabilities_within(LIMITS[limit](), VIEW)
    assert found.sum(axis=0) == pytest.approx(VIEW.hand_sizes)


def test_without_time_the_worlds_are_those_of_om_1():
    over = Limit(np.ones(1, dtype=np.uint8), UNLIMITED.deadline)
    worlds = SLOW.sample_within(over, VIEW, 30, np.random.default_rng(1))
    assert (len(worlds), worlds.replaced) == (30, True)
    assert worlds.weights == pytest.approx(np.full(30, 1 / 30))
    plain = load_belief("OM-1").probabilities(VIEW)
    assert SLOW.probabilities_within(over, VIEW) == pytest.approx(plain)


def test_a_decision_by_time_leaves_half_of_it_for_the_search():
    config = SearchConfig(time_ms=100, clock="cpu", worlds=1_000, belief="OM-2")
    decision = decide(VIEW, config, belief=SLOW)
    assert decision.simulations > 0
    assert decision.belief_replaced  # its samples are a million steps apart


def test_a_limit_that_is_not_reached_changes_nothing():
    belief = BehaviourBelief()
    for limit in (in_time(60_000), Limit(no_stop(), UNLIMITED.deadline)):
        limited = belief.sample_within(limit, VIEW, 30, np.random.default_rng(1))
        assert (limited.hands == belief.sample(VIEW, 30, np.random.default_rng(1)).hands).all()
        assert not limited.replaced
