"""Legal plays and points of the kernels against hearts.game.rules."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hearts.engine.bridge.state import pack_state, rules_word, state_of
from hearts.game.cards import ALL_CARDS, SEATS, set_of
from hearts.game.rules import ALL_HEARTS, JACK, QUEEN, hand_points, moon_shooter
from hearts.game.trick import Trick
from hearts.kernels.core.jit import kernel
from hearts.kernels.core.state import final_points, legal_plays, unpack_meta
from tests.hearts.kernels.playouts.test_playouts import RULES, SEEDS, SKEWS
from tests.hearts.play import positions


@kernel
def legal_in(state, rules):
    """The legal cards of the seat to play."""
    turn, _, count, first, broken = unpack_meta(state[6])
    return legal_plays(state[turn], state[5], count, first, broken, rules)


@given(RULES, SKEWS, SEEDS)
def test_legal_plays_agree_with_the_rules_all_through_a_hand(rules, skew, seed):
    for deal in positions(rules, seed, skew=skew):
        assert int(legal_in(state_of(deal), rules_word(rules))) == deal.legal


@given(RULES, SEEDS, st.booleans())
def test_final_points_agree_with_the_rules(rules, seed, greed):
    """With greed seat 1 takes every trick that costs: moons, and seats without a trick, occur."""
    rng = np.random.default_rng(seed)
    taken = [0] * SEATS
    for cards in rng.permutation(ALL_CARDS).reshape(-1, SEATS).tolist():
        costs = set_of(cards) & (ALL_HEARTS | QUEEN | JACK)
        taken[1 if greed and costs else int(rng.integers(SEATS))] |= set_of(cards)
    state = pack_state([0] * SEATS, Trick(0), taken, first_trick=False, broken=True)
    points = np.zeros(SEATS, dtype=np.int64)
    shooter = final_points(state[7], rules_word(rules), points)
    assert tuple(points.tolist()) == hand_points(rules, taken, rules.moon)
    assert (None if shooter < 0 else shooter) == moon_shooter(rules, taken)
