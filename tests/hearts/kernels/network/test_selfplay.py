"""Self-play and recorded decisions against plain Python, hand by hand and feature by feature."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.bridge.policies import POLICIES
from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS, bit, members
from hearts.game.deal import Deal, moments
from hearts.game.rules import PASSING, PassDirection
from hearts.kernels.core.state import lowest_of_run
from hearts.kernels.network.advantages import gae
from hearts.kernels.network.arrays import Samples, new_samples
from hearts.kernels.network.decisions import MAX_DECISIONS, list_recorded
from hearts.kernels.network.inference import PASS_HEAD
from hearts.kernels.network.selfplay import play_hands
from hearts.kernels.policies.choose import NETWORK, NETWORK_BEST
from hearts.training.population import stacked
from tests.hearts.kernels.network import network_oracle
from tests.hearts.kernels.network.selfplay_oracle import Seat, hand_of
from tests.hearts.kernels.network.test_inference import random_network
from tests.hearts.play import random_deal

# Kind 0 learns; the networks have different widths.
NETWORKS = [random_network(1), random_network(2, 24, 8)]
SEATED = [
    Seat(NETWORKS[0]),
    Seat(NETWORKS[1]),
    Seat(NETWORKS[1], best=True),
    *(Seat(name=name) for name in ("duck", "cautious", "guard", "shooter")),
]
POLICY = [NETWORK, NETWORK, NETWORK_BEST, *(POLICIES[each.name].code for each in SEATED[3:])]
NUMBERS = [0, 1, 1, 0, 0, 0, 0]
FORGETFUL = 20_000


def play(seed: int, deals: list[int], kinds: list[list[int]]) -> tuple[Samples, int, np.ndarray]:
    """The samples, their number, and the points of some tables."""
    samples, n = new_samples(len(deals) * MAX_DECISIONS), len(deals)
    points = np.empty((n, SEATS), dtype=np.int64)
    found = play_hands(
        np.uint64(seed), np.array(deals, dtype=np.uint64), np.array(kinds),
        np.zeros((n, SEATS), dtype=np.uint64), np.array(POLICY), np.array(NUMBERS),
        stacked(NETWORKS), np.uint64(FORGETFUL), rules_word(PASSING), samples, points,
    )  # fmt: skip
    return samples, found, points


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(*[st.integers(0, len(SEATED) - 1)] * SEATS),
    st.integers(0, 2**62),
    st.integers(0, 1000),
)
def test_a_table_plays_as_the_oracle_does(kinds, seed, number):
    samples, n, points = play(seed, [number], [list(kinds)])
    end = hand_of(seed, number, [SEATED[kind] for kind in kinds], FORGETFUL)
    assert tuple(points[0]) == end.final_points()
    learners = [seat for seat in range(SEATS) if kinds[seat] == 0]
    expected = [
        (seat, cards)
        for now, seat, cards in moments(end)
        if seat in learners and not now.passing and len(network_oracle.moves(now)) > 1
    ]
    plays = samples.head[:n] == 0
    assert samples.seat[:n][plays].tolist() == [seat for seat, _ in expected]
    assert samples.chosen[:n][plays].tolist() == [cards for _, cards in expected]
    assert (~plays).sum() == (3 * len(learners) if number % 4 else 0)


def test_a_sample_has_the_probability_of_its_choice():
    samples, n, _ = play(3, [1, 2, 3, 4], [[0, 0, 4, 1]] * 4)
    for k in range(0, n, 7):
        active = set(samples.features[k, : samples.sizes[k, 0]].tolist())
        cards = sorted(members(int(samples.moves[k])))
        policy = network_oracle.probabilities(NETWORKS[0], active, cards, int(samples.head[k]))
        chosen = policy[cards.index(int(samples.chosen[k]).bit_length() - 1)]
        assert np.exp(samples.log_policy[k]) == pytest.approx(chosen, rel=1e-4)


def test_advantages_are_those_of_plain_python():
    samples, n, points = play(5, list(range(24)), [[0, 0, 0, 3]] * 24)
    rng, gae_lambda = np.random.default_rng(1), 0.8
    samples.value[:] = rng.normal(size=len(samples.value))
    returns = rng.normal(size=points.shape).astype(np.float32)
    advantages, value_targets = np.empty((2, n), dtype=np.float32)
    gae(n, samples, returns, np.float32(gae_lambda), advantages, value_targets)
    for hand, seat in [(0, 0), (3, 2), (17, 1), (23, 0)]:
        mine = [k for k in range(n) if (samples.hand[k], samples.seat[k]) == (hand, seat)]
        values = [*(float(samples.value[k]) for k in mine), float(returns[hand, seat])]
        steps = np.diff(values)
        for i, k in enumerate(mine):
            expected = sum(gae_lambda**j * step for j, step in enumerate(steps[i:]))
            assert advantages[k] == pytest.approx(expected, abs=1e-5)
            assert value_targets[k] == pytest.approx(expected + values[i], abs=1e-5)


def listed(deal: Deal, forgetful: int) -> tuple[Samples, int]:
    """The samples of a hand, and their number."""
    cards = [card for _, card in deal.plays]
    samples = new_samples(MAX_DECISIONS)
    n = list_recorded(
        np.array([deal.dealt], dtype=np.uint64),
        np.array([deal.passes or (0,) * SEATS], dtype=np.uint64),
        np.array([deal.direction], dtype=np.uint64),
        np.array([(*deal.tricks, deal.trick)[0].leader], dtype=np.uint64),
        np.array([cards + [-1] * (52 - len(cards))]),
        np.array([forgetful], dtype=np.uint64), rules_word(deal.rules), np.uint64(1), samples,
    )  # fmt: skip
    return samples, n


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(list(PassDirection)), st.integers(0, 52), st.integers(0, 2**32),
    st.integers(0, 15), st.sampled_from([0.0, 0.5]),
)  # fmt: skip
def test_recorded_decisions_have_the_features_of_the_oracle(
    direction, cards, seed, forgetful, skew
):
    deal = random_deal(PASSING, cards, seed, direction, skew=skew)
    samples, n = listed(deal, forgetful)
    plays = [k for k in range(n) if samples.head[k] == 0]
    expected = [
        (now, seat, cards)
        for now, seat, cards in moments(deal)
        if not now.passing and len(network_oracle.moves(now)) > 1
    ]
    assert len(plays) == len(expected)
    for k, (now, seat, chosen) in zip(plays, expected, strict=True):
        active = set(samples.features[k, : samples.sizes[k, 0]].tolist())
        known = network_oracle.known(now, seat, passes=not forgetful >> seat & 1)
        assert active == known | network_oracle.on_the_table(now, seat)
        moves = network_oracle.moves(now)
        assert int(samples.moves[k]) == sum(map(bit, moves))
        # The lowest card of its run stands for the card that was played.
        below = [card for card in moves if card >> 4 == (chosen.bit_length() - 1) >> 4]
        card = max(each for each in below if bit(each) <= chosen)
        assert int(samples.chosen[k]) == bit(card)


def test_a_pass_is_three_decisions_in_a_random_order():
    deal = random_deal(PASSING, 0, 3, PassDirection.ACROSS)
    samples, n = listed(deal, 0)
    assert n == 12
    for seat in range(SEATS):
        hand, given, laid = deal.dealt[seat], deal.passes[seat], 0
        for k in range(3 * seat, 3 * seat + 3):
            left = sorted(members(hand & ~laid))
            active = set(samples.features[k, : samples.sizes[k, 0]].tolist())
            assert active == network_oracle.passing(left, laid, deal.direction)
            assert (int(samples.head[k]), int(samples.moves[k])) == (PASS_HEAD, hand & ~laid)
            assert int(samples.chosen[k]) == given & ~laid
            laid = given & ~int(samples.chosen[k + 1]) if k % 3 < 2 else given


def test_equivalent_cards():
    moves = np.uint64(bit(2) | bit(9) | bit(20))
    for card, expected in ((2, 2), (5, 2), (9, 9), (12, 9), (20, 20), (22, 20)):
        assert int(lowest_of_run(np.uint64(bit(card)), moves)) == bit(expected)
