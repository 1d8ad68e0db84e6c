"""Trials of passes against plain Python: values of triples, and playouts after a pass."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import rules_word
from hearts.engine.playouts import Playout
from hearts.engine.rewards import reward_scale
from hearts.game.cards import (
    CLUBS,
    DIAMONDS,
    CardSet,
    bit,
    members,
    set_of,
    suit_of,
)
from hearts.game.deal import Deal
from hearts.game.rules import PassDirection, Rules, moon_shooter
from hearts.kernels.core import statistics as column
from hearts.kernels.core.statistics import COLUMNS
from hearts.kernels.search.passing import other_passes, triple_nuisance, try_passes
from tests.hearts.kernels.core.test_reward import place_oracle, reward_oracle
from tests.hearts.kernels.oracle import QUEEN, Stream, play_out
from tests.hearts.kernels.playouts.test_playouts import RULES, SEEDS, SKEWS
from tests.hearts.kernels.policies.test_passing import (
    DIRECTIONS,
    WORDS,
    a_hand,
    nuisance_oracle,
    pass_oracle,
)
from tests.hearts.play import skewed_hands


@settings(max_examples=50)
@given(RULES, SEEDS, SKEWS, st.sampled_from(DIRECTIONS))
def test_triples_are_valued_as_by_the_oracle(rules, seed, skew, direction):
    hand = list(members(a_hand(seed, skew)))
    triples = list(combinations(hand, 3))
    found = np.empty(len(triples))
    sets = np.array([set_of(triple) for triple in triples], dtype=np.uint64)
    triple_nuisance(sets, np.uint64(set_of(hand)), np.uint64(direction), rules_word(rules), found)
    gone = {CLUBS: 14.0, DIAMONDS: 18.0}  # for each card of a suit that goes altogether
    for triple, value in zip(triples, found, strict=True):
        left, expected = list(hand), 0.0
        for card in triple:  # from the lowest
            expected += nuisance_oracle(card, left, 0, direction, rules)
            left.remove(card)
        for suit, worth in gone.items():
            if not any(suit_of(card) == suit for card in left):
                expected += worth * len([card for card in hand if suit_of(card) == suit])
        assert value == pytest.approx(expected)


def worlds_of(seed: int, n: int, skew: float) -> list[list[CardSet]]:
    rng = np.random.default_rng(seed)
    return [skewed_hands(rng, skew) for _ in range(n)]


@settings(max_examples=40)
@given(RULES, SEEDS, SKEWS, st.sampled_from(DIRECTIONS), st.integers(0, 3), WORDS)
def test_the_others_pass_as_by_the_oracle(rules, seed, skew, direction, seat, word):
    worlds = worlds_of(seed, 5, skew)
    found = np.ones((5, 4), dtype=np.uint64)
    other_passes(
        np.array(worlds, dtype=np.uint64), seat, np.uint64(direction), rules_word(rules), 12.0,
        np.uint64(word), found,
    )  # fmt: skip
    for world, hands in enumerate(worlds):
        stream = Stream.at(word, fork=world)
        for other in range(4):
            expected = 0
            if other != seat:
                own = Stream.at(stream.word())
                expected = pass_oracle(hands[other], direction, rules, 12.0, own)
            assert int(found[world, other]) == expected


@settings(max_examples=25)
@given(
    RULES.filter(lambda rules: rules.opener),  # otherwise seat 0 leads, whom no deal names
    SEEDS,
    st.sampled_from(DIRECTIONS),
    st.sampled_from(list(Playout)),
    st.integers(0, 3),
    WORDS,
)
def test_playouts_after_a_pass_agree_with_the_oracle(rules, seed, direction, playout, seat, word):
    worlds, epsilon = [worlds_of(seed, 1, 0.0)[0]] * 2, epsilon_word(0.1)
    triples = [set_of(three) for three in list(combinations(members(worlds[0][seat]), 3))[::100]]
    given = [
        [0 if other == seat else set_of(list(members(hands[other]))[:3]) for other in range(4)]
        for hands in worlds
    ]
    scores, found = (10, 20, 30, 40), np.zeros((len(triples), COLUMNS))
    scale = reward_scale("match", rules, scores)
    try_passes(
        np.array(triples, dtype=np.uint64), np.array(worlds, dtype=np.uint64),
        np.array(given, dtype=np.uint64), seat, np.uint64(direction), np.uint64(word),
        rules_word(rules), playout_code(playout), epsilon,
        *scale.arguments, found,
    )  # fmt: skip
    for triple, row in zip(triples, found, strict=True):
        expected = np.zeros(COLUMNS)
        for world, hands in enumerate(worlds):
            deal = exchanged(rules, hands, given[world], seat, triple, direction)
            stream = Stream.at(word, fork=world)
            for card in play_out(deal, playout.value, int(epsilon), stream):
                deal = deal.play(card)
            points, shooter = deal.final_points(), moon_shooter(rules, deal.taken)
            expected[column.VISITS] += 1
            expected[column.POINTS] += points[seat]
            expected[column.SQUARES] += points[seat] ** 2
            expected[column.QUEEN] += bool(deal.taken[seat] & bit(QUEEN))
            expected[column.MOON] += shooter == seat
            expected[column.AGAINST] += shooter not in (None, seat)
            value = reward_oracle("match", rules, points, scores, shooter)[seat]
            expected[column.REWARD] += value
            expected[column.MATCH] += place_oracle(rules, points, scores)[seat]
        assert row.tolist() == pytest.approx(expected.tolist())


def exchanged(
    rules: Rules,
    hands: list[CardSet],
    given: list[CardSet],
    seat: int,
    triple: CardSet,
    direction: PassDirection,
) -> Deal:
    """The deal after everybody has passed, `seat` this triple."""
    passes = [triple if giver == seat else given[giver] for giver in range(4)]
    after = [hands[giver] & ~passes[giver] for giver in range(4)]
    for giver in range(4):
        after[(giver + direction) % 4] |= passes[giver]
    return Deal.of(rules, after)
