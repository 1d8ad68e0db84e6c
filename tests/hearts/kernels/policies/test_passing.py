"""Passes of policies against plain Python: rules of thumb with noise, and the players' passes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hearts.engine.bridge.state import rules_word
from hearts.game.cards import (
    CLUBS,
    HEARTS,
    SPADES,
    Card,
    CardSet,
    members,
    rank_of,
    set_of,
    suit_of,
)
from hearts.game.rules import PASSING, PassDirection, Rules
from hearts.kernels.policies.passing import pass_by_rule
from hearts.players.passing import rule_pass
from tests.hearts.kernels.oracle import JACK, QUEEN, Stream
from tests.hearts.kernels.playouts.test_playouts import RULES, SEEDS, SKEWS
from tests.hearts.play import skewed_hands

DIRECTIONS = list(PassDirection)[1:]
WORDS = st.integers(0, 2**64 - 1)
NOISES = st.sampled_from([0.0, 1.0, 12.0, 40.0])


def nuisance_oracle(
    card: Card, hand: list[Card], to_pass: int, direction: PassDirection, rules: Rules
) -> float:
    """How much better a hand is without a card, as the docstring of the kernels says it."""
    suit = [other for other in hand if suit_of(other) == suit_of(card)]
    if suit_of(card) == SPADES:
        return spade_oracle(card, suit, direction) if rules.queen_penalty else 0.0
    if card == JACK and rules.jack_bonus:
        return -20.0
    below = len([other for other in suit if other < card])
    value = 2.5 * rank_of(card) - 6.0 * below
    if suit_of(card) == HEARTS:
        return value + 6.0 if below < 2 else value
    if len(suit) <= to_pass:
        value += 14.0 if suit_of(card) == CLUBS else 18.0
    return value


def spade_oracle(card: Card, spades: list[Card], direction: PassDirection) -> float:
    guards = len([other for other in spades if other < QUEEN])
    if card < QUEEN:
        return -30.0 + rank_of(card) / 13
    if guards >= 4:
        return -20.0
    if card > QUEEN:
        return 55.0 - 10.0 * guards + rank_of(card)
    over = any(other > QUEEN for other in spades)
    return 60.0 - 10.0 * guards - (15.0 if over and direction is PassDirection.LEFT else 0.0)


def pass_oracle(
    hand: CardSet, direction: PassDirection, rules: Rules, noise: float, stream: Stream
) -> CardSet:
    """The card of greatest nuisance, three times; the noise is uniform in ±noise."""
    left, passed = list(members(hand)), []
    for to_pass in (3, 2, 1):
        values = {}
        for card in left:
            values[card] = nuisance_oracle(card, left, to_pass, direction, rules)
            if noise:
                values[card] += noise * ((stream.word() >> 11) / 2**52 - 1)
        passed.append(max(left, key=lambda card: values[card]))  # the lowest of equal ones
        left.remove(passed[-1])
    return set_of(passed)


def a_hand(seed: int, skew: float) -> CardSet:
    return skewed_hands(np.random.default_rng(seed), skew)[0]


@given(RULES, SEEDS, SKEWS, st.sampled_from(DIRECTIONS), NOISES, WORDS)
def test_a_pass_by_rule_agrees_with_the_oracle(rules, seed, skew, direction, noise, word):
    hand = a_hand(seed, skew)
    found = pass_by_rule(
        np.uint64(hand), np.uint64(direction), rules_word(rules), noise, np.uint64(word)
    )
    assert int(found) == pass_oracle(hand, direction, rules, noise, Stream.at(word))


def test_rules_of_thumb_of_players_and_kernels_are_the_same():
    rng = np.random.default_rng(8)
    for number in range(400):
        rules = Rules.from_mask(int(rng.integers(0, 0x4000)) | PASSING.mask)
        hand, direction = a_hand(number, number % 4 / 4), DIRECTIONS[number % 3]
        word = rules_word(rules)
        kernel = pass_by_rule(np.uint64(hand), np.uint64(direction), word, 0.0, np.uint64(0))
        assert rule_pass(hand, direction, rules) == int(kernel)
