"""Deals, replays and next choices against the rules and the players."""

import numpy as np
import pytest

from hearts.engine.bridge.network import seen_by
from hearts.engine.bridge.state import state_of
from hearts.game.cards import SEATS
from hearts.kernels.luck.hand import difference, open_hand, replay, to_next_choice
from hearts.kernels.network.features import SEEN_GAVE
from hearts.kernels.policies.choose import DUCK
from hearts.views.view import View
from tests.hearts.kernels.luck import luck_oracle as oracle

HANDS = oracle.hands()


BROKEN = np.uint64(1 << 7)


def assert_same(state, deal):
    """Compare a state with a deal; kernels notice broken hearts at the end of a trick."""
    expected = state_of(deal)
    if deal.trick.cards:
        state[6], expected[6] = state[6] & ~BROKEN, expected[6] & ~BROKEN
    np.testing.assert_array_equal(state, expected)


def opened(hand, dealt=None):
    """The state and what was seen before the first card."""
    state, seen = np.empty(8, dtype=np.uint64), np.empty((4, 4), dtype=np.uint64)
    dealt = hand.dealt if dealt is None else dealt
    open_hand(dealt, hand.passed, *hand.start, hand.focus, hand.rules, state, seen)
    return state, seen


def replayed(hand, number, others=None):
    """Whether the first cards can be so, voids, the state and what was seen."""
    state, seen = opened(hand)
    codes = hand.codes(DUCK) if others is None else np.full(4, others)
    possible, voids = replay(hand.plays, number, hand.focus, codes, hand.rules, state, seen)
    return possible, voids, state, seen


@pytest.mark.parametrize("hand", HANDS)
def test_a_replay_gives_every_position_of_the_hand(hand):
    for number, deal in enumerate(hand.positions()):
        possible, voids, state, seen = replayed(hand, number)
        assert possible
        assert_same(state, deal)
        for seat in range(SEATS):
            expected, shown = seen_by(View.of(deal, seat, checked=False))
            assert voids == shown
            np.testing.assert_array_equal(seen[:, :1], expected[:, :1])
            own = expected[seat, SEEN_GAVE:] if hand.focus[seat] else 0
            np.testing.assert_array_equal(seen[seat, SEEN_GAVE:], own)


def test_a_replay_fails_if_another_seat_would_have_played_otherwise():
    failed = [hand for hand in HANDS if not replayed(hand, 52, others=DUCK)[0]]
    assert {hand.others for hand in failed} == set(oracle.OTHERS) - {"duck"}


@pytest.mark.parametrize("hand", HANDS[:4])
def test_a_replay_fails_if_a_seat_does_not_hold_its_card(hand):
    plays = hand.plays[::-1].copy()
    state, seen = opened(hand)
    possible, _ = replay(
        plays, 52, np.ones(4, dtype=bool), hand.codes(DUCK), hand.rules, state, seen
    )
    assert not possible


@pytest.mark.parametrize("hand", HANDS)
def test_others_and_forced_cards_are_played_up_to_the_next_choice(hand):
    for number, deal in enumerate(hand.positions()):
        _, voids, state, seen = replayed(hand, number)
        card = hand.plays[number]
        after = oracle.next_choice(deal.play(int(card)), hand)
        move = np.uint64(1 << int(card))
        voids, _ = to_next_choice(
            move, hand.focus, hand.codes(DUCK), hand.rules, voids, np.uint64(0), state, seen
        )
        assert_same(state, after)
        expected, shown = seen_by(View.of(after, 0, checked=False))
        assert voids == shown
        np.testing.assert_array_equal(seen[:, 0], expected[:, 0])


@pytest.mark.parametrize("hand", HANDS)
def test_the_difference_of_a_finished_hand(hand):
    taken, points = state_of(hand.deal)[7], np.empty(4, dtype=np.int64)
    assert difference(taken, hand.focus, hand.rules, points) == oracle.difference(
        hand.deal, hand.seats
    )
