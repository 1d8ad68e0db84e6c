"""Types that follow a policy, against players of the same names asked card by card."""

from itertools import combinations

import numpy as np
import pytest

from hearts.engine.bridge.policies import POLICIES
from hearts.engine.bridge.state import rules_word, state_of
from hearts.engine.bridge.worlds import equal_cards, shown_voids
from hearts.game.cards import SEATS, bit, count, members, set_of
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.kernels.beliefs import situations as column
from hearts.kernels.beliefs.policy_types import hand_likelihoods, multiply_pass, multiply_plays
from hearts.kernels.core.state import unpack_meta
from hearts.players.registry import shared_player
from hearts.players.spec import Spec
from hearts.views.view import View
from models.evidence import later_cards, situations_of
from models.player_types import POLICY_TYPES
from tests.hearts.kernels.beliefs.behaviour_oracle import at
from tests.hearts.play import random_deal

U = np.uint64
NOISES = np.array([0.3, 0.02])


def play_probability(before, card: int, name: str, noise: float) -> float:
    """P(card) of a player that makes a random move with probability `noise`."""
    view = View.of(before, before.trick.turn, checked=False)
    groups = equal_cards(view)
    own = next(group for group in groups if group & bit(card))
    chosen = shared_player(Spec(name)).choose_card(view, 0)
    follows = 1 - noise if own & bit(chosen) else 0.0
    return (follows + noise / len(groups)) / count(own) if len(groups) > 1 else 1 / count(own)


@pytest.mark.parametrize("name", POLICY_TYPES)
def test_plays_match_the_oracle(name):
    informative = 0
    for seed in range(6):
        deal = random_deal(PASSING, 8 + 7 * seed, seed, PassDirection(seed % 4), skew=0.2)
        view, rules = View.of(deal, 0), rules_word(PASSING)
        found, held = situations_of(view.plays, rules), np.array(later_cards(view.plays), dtype=U)
        for seat in range(SEATS):
            own = [i for i, play in enumerate(view.plays) if play.seat == seat]
            likelihoods = np.ones(2)
            multiply_plays(
                POLICIES[name].code, U(deal.hands[seat]), found[own], held[own], rules, NOISES,
                likelihoods,
            )  # fmt: skip
            expected = [
                np.prod([
                    play_probability(at(deal, deal.hands, i), view.plays[i].card, name, noise)
                    for i in own
                ])
                for noise in NOISES
            ]  # fmt: skip
            assert likelihoods == pytest.approx(expected)
            informative += likelihoods[0] != pytest.approx(likelihoods[1])
    assert informative > 12


def test_situations_are_those_of_the_replayed_hand():
    deal = random_deal(PASSING, 44, 5, skew=0.3)
    plays = View.of(deal, 0).plays
    for i, row in enumerate(situations_of(plays, rules_word(PASSING))):
        before = at(deal, deal.hands, i)
        state = state_of(before)
        turn, winner, cards, first, _ = unpack_meta(state[6])
        assert row[column.CARD] == bit(plays[i].card)
        assert row[column.IN_PLAY] == np.bitwise_or.reduce(state[:4])
        assert row[column.VOIDS] == shown_voids(View.of(before, before.trick.turn, checked=False))
        found = [row[c] for c in (column.TURN, column.COUNT, column.FIRST)]
        assert found == [turn, cards, first]
        assert not cards or row[column.WINNER] == winner
        assert (row[[column.TRICK, column.BEST, column.TAKEN]] == state[[4, 5, 7]]).all()


@pytest.mark.parametrize("name", POLICY_TYPES)
def test_passes_are_a_distribution_around_that_of_the_policy(name):
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(3))
    dealt = deal.dealt[0]
    best = shared_player(Spec(name)).choose_pass(View.of(deal, 0), 0)
    total, likelihoods = np.zeros(2), {}
    for three in combinations(members(dealt), 3):
        found = np.ones(2)
        multiply_pass(POLICIES[name].code, U(dealt), U(set_of(three)), 1, rules_word(PASSING),
                      NOISES, found)  # fmt: skip
        likelihoods[set_of(three)] = found
        total += found
    assert total == pytest.approx([1, 1])
    assert max(likelihoods, key=lambda three: likelihoods[three][0]) == best
    assert (likelihoods[best] > 1 - NOISES).all()
    by_overlap = {count(three & best): found for three, found in likelihoods.items()}
    assert sorted(by_overlap, key=lambda k: by_overlap[k][0]) == [0, 1, 2, 3]


def test_a_finished_hand_is_judged_by_all_plays():
    deal = random_deal(PASSING, 52, 8)
    plays, rules = list(View.of(deal, 0).plays), rules_word(PASSING)
    found, held = situations_of(plays, rules), np.array(later_cards(plays), dtype=U)
    own = [i for i, play in enumerate(plays) if play.seat == 2]
    codes = np.array([POLICIES[name].code for name in POLICY_TYPES])
    result = np.empty((len(codes), 2))
    hand_likelihoods(found[own], held[own], rules, codes, NOISES, result)
    expected = [
        np.prod([play_probability(at(deal, deal.hands, i), plays[i].card, "duck", 0.3)
                 for i in own])
    ]  # fmt: skip
    assert result[0, 0] == pytest.approx(expected[0])
