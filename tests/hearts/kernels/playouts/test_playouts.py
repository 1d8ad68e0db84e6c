"""Every playout kernel against the plain Python oracle: all rules, from any point of a hand."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.bridge.playouts import epsilon_word
from hearts.engine.bridge.state import state_of
from hearts.engine.playouts import Playout
from hearts.game.cards import ALL_CARDS, HEARTS, SPADES, SUIT_MASK, bit
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, STANDARD, MoonScoring, PassDirection, Rules
from hearts.kernels.core import bits
from tests.hearts.game.rule_sets import rule_sets
from tests.hearts.kernels import oracle
from tests.hearts.play import before_rare, random_deal
from tests.hearts.playouts import play_out

RULES = rule_sets(moon=st.sampled_from([MoonScoring.OTHERS_ADD, MoonScoring.SHOOTER_SUBTRACTS]))
WHOLE_HAND_RULES = [
    STANDARD,
    PASSING,
    replace(PASSING, hearts_instead_of_queen=True),
    replace(STANDARD, jack_bonus=True, no_trick_bonus=True, shooting_needs_jack=True),
    Rules.from_mask(0),
    Rules.from_mask(0x3FFF),
]
PLAYOUTS = st.sampled_from(list(Playout))
SKEW = [0.0, 0.3, 0.6, 0.9]  # the rare rules matter in hands of long suits
SKEWS = st.sampled_from(SKEW)
SEEDS = st.integers(0, 2**32)
EPSILONS = st.sampled_from([0.0, 0.1, 0.5, 1.0])
# The other ways to compile (tests/hearts/kernels/test_modes.py) differ in a few functions only.
HANDS = 100 if bits.JIT and bits.HAS_BMI2 else 25


def oracle_points(deal: Deal, playout: Playout, epsilon: float, seed: int) -> tuple[int, ...]:
    stream = oracle.Stream(seed, 0)
    for card in oracle.play_out(deal, playout.value, int(epsilon_word(epsilon)), stream):
        deal = deal.play(card)
    return deal.final_points()


def kernel_points(deal: Deal, playout: Playout, epsilon: float, seed: int) -> tuple[int, ...]:
    points = play_out(state_of(deal)[None], deal.rules, playout, seed=seed, epsilon=epsilon)
    return tuple(points[0].tolist())


@settings(max_examples=5 * HANDS)
@given(RULES, PLAYOUTS, EPSILONS, st.integers(0, 51), SKEWS, SEEDS, st.integers(0, 2**64 - 1))
def test_a_playout_agrees_with_the_oracle_from_any_point(
    rules, playout, epsilon, cards, skew, deal_seed, seed
):
    deal = random_deal(rules, cards, deal_seed, skew=skew)
    assert kernel_points(deal, playout, epsilon, seed) == oracle_points(
        deal, playout, epsilon, seed
    )


@pytest.mark.parametrize("playout", Playout)
@pytest.mark.parametrize("rules", WHOLE_HAND_RULES)
def test_whole_hands_agree_with_the_oracle(playout, rules):
    for seed in range(HANDS):
        deal = random_deal(rules, 0, seed, skew=SKEW[seed % len(SKEW)])
        assert kernel_points(deal, playout, 0.1, seed) == oracle_points(deal, playout, 0.1, seed)


@pytest.mark.parametrize("playout", Playout)
def test_moon_hands_agree_with_the_oracle(playout):
    """Strong hands, so that tries, suspects and stops really happen."""
    moons = stopped = 0
    for seed in range(60):
        deal = strong_deal(seed)
        points = kernel_points(deal, playout, 0.1, seed)
        assert points == oracle_points(deal, playout, 0.1, seed)
        moons += sum(points) == 78
        stopped += sum(points) == 26
    assert moons
    assert stopped


def queen_fell_on_another_suit(deal: Deal) -> bool:
    """The queen is on the table, and the next player may throw the ace or king of spades."""
    queen_down = oracle.QUEEN in deal.trick.cards and deal.trick.led != SPADES
    return queen_down and bool(deal.legal & (bit(oracle.KING) | bit(oracle.ACE)))


def only_the_queen_is_quiet(deal: Deal) -> bool:
    """The leader has the queen and hearts, which are not broken."""
    hand = deal.hands[deal.turn or 0]
    quiet = hand & ~SUIT_MASK[HEARTS] == bit(oracle.QUEEN)
    return not deal.trick.cards and not deal.broken and quiet and hand != bit(oracle.QUEEN)


@cache
def rare_positions(rare):
    return before_rare(replace(PASSING, hearts_instead_of_queen=True), rare, 30)


@pytest.mark.parametrize("playout", Playout)
@pytest.mark.parametrize("rare", [queen_fell_on_another_suit, only_the_queen_is_quiet])
def test_rare_moments_agree_with_the_oracle(playout, rare):
    for seed, deal in enumerate(rare_positions(rare)):
        assert kernel_points(deal, playout, 0.0, seed) == oracle_points(deal, playout, 0.0, seed)


def strong_deal(seed: int) -> Deal:
    """A hand in which seat 0 holds most of the high cards."""
    rng = np.random.default_rng(seed)
    by_rank = sorted(ALL_CARDS, key=lambda card: -(card & 15) + rng.normal(0, 2))
    rest = rng.permutation(by_rank[13:]).tolist()
    hands = [by_rank[:13], rest[:13], rest[13:26], rest[26:]]
    return Deal.of(STANDARD, [sum(1 << card for card in hand) for hand in hands])


@given(RULES, PLAYOUTS, st.integers(0, 51), SKEWS, SEEDS)
def test_points_sum_to_the_total_of_the_deal(rules, playout, cards, skew, seed):
    deal = random_deal(rules, cards, seed, skew=skew)
    points = kernel_points(deal, playout, 0.1, seed)
    jack = -10 if rules.jack_bonus else 0
    moon = {MoonScoring.OTHERS_ADD: 3, MoonScoring.SHOOTER_SUBTRACTS: -1}[rules.moon] * rules.total
    no_tricks = {-5 * seats for seats in range(4)} if rules.no_trick_bonus else {0}
    totals = {rules.total + jack + bonus for bonus in no_tricks}
    assert sum(points) in totals | ({moon + jack} if rules.moon_cards else set())


@pytest.mark.parametrize("playout", Playout)
def test_a_seed_is_reproducible_and_seeds_differ(playout):
    states = np.array([state_of(random_deal(STANDARD, 0, seed)) for seed in range(50)])
    once, again = (play_out(states, STANDARD, playout, seed=7) for _ in range(2))
    other = play_out(states, STANDARD, playout, seed=8)
    assert (once == again).all()
    assert (once != other).any()


def test_streams_of_one_seed_differ_by_index():
    states = np.array([state_of(random_deal(STANDARD, 0, 1))] * 100)
    points = play_out(states, STANDARD, Playout.UNIFORM, seed=7)
    assert len({tuple(row) for row in points.tolist()}) > 20


def test_shoot_aware_playouts_make_more_moons_of_strong_hands_than_chance():
    states = np.array([state_of(strong_deal(seed)) for seed in range(400)])
    points = {playout: play_out(states, STANDARD, playout) for playout in Playout}
    moons = {playout: int((each.sum(axis=1) == 78).sum()) for playout, each in points.items()}
    assert moons[Playout.SHOOT_AWARE] > moons[Playout.UNIFORM]


def test_without_epsilon_a_greedy_playout_ignores_the_seed():
    states = np.array([state_of(random_deal(PASSING, 0, seed)) for seed in range(50)])
    one, two = (
        play_out(states, PASSING, Playout.EPSILON_GREEDY, seed=s, epsilon=0) for s in (1, 2)
    )
    assert (one == two).all()


def test_deals_may_be_played_out_in_every_pass_direction():
    deal = random_deal(PASSING, 4, 3, PassDirection.LEFT)
    assert sum(kernel_points(deal, Playout.UNIFORM, 0.1, 1)) in (26, 78)
