"""Searches over counterfactual worlds, in which the searching seat holds another hand."""

import numpy as np
import pytest

from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.state import rules_word
from hearts.engine.bridge.worlds import root_moves, world_states
from hearts.engine.config import ALGORITHMS, SearchConfig
from hearts.engine.search.dispatch import search
from hearts.game.cards import count
from hearts.game.errors import InvalidConfig
from hearts.game.rules import Rules
from hearts.game.trick import Hands
from hearts.kernels.core.reward import DIFFERENCE
from hearts.kernels.core.state import final_points
from hearts.kernels.core.statistics import POINTS, VISITS
from hearts.kernels.search.solver import TABLE_SIZE, solve_moves
from hearts.views.view import View
from tests.hearts.engine.searches import SOLVING, TREES, one_world
from tests.hearts.play import random_deal


def counterfactual_hands(view: View, hands: Hands) -> Hands:
    """A deal in which the viewer has swapped one of its moves for a card of another seat."""
    seat, other = view.seat, next(s for s in view.others if hands[s] & ~view.denied[s])
    given = view.legal & -view.legal
    got = hands[other] & -hands[other]
    changed = list(hands)
    changed[seat] ^= given | got
    changed[other] ^= given | got
    return tuple(changed)


def swapped(cards: range) -> list[tuple[View, Hands, int]]:
    """Views with a choice, a counterfactual deal without the lowest move, and its moves."""
    found = []
    for n in cards:
        for seed in range(8):
            deal = random_deal(Rules.from_mask(0), n, seed)
            view = View.of(deal, deal.turn or 0)
            if view.trick.cards or count(root_moves(view)) < 2:
                continue  # on lead every card is legal by these rules: the swap takes one move away
            hands = counterfactual_hands(view, deal.hands)
            found.append((view, hands, root_moves(view) & hands[view.seat]))
    return found


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_world_speaks_for_the_moves_that_its_hand_has(algorithm):
    for view, hands, left in swapped(range(4, 32, 4)):
        config = SearchConfig(algorithm=algorithm, simulations=64, worlds=1, endgame=0)
        result = search(view, one_world(hands), config)
        tried = result.statistics[0, :, VISITS] > 0
        moves = [root_moves(view) & cards for cards in result.moves]
        assert tried.tolist() == [bool(cards & left) for cards in moves]
        assert result.simulations == result.statistics[..., VISITS].sum()
        assert result.simulations == 64 or algorithm not in TREES


def test_an_ending_is_solved_for_the_moves_that_its_hand_has():
    tried = 0
    for view, hands, left in swapped(range(36, 45, 4)):
        result = search(view, one_world(hands), SOLVING)
        assert result.exact
        state = world_states(view, one_world(hands))[0]
        for row, cards in zip(result.statistics[0], result.moves, strict=True):
            card = root_moves(view) & cards
            assert row[VISITS] == bool(card & left)
            if card & left:
                keys, values = np.zeros((2, TABLE_SIZE), dtype=np.uint64)
                lines = np.zeros(13, dtype=np.uint64)
                word = rules_word(view.rules)
                solve_moves(state, np.uint64(card), word, DIFFERENCE, keys, values, lines)
                points = np.empty(4, dtype=np.int64)
                final_points(lines[0], word, points)
                assert row[POINTS] == points[view.seat]
                tried += 1
    assert tried > 10


def test_worlds_without_a_move_of_the_hand_are_left_out():
    view, hands, _ = swapped(range(20, 21))[0]
    useless, other = list(hands), view.others[2]
    useless[view.seat], useless[other] = useless[other], useless[view.seat]
    assert not useless[view.seat] & view.legal
    both = Worlds(np.array([hands, useless], dtype=np.uint64), np.array([0.25, 0.75]))
    for algorithm in ALGORITHMS:
        config = SearchConfig(algorithm=algorithm, simulations=50, worlds=2)
        result = search(view, both, config)
        assert len(result.statistics) == len(result.weights) == 1
        assert result.weights.tolist() == [1.0]
        assert result.simulations == 50 or algorithm not in TREES
    with pytest.raises(InvalidConfig, match="belief: it gave no world"):
        search(view, one_world(tuple(useless)), SearchConfig())
