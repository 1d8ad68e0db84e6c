"""The network against plain Python, card by card; and that it sees no hidden card."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.bridge.network import (
    NETWORKS,
    Network,
    network_in_data,
    seen_by,
    shipped,
    stacked,
)
from hearts.engine.bridge.policies import NO_EPSILON, POLICIES, all_network, rollout_policies
from hearts.engine.bridge.state import pack_state, rules_word, state_of
from hearts.engine.rewards import reward_scale
from hearts.engine.search.rollouts import as_trained
from hearts.game.cards import SEATS, bit, members, set_of
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, STANDARD, PassDirection, Rules
from hearts.kernels.network import features as layout
from hearts.kernels.network.features import FEATURES
from hearts.kernels.network.inference import OUTPUTS, UNIT
from hearts.kernels.network.rollouts import (
    network_passes,
    pass_probabilities,
    play_hands,
    refresh_worlds,
    roll_out_passes,
    rollout,
)
from hearts.kernels.policies.choose import CAUTIOUS, NETWORK, NETWORK_BEST
from hearts.players.spec import RULE_BASED
from hearts.views.view import View
from tests.hearts.games import VARIANTS
from tests.hearts.kernels.network import network_oracle
from tests.hearts.kernels.oracle import Stream
from tests.hearts.play import random_deal

DIRECTIONS = st.sampled_from(list(PassDirection))
SEEDS = st.integers(0, 2**32)
SKEWS = st.sampled_from([0.0, 0.3, 0.6])

CODES = {name: POLICIES[name].code for name in RULE_BASED if name in POLICIES} | {
    network_oracle.NETWORK: NETWORK,
    network_oracle.BEST: NETWORK_BEST,
    network_oracle.OTHER: NETWORK + 2,
}


def random_network(seed: int, hidden1: int = 16, hidden2: int = 4) -> Network:
    """Weights that make every feature matter."""
    rng = np.random.default_rng(seed)

    def whole(*shape: int) -> np.ndarray:
        return rng.integers(-40, 40, shape).astype(np.float32)

    return Network(
        features=whole(FEATURES, hidden1),
        bias=whole(hidden1) + 100,
        hidden=whole(hidden2, hidden1),
        hidden_bias=whole(hidden2) * 1000,
        out=whole(OUTPUTS, hidden2) * 8,
        out_bias=whole(OUTPUTS) * 1000,
    )


SMALL, OTHER = random_network(1), random_network(2)


def seen_by_all(deal: Deal, *, me: int | None = None):
    """What all seats have seen; with `me`, only that seat knows of its pass."""
    views = [View.of(deal, seat) for seat in range(SEATS)]
    seen, voids = seen_by(views[0])
    for seat, view in enumerate(views):
        own = seen_by(view)[0][seat, layout.SEEN_GAVE :]
        seen[seat, layout.SEEN_GAVE :] = own if me in (None, seat) else 0
    return seen, voids


def trained_state(deal: Deal) -> np.ndarray:
    """The state of a deal, as self-play has it."""
    return as_trained(state_of(deal)[None], View.of(deal, 0))[0]


def play_out(
    network: Network,
    deal: Deal,
    seed: int,
    move: int = 0,
    me: int | None = None,
    names: tuple[str, ...] = ("network",) * SEATS,
) -> int:
    """What a rollout of the kernel takes."""
    policies = np.array([CODES[name] for name in names])
    state, (seen, voids) = trained_state(deal), seen_by_all(deal, me=me)
    hidden1, hidden2 = len(network.bias), len(network.hidden_bias)
    networks = stacked(network, OTHER) if len(OTHER.bias) == hidden1 else stacked(network)
    accumulators = np.empty((1, SEATS, hidden1), dtype=np.float32)
    refresh_worlds(policies[None], state[None], seen[None], voids, networks, accumulators)
    scratch = (
        np.empty(hidden1, dtype=np.float32),
        np.empty(hidden2, dtype=np.float32),
        np.empty(13),
    )
    hands = np.empty(SEATS, dtype=np.uint64)
    rules = rules_word(deal.rules)
    taken = rollout(
        np.uint64(move), policies, state, seen, voids, rules, np.uint64(seed), NO_EPSILON,
        networks, hands, accumulators[0], *scratch,
    )  # fmt: skip
    return int(taken)


def taken_word(deal: Deal) -> int:
    state = pack_state([0] * 4, deal.trick, deal.taken, first_trick=False, broken=False)
    return int(state[7])


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        replace, st.sampled_from([*VARIANTS.values()]),
        jack_bonus=st.booleans(), no_shooting=st.booleans(),
    ),
    DIRECTIONS, st.integers(0, 51), SKEWS, SEEDS, st.integers(0, 2**64 - 1),
)  # fmt: skip
def test_a_rollout_agrees_with_the_oracle_card_by_card(rules, direction, cards, skew, seed, stream):
    deal = random_deal(rules, cards, seed, direction, skew=skew)
    end = network_oracle.play_on(SMALL, deal, Stream.at(stream))
    assert play_out(SMALL, deal, stream) == taken_word(end)


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(*[st.sampled_from(sorted(CODES))] * SEATS),
    DIRECTIONS, st.integers(0, 51), SKEWS, SEEDS, st.integers(0, 2**64 - 1),
)  # fmt: skip
def test_every_seat_plays_by_its_own_policy(names, direction, cards, skew, seed, stream):
    deal = random_deal(PASSING, cards, seed, direction, skew=skew)
    end = network_oracle.play_on(SMALL, deal, Stream.at(stream), names=names, other=OTHER)
    assert play_out(SMALL, deal, stream, names=names) == taken_word(end)


def test_the_shipped_network_agrees_with_the_oracle():
    for seed in range(6):
        deal = random_deal(PASSING, 7 * seed, seed, PassDirection(seed % 4))
        end = network_oracle.play_on(shipped(), deal, Stream.at(seed), me=1)
        assert play_out(shipped(), deal, seed, me=1) == taken_word(end)


@pytest.mark.parametrize("name", NETWORKS)
def test_sums_of_a_network_stay_exact(name):
    """Whole numbers below 2^24 add up exactly in float32, in any order."""
    network = network_in_data(name)
    first = np.abs(network.bias) + np.sort(np.abs(network.features), axis=0)[
        -layout.MAX_ACTIVE :
    ].sum(0)
    assert first.max() < 2**24
    for array in network.arrays:
        assert (array == np.rint(array)).all()
    largest = 0.0
    for seed in range(20):
        deal = random_deal(PASSING, seed * 2, seed, PassDirection(seed % 4))
        active = network_oracle.known(deal, 0) | network_oracle.on_the_table(deal, 0)
        hidden1 = np.maximum(network.bias + network.features[sorted(active)].sum(axis=0), 0)
        products = np.abs(network.hidden) @ hidden1 + np.abs(network.hidden_bias)
        hidden2 = np.maximum(network.hidden @ hidden1 + network.hidden_bias, 0) // UNIT
        scores = np.abs(network.out) @ hidden2 + np.abs(network.out_bias)
        largest = max(largest, float(products.max()), float(scores.max()))
    assert largest < 2**24


@settings(max_examples=40, deadline=None)
@given(DIRECTIONS, st.integers(0, 47), SEEDS)
def test_hidden_cards_change_nothing(direction, cards, seed):
    """Two others swap cards that they could have: the features of a seat stay what they were."""
    deal = random_deal(PASSING, cards, seed, direction)
    seat = deal.turn
    assert seat is not None
    active = network_oracle.known(deal, seat)
    one, other = (seat + 1) % SEATS, (seat + 2) % SEATS
    state, (seen, voids) = trained_state(deal), seen_by_all(deal, me=seat)
    swapped = state.copy()
    swapped[one], swapped[other] = state[other], state[one]
    hidden1 = len(SMALL.bias)
    accumulators = np.empty((2, SEATS, hidden1), dtype=np.float32)
    states, both = np.stack([state, swapped]), np.stack([seen, seen])
    refresh_worlds(all_network(2), states, both, voids, stacked(SMALL), accumulators)
    assert (accumulators[0, seat] == accumulators[1, seat]).all()
    assert (accumulators[0, seat] == SMALL.bias + SMALL.features[sorted(active)].sum(axis=0)).all()


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from([d for d in PassDirection if d]), SEEDS, st.integers(0, 2**32), st.booleans()
)
def test_passes_agree_with_the_oracle(direction, seed, stream, jack):
    rules = rules_word(replace(PASSING, jack_bonus=jack))
    deal = random_deal(PASSING, 0, seed)
    hands, passes = np.array([deal.dealt], dtype=np.uint64), np.empty((1, SEATS), dtype=np.uint64)
    network_passes(
        all_network(len(hands)), hands, 2, np.uint64(direction), np.uint64(stream),
        rules, stacked(SMALL), passes,
    )  # fmt: skip
    words = Stream.at(stream)
    for seat in range(SEATS):
        expected = 0
        if seat != 2:
            dealt = deal.dealt[seat]
            expected = network_oracle.pass_cards(SMALL, dealt, direction, words, jack=jack)
        assert int(passes[0, seat]) == expected
    found = np.empty(13)
    pass_probabilities(hands[0, 2], np.uint64(direction), rules, SMALL.arrays, found)
    cards = sorted(members(deal.dealt[2]))
    expected = network_oracle.pass_policy_of(SMALL, cards, 0, direction, jack=jack)
    assert found == pytest.approx(expected)


def test_a_pass_is_played_out_as_the_oracle_does():
    deal = random_deal(PASSING, 0, 5)
    direction, seat = PassDirection.LEFT, 1
    gives = [set_of(list(members(hand))[:3]) for hand in deal.dealt]
    triples = np.array([gives[seat], set_of(list(members(deal.dealt[seat]))[5:8])], dtype=np.uint64)
    hands, passes = np.array([deal.dealt], dtype=np.uint64), np.array([gives], dtype=np.uint64)
    reward = reward_scale("difference", PASSING, (0, 0, 0, 0))
    statistics = np.zeros((2, 8))
    roll_out_passes(
        all_network(1), triples, hands, passes, seat, np.uint64(direction), np.uint64(9),
        NO_EPSILON, rules_word(PASSING), *reward.arguments, stacked(SMALL), statistics,
    )  # fmt: skip
    for triple, row in zip(triples.tolist(), statistics, strict=True):
        given = Deal.of(PASSING, deal.dealt, direction)
        for giver in range(SEATS):
            given = given.give(giver, triple if giver == seat else gives[giver])
        end = network_oracle.play_on(SMALL, given, Stream.at(9))
        assert row[2] == end.final_points()[seat]


@pytest.mark.parametrize("direction", PassDirection)
def test_hands_are_played_as_the_oracle_does(direction):
    deals = [random_deal(PASSING, 0, seed) for seed in (5, 6)]
    cards = np.array([deal.dealt for deal in deals], dtype=np.uint64)
    gives = [[set_of(list(members(hand))[:3]) for hand in deal.dealt] for deal in deals]
    given = np.array(gives, dtype=np.uint64) if direction else np.zeros_like(cards)
    points = np.empty((2, SEATS), dtype=np.int64)
    play_hands(
        all_network(2), cards, given, np.uint64(direction), np.uint64(9), NO_EPSILON,
        rules_word(PASSING), stacked(SMALL), points,
    )  # fmt: skip
    for hand, deal in enumerate(deals):
        passed = Deal.of(PASSING, deal.dealt, direction)
        for giver in range(SEATS) if direction else ():
            passed = passed.give(giver, gives[hand][giver])
        end = network_oracle.play_on(SMALL, passed, Stream.at(9, fork=hand))
        assert tuple(points[hand].tolist()) == end.final_points()


def test_a_move_is_played_first():
    deal = random_deal(PASSING, 10, 3)
    for card in network_oracle.moves(deal):
        end = network_oracle.play_on(SMALL, deal.play(card), Stream.at(4))
        assert play_out(SMALL, deal, 4, bit(card)) == taken_word(end)


@pytest.mark.parametrize(
    ("rules", "scoring", "penalties"),
    [
        (STANDARD, True, True),
        (PASSING, True, True),
        (replace(PASSING, must_break_hearts=False), True, True),
        (Rules.from_mask(0), False, False),
        (replace(PASSING, jack_bonus=True), False, True),
        (replace(PASSING, no_trick_bonus=True), False, True),
        (replace(PASSING, no_shooting=True), False, True),
        (replace(PASSING, hearts_arent_points=True), False, False),
        (replace(PASSING, shooting_needs_jack=True), False, True),
    ],
)
def test_the_network_plays_where_penalties_are_usual(rules, scoring, penalties):
    assert (rules.usual_scoring, rules.usual_penalties) == (scoring, penalties)
    assert (rollout_policies(rules, 2) == (NETWORK if penalties else CAUTIOUS)).all()
