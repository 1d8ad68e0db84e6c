"""Features of positions against hands that the players play on."""

import numpy as np
import pytest

from hearts.engine.bridge.network import seen_by, shipped_stack
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.bridge.state import state_of
from hearts.game.rules import points_in
from hearts.kernels.luck import values
from hearts.kernels.luck.values import FEATURES, add_features, best_shooter, new_scratch, shoot_on
from hearts.players.registry import shared_player
from hearts.players.spec import Spec
from hearts.views.view import View
from tests.hearts.kernels.luck import luck_oracle as oracle

HANDS = oracle.hands()
NETWORKS = shipped_stack()
PROXY = "guard"


def position(hand, deal):
    """The arguments of kernels that describe a position."""
    seen, voids = seen_by(View.of(deal, 0, checked=False))
    return state_of(deal), voids, seen


def features_of(hand, deal, *, moons=True, sign=1.0):
    """The features of a position, with a policy as the proxy."""
    state, voids, seen = position(hand, deal)
    features = np.zeros(FEATURES)
    codes = hand.codes(POLICIES[PROXY].code)
    add_features(
        sign, moons, hand.focus, codes, state, voids, seen, hand.rules, np.uint64(1), NETWORKS,
        new_scratch(NETWORKS), features,
    )  # fmt: skip
    return features


def moon_oracle(hand, deal, shooter):
    """The result if one seat shoots, and other focus seats play as `cautious`."""
    players = hand.players(shared_player(Spec("cautious")))
    players[shooter] = oracle.Determined()
    return oracle.difference(oracle.played_on(deal, players), hand.seats)


def features_oracle(hand, deal):
    """The features of a position, from its description."""
    features = np.zeros(FEATURES)
    if deal.finished:
        features[values.RESULT] = oracle.difference(deal, hand.seats)
        return features
    rollout = oracle.difference(
        oracle.played_on(deal, hand.players(shared_player(Spec(PROXY)))), hand.seats
    )
    left, found = 1 - len(deal.tricks) / 13, oracle.shooter_of(deal, hand.seats)
    features[values.ROLLOUT] = rollout
    first = values.OPEN if found else values.CLOSED
    features[first : first + 3] = 12 * left, rollout * left, rollout * left**2
    if found:
        shooter, losers = found
        change = moon_oracle(hand, deal, shooter) - rollout
        points = points_in(deal.rules, deal.taken[shooter]) / 26
        kind = values.GAIN if change < 0 else values.LOSS
        counted = [each * late for each in (1, points, 0.5**losers) for late in (1, left)]
        features[kind : kind + 6] = np.multiply(change, counted)
    return features


@pytest.mark.parametrize("hand", HANDS)
def test_features_are_those_of_hands_that_the_players_play_on(hand):
    for deal in [*list(oracle.choices(hand))[::2], hand.deal]:
        expected = features_oracle(hand, deal)
        np.testing.assert_allclose(features_of(hand, deal), expected, atol=1e-9)
        np.testing.assert_allclose(features_of(hand, deal, sign=-1.0), -expected, atol=1e-9)


@pytest.mark.parametrize("hand", HANDS[:6])
def test_without_moons_the_rollout_is_the_only_prediction(hand):
    for deal in list(oracle.choices(hand))[::4]:
        rollout = features_of(hand, deal)[values.ROLLOUT]
        assert features_of(hand, deal, moons=False).tolist() == [
            rollout if number == values.ROLLOUT else 0.0 for number in range(FEATURES)
        ]


@pytest.mark.parametrize("hand", HANDS[:8])
def test_the_seat_that_shoots_has_the_fewest_losers(hand):
    for deal in oracle.choices(hand):
        state, voids, _ = position(hand, deal)
        seat, losers = best_shooter(hand.focus, state, hand.rules)
        found = oracle.shooter_of(deal, hand.seats)
        assert found == (None if seat == values.NOBODY else (seat, losers))
        for shooter in hand.seats[:1]:
            result = shoot_on(
                shooter, hand.focus, hand.codes(0), state, voids, hand.rules, new_scratch(NETWORKS)
            )
            assert result == moon_oracle(hand, deal, shooter)
