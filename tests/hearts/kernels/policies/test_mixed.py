"""Playouts by policies: against the referee's hands card by card, and against the playouts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.bridge.network import seen_by
from hearts.engine.bridge.playouts import epsilon_word
from hearts.engine.bridge.policies import POLICIES, policy_codes
from hearts.engine.bridge.state import rules_word, state_of
from hearts.game.cards import ALL_CARDS, SEATS, Card, bit, members
from hearts.game.deal import Deal, moments
from hearts.game.rules import STANDARD
from hearts.kernels.core import bits
from hearts.kernels.core.random import open_stream
from hearts.kernels.playouts.batch import finish
from hearts.kernels.policies.mixed import play_out
from hearts.players.spec import RULE_BASED
from hearts.views.view import View
from tests.hearts.kernels.playouts.test_playouts import EPSILONS, RULES, SEEDS, SKEWS
from tests.hearts.kernels.policies.test_choose import played_hands
from tests.hearts.play import random_deal

RANDOM = [name for name in POLICIES if name not in RULE_BASED]
EXAMPLES = 200 if bits.JIT and bits.HAS_BMI2 else 25


def played_out(
    names: tuple[str, ...], deal: Deal, move: int = 0, epsilon: float = 0.0, stream: int = 0
) -> tuple[int, list[Card]]:
    """What each seat has taken at the end, and the cards played from this position on."""
    hands, plays = np.zeros(SEATS, dtype=np.uint64), np.zeros(len(ALL_CARDS), dtype=np.uint8)
    _, voids = seen_by(View.of(deal, 0, checked=False))
    taken = play_out(
        np.uint64(move), policy_codes(names), state_of(deal), voids, rules_word(deal.rules),
        np.uint64(stream), epsilon_word(epsilon), hands, plays,
    )  # fmt: skip
    return int(taken), plays.tolist()[len(list(deal.plays)) :]


def test_a_whole_hand_is_that_of_the_referee():
    for number, (names, hand) in enumerate(played_hands()):
        start = next(now for now, _, _ in moments(hand) if not now.passing)
        taken, cards = played_out(names, start, epsilon=0.5, stream=number)  # without effect
        assert cards == [card for _, card in hand.plays]
        assert taken == int(state_of(hand)[7])


def test_the_rest_of_a_hand_is_that_of_the_referee():
    """From the middle of a trick too, with the voids that were shown before."""
    for number, (names, hand) in enumerate(played_hands()):
        cards = [card for _, card in hand.plays]
        for now, _, _ in moments(hand):
            done = len(list(now.plays))
            if not now.passing and (done + number) % 7 == 0:
                assert played_out(names, now) == (int(state_of(hand)[7]), cards[done:])


@pytest.mark.parametrize("name", RANDOM)
@settings(max_examples=EXAMPLES)
@given(RULES, EPSILONS, st.integers(0, 51), SKEWS, SEEDS, st.integers(0, 2**64 - 1))
def test_four_equal_seats_play_the_playout_of_that_name(
    name, rules, epsilon, cards, skew, deal_seed, seed
):
    deal = random_deal(rules, cards, deal_seed, skew=skew)
    states, expected = state_of(deal)[None], np.zeros(1, dtype=np.uint64)
    word, seed = epsilon_word(epsilon), np.uint64(seed)
    finish(POLICIES[name].code, states, rules_word(rules), word, seed, expected)
    stream = int(open_stream(seed, np.uint64(0)))
    taken, _ = played_out((name,) * SEATS, deal, epsilon=epsilon, stream=stream)
    assert taken == int(expected[0])


def test_a_given_move_is_played_first():
    for names, hand in played_hands()[::5]:
        for now, _, _ in list(moments(hand))[8::9]:
            for card in members(now.legal):
                after = now.play(card)
                taken, cards = played_out(names, now, move=bit(card))
                assert cards[0] == card
                assert (taken, cards[1:]) == played_out(names, after)


def test_a_stream_gives_the_same_hand_again():
    names = ("softmax", "cautious", "uniform", "shooter")
    deal = random_deal(STANDARD, 0, 1)
    first, again, other = (played_out(names, deal, stream=stream) for stream in (1, 1, 2))
    assert first == again
    assert first != other
