"""Gains of choices: nothing for a proxy's own choices, known ones, and determinism."""

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.engine.bridge.network import seen_by, shipped_stack
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.bridge.state import state_of
from hearts.game.cards import bit, members
from hearts.kernels.luck.advantages import (
    deal_features,
    pass_advantage,
    play_advantages,
    proxy_pass,
)  # fmt: skip
from hearts.kernels.luck.hand import to_next_choice
from hearts.kernels.luck.values import FEATURES, RESULT, ROLLOUT, new_scratch, roll_on
from hearts.kernels.policies.choose import DUCK, NETWORK, choose_pass
from hearts.players.registry import shared_player
from hearts.players.spec import Spec
from hearts.views.view import View
from tests.hearts.kernels.luck import luck_oracle as oracle

HANDS = oracle.hands()
NETWORKS = shipped_stack()


def advantages(hand, proxy, *, samples=5, thinning=10, seed=1, moons=False):
    """The advantages of cards, in twelfths; None if the others did not play by their policy."""
    features = np.zeros(FEATURES)
    possible = play_advantages(
        hand.dealt, hand.passed, *hand.start, moons, hand.focus, hand.codes(proxy), hand.rules,
        hand.plays, samples, thinning, np.uint64(seed), NETWORKS, features,
    )  # fmt: skip
    return features / samples if possible else None


def pass_advantages(hand, proxy, samples=5, seed=1):
    """The advantages of passes, in twelfths."""
    features = np.zeros(FEATURES)
    pass_advantage(
        hand.dealt, hand.passed, *hand.start, False, hand.focus, hand.codes(proxy), hand.rules,
        samples, np.uint64(seed), NETWORKS, features,
    )  # fmt: skip
    return features / samples


def by_policy(hand, name):
    """The same deal with a policy in the focus seats."""
    players = hand.players(shared_player(Spec(name)))
    start = hand.positions()[0]
    deal = type(start).of(start.rules, start.dealt, start.direction, hand.start[1])
    return oracle.Hand(Referee(players).play(deal, 0), hand.seats, hand.others)


@pytest.mark.parametrize("hand", HANDS)
def test_a_proxy_gains_nothing_by_its_own_choices(hand):
    own = by_policy(hand, "guard")
    code = POLICIES["guard"].code
    plain = advantages(own, code)
    assert plain[RESULT] + plain[ROLLOUT] == 0.0
    if hand.start[0]:
        assert not pass_advantages(own, code).any()


@pytest.mark.parametrize("hand", [hand for hand in HANDS if len(hand.seats) == 3])
def test_nothing_is_hidden_from_three_seats_of_four(hand):
    """Then the advantages of all cards are the result, less the rollout from the first choice."""
    players = hand.players(shared_player(Spec("duck")))
    first = next(oracle.choices(hand))
    rollout = oracle.difference(oracle.played_on(first, players), hand.seats)
    plain = advantages(hand, DUCK)
    result = oracle.difference(hand.deal, hand.seats)
    assert plain[RESULT] + plain[ROLLOUT] == pytest.approx(result - rollout)


def test_others_that_did_not_play_by_their_policy_are_noticed():
    wrong = [oracle.Hand(hand.deal, hand.seats, "duck") for hand in HANDS if hand.others != "duck"]
    assert sum(advantages(hand, DUCK) is None for hand in wrong) > len(wrong) // 2


@pytest.mark.parametrize("hand", HANDS[:4])
def test_a_seed_gives_the_same_gains(hand):
    first, again, other = (advantages(hand, NETWORK, moons=True, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_the_network_passes_three_cards_and_policies_pass_their_own():
    scratch = new_scratch(NETWORKS)
    for hand in HANDS:
        direction, _ = hand.start
        for cards in hand.dealt if direction else ():
            passed = proxy_pass(NETWORK, cards, direction, hand.rules, NETWORKS, scratch)
            assert int(passed).bit_count() == 3
            assert not passed & ~cards
            code = POLICIES["shooter"].code
            assert proxy_pass(code, cards, direction, hand.rules, NETWORKS, scratch) == choose_pass(
                code, cards, direction, hand.rules
            )


def test_equal_policies_differ_by_0_on_every_new_deal():
    total = np.zeros(FEATURES)
    for seat in range(4):
        focus = np.arange(4) == seat
        deal_features(
            7, 1, 0, False, focus, np.full(4, DUCK), HANDS[0].rules, np.uint64(3), NETWORKS, total
        )
    assert total[RESULT] + total[ROLLOUT] == 0.0


@pytest.mark.parametrize("hand", HANDS[:10])
def test_a_rollout_continues_after_the_card_that_it_has_drawn(hand):
    """Random numbers are those of the same cards, so that the gain of that card is 0."""
    for deal in list(oracle.choices(hand))[::3]:
        results, codes = [], hand.codes(NETWORK)
        for card in (None, *members(deal.legal)):
            (seen, voids), state = (
                seen_by(View.of(deal, hand.seats[0], checked=False)),
                state_of(deal),
            )
            stream = np.uint64(11)
            if card is not None:
                voids, stream = to_next_choice(
                    np.uint64(bit(card)), hand.focus, codes, hand.rules, voids, stream, state, seen
                )
            results.append(
                roll_on(
                    hand.focus, codes, state, np.uint64(voids), seen, hand.rules,
                    np.uint64(stream), NETWORKS, new_scratch(NETWORKS),
                )
            )  # fmt: skip
        assert results[0] in results[1:]
