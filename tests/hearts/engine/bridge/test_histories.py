"""Histories of worlds: those of the view, or drawn where the view has none."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.beliefs import load_belief
from hearts.engine.bridge.histories import seen_in_worlds
from hearts.engine.bridge.network import seen_by
from hearts.engine.bridge.worlds import world_states
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.game.cards import DECK, RANKS, bit, count
from hearts.game.rules import STANDARD
from hearts.kernels.network.features import SEEN_PLAYED
from hearts.views.view import View
from tests.hearts.play import random_deal

ROLLOUTS = SearchConfig(algorithm="rollouts", worlds=12, simulations=120, endgame=0)


def full_view(cards: int, seed: int) -> View:
    deal = random_deal(STANDARD, cards, seed)
    return View.of(deal, deal.turn or 0)


def short_forms(full: View) -> list[View]:
    short = replace(full, tricks=(), hearts_broken=full.broken)
    return [short, replace(short, points_claim=full.points), replace(short, won=full.taken)]


def histories(view: View, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.uint64]:
    worlds = load_belief("OM-1").sample(view, n, np.random.default_rng(seed))
    states = world_states(view, worlds)
    return states, *seen_in_worlds(view, states, seed)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 47), st.integers(0, 2**32))
def test_a_full_view_has_its_own_history_in_every_world(cards, seed):
    view = full_view(cards, seed)
    _, seen, voids = histories(view, 5, seed)
    expected, known_voids = seen_by(view)
    assert (seen == expected).all()
    assert voids == known_voids


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 47), st.integers(0, 2**32))
def test_every_card_of_a_world_is_held_or_was_played_once(cards, seed):
    for view in short_forms(full_view(cards, seed)):
        states, seen, _ = histories(view, 5, seed)
        for state, played in zip(states.tolist(), seen[:, :, SEEN_PLAYED].tolist(), strict=True):
            assert sum(state[:4]) + sum(played) == DECK  # no card twice, none missing
            for seat, size in enumerate(view.hand_sizes):
                assert count(played[seat]) == RANKS - size


def test_the_seed_draws_the_history():
    view = short_forms(full_view(30, 4))[2]
    states, _, _ = histories(view, 5, 1)
    one, same, other = (seen_in_worlds(view, states, seed)[0] for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


@pytest.mark.parametrize("form", range(3))
@pytest.mark.parametrize("belief", ["OM-1", "mixture:0.5"])
def test_rollouts_decide_without_a_history(form, belief):
    for seed in range(4):
        view = short_forms(full_view(20 + seed, seed))[form]
        if count(view.legal) < 2:
            continue
        decision = decide(view, replace(ROLLOUTS, belief=belief, seed=seed))
        assert decision.config.algorithm == "rollouts"
        assert decision.simulations > 0
        assert view.legal & bit(decision.card)
