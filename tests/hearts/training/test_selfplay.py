"""Self-play for training: tables, decisions, returns, and what a step can repeat."""

import numpy as np
import pytest

from hearts.game.cards import SEATS
from hearts.kernels.network.decisions import MAX_DECISIONS
from hearts.training.hyperparameters import Training
from hearts.training.selfplay import SelfPlay, gap, returns_of
from tests.hearts.kernels.network.test_inference import random_network

TINY = Training(hands_per_step=256, population_share=0.25)
NETWORK = random_network(3)


@pytest.fixture(scope="module")
def played() -> SelfPlay:
    play = SelfPlay(TINY)
    play.play(NETWORK, np.random.default_rng(5))
    return play


def test_every_hand_is_played_by_the_rules(played):
    assert set(played.points.sum(axis=1).tolist()) <= {26, 78}
    assert ((played.kinds == 0).sum(axis=1) == SEATS).mean() > 0.6
    assert (played.kinds == 0).any(axis=1).all()
    assert (played.kinds > 0).any()


def test_decisions_are_those_of_the_learner_with_a_choice(played):
    samples, n = played.samples, played.decisions
    assert 0 < len(n) <= len(played.points) * MAX_DECISIONS
    half = len(played.points) // 2  # each thread counts its own hands
    hands = samples.hand[n] + half * (n >= half * MAX_DECISIONS)
    assert (played.kinds[hands, samples.seat[n]] == 0).all()
    assert (samples.moves[n] & samples.chosen[n] == samples.chosen[n]).all()
    assert (samples.moves[n] & (samples.moves[n] - np.uint64(1))).all()
    # Three cards are passed by each network seat, in three hands of four.
    passing = samples.head[n] > 0
    passed = np.arange(len(played.points)) % 4 > 0
    assert passing.sum() == 3 * (played.kinds[passed] == 0).sum()


def test_the_same_generator_plays_the_same_hands(played):
    again = SelfPlay(TINY)
    again.play(NETWORK, np.random.default_rng(5))
    assert (again.points == played.points).all()
    assert (again.samples.chosen[again.decisions] == played.samples.chosen[played.decisions]).all()
    again.play(NETWORK, np.random.default_rng(6))
    assert (again.points != played.points).any()


def test_advantages_have_a_standard_deviation_of_one(played):
    played.samples.value[:] = 0
    played.estimate_advantages()
    n = played.decisions
    assert played.advantages[n].std() == pytest.approx(1, abs=1e-3)
    # A critic that says 0 has the return as its target, discounted by λ for each later decision.
    last = n[-1]
    hand, seat = played.samples.hand[last] + len(played.points) // 2, played.samples.seat[last]
    assert played.value_targets[last] == pytest.approx(returns_of(played.points)[hand, seat])


def test_returns_are_centred_at_a_table():
    points = np.array([[0, 10, 16, 0], [0, 26, 26, 26]])
    assert returns_of(points).sum(axis=1) == pytest.approx([0, 0], abs=1e-6)
    assert returns_of(points)[1] == pytest.approx([2.6, -2.6 / 3, -2.6 / 3, -2.6 / 3])


def test_the_gap_is_that_of_tables_with_both():
    points = np.array([[0, 10, 16, 0], [26, 0, 0, 0], [5, 5, 8, 8]])
    kinds = np.array([[0, 1, 2, 0], [0, 0, 0, 0], [1, 1, 3, 1]])
    assert gap(points, kinds) == -13
    assert gap(points[1:], kinds[1:]) == 0
