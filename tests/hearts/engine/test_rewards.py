"""Rewards: one scale for trees and playouts, from 0 to 1."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.engine.bridge.state import pack_state, rules_word
from hearts.engine.config import REWARDS, SearchConfig
from hearts.engine.rewards import reward_scale
from hearts.engine.search.dispatch import search
from hearts.game.cards import DECK, SEATS, bit, lowest, members
from hearts.game.rules import ALL_HEARTS, JACK, STANDARD, Rules, hand_points
from hearts.game.rules import QUEEN as QUEEN_CARD
from hearts.game.trick import Hands, Trick
from hearts.kernels.core.reward import rewards
from hearts.kernels.core.statistics import (
    AGAINST,
    COLUMNS,
    MATCH,
    MOON,
    POINTS,
    QUEEN,
    REWARD,
    VISITS,
)
from hearts.views.view import View
from tests.hearts.engine.searches import QUICK, SCORES, one_world
from tests.hearts.kernels.core.test_reward import place_oracle
from tests.hearts.kernels.playouts.test_playouts import RULES, SEEDS, SKEWS
from tests.hearts.play import random_deal


def final_rewards(kind: str, rules: Rules, taken: np.uint64, scores: Hands) -> list[float]:
    scale = reward_scale(kind, rules, scores)
    points, reward = np.zeros(4, dtype=np.int64), np.zeros(4)
    rewards(
        taken, rules_word(rules), *scale.arguments, points, reward,
    )  # fmt: skip
    return reward.tolist()


def taken_word(taken: Hands) -> np.uint64:
    empty = (0,) * SEATS
    return pack_state(empty, Trick(0), taken, first_trick=False, broken=True)[7]


@given(RULES, SEEDS, SKEWS, st.sampled_from(REWARDS), SCORES)
def test_tree_and_playout_value_a_hand_alike(rules, seed, skew, kind, scores):
    """The last trick is forced: it is first valued by a playout, then inside the tree."""
    deal = random_deal(rules, 48, seed, skew=skew)
    seat = deal.turn or 0
    view, world = View.of(deal, seat, scores), one_world(deal.hands)
    means = []
    for simulations in (1, 2, 3, 4, 5, 20):
        config = SearchConfig(reward=kind, simulations=simulations, worlds=1, endgame=0)
        row = search(view, world, config).statistics[0, 0]
        assert row[VISITS] == simulations
        means.append(row / simulations)
    end = deal
    while not end.finished:
        end = end.play(lowest(end.legal))
    expected = final_rewards(kind, rules, taken_word(end.taken), scores)[seat]
    assert [mean[REWARD] for mean in means] == pytest.approx([expected] * 6, abs=1e-12)
    assert [mean[POINTS] for mean in means] == [end.final_points(rules.moon)[seat]] * 6


@given(RULES, SEEDS, SKEWS, st.sampled_from(REWARDS), SCORES)
def test_rewards_are_from_0_to_1(rules, seed, skew, kind, scores):
    end = random_deal(rules, 52, seed, skew=skew)
    reward = final_rewards(kind, rules, taken_word(end.taken), scores)
    assert all(-1e-12 <= value <= 1 + 1e-12 for value in reward)


@given(RULES, st.integers(0, 3), st.integers(0, 3), st.sampled_from(REWARDS), SCORES)
def test_rewards_of_one_who_takes_everything_are_too(rules, shooter, jack_to, kind, scores):
    """All penalties to one seat, the jack to any."""
    taken = [0] * SEATS
    taken[shooter] = DECK & ~JACK if jack_to != shooter else DECK
    taken[jack_to] |= JACK
    word = int(taken_word(tuple(taken)))
    if jack_to != shooter:
        word |= 1 << 16 * jack_to + 8  # the card came with a trick
    reward = final_rewards(kind, rules, np.uint64(word), scores)
    points = hand_points(rules, taken, rules.moon)
    assert all(-1e-12 <= value <= 1 + 1e-12 for value in reward)
    if kind != "match":
        by_points = sorted(range(SEATS), key=lambda seat: (points[seat], seat))
        assert by_points == sorted(range(SEATS), key=lambda seat: (-round(reward[seat], 9), seat))


def test_a_moon_is_the_best_and_the_worst_there_is():
    moon = taken_word((DECK, 0, 0, 0))
    for kind in ("points", "difference"):
        assert final_rewards(kind, STANDARD, moon, (0,) * 4)[0] == pytest.approx(1)
    assert final_rewards("relative", STANDARD, moon, (0,) * 4) == pytest.approx([1, 0, 0, 0])
    lost = taken_word((ALL_HEARTS & ~bit(48) | QUEEN_CARD, bit(48), 0, 0))
    for kind in ("points", "relative", "difference"):
        assert final_rewards(kind, STANDARD, lost, (0,) * 4)[0] < 0.1
    # The match is decided: the others are over the target, and only the difference is left. Had
    # the moon been stopped late, the shooter would still win almost certainly.
    assert final_rewards("match", STANDARD, moon, (0, 80, 85, 90))[0] > 0.85
    assert final_rewards("match", STANDARD, moon, (0, 80, 85, 90))[3] == pytest.approx(0.2 / 3)


@pytest.mark.parametrize("kind", REWARDS)
def test_moons_are_counted_in_the_tree(kind):
    """The last trick of a hand in which one seat has all the rest."""
    hearts = list(members(ALL_HEARTS))
    hands = tuple(bit(card) for card in (hearts[12], *hearts[:3]))
    rest = DECK & ~sum(hands)
    view = View(seat=0, hand=hands[0], trick=Trick(0), won=(rest, 0, 0, 0), hearts_broken=True)
    row = search(view, one_world(hands), replace(QUICK, reward=kind, worlds=1)).statistics[0, 0]
    assert row[[VISITS, POINTS, QUEEN, MOON, AGAINST]].tolist() == [300, 0, 300, 300, 0]
    expected = final_rewards(kind, STANDARD, taken_word((DECK, 0, 0, 0)), (0,) * 4)[0]
    assert row[REWARD] == pytest.approx(300 * expected)
    assert len(row) == COLUMNS
    expected_place = place_oracle(STANDARD, (0, 26, 26, 26), (0,) * 4)[0]
    assert row[MATCH] == pytest.approx(300 * expected_place)
