"""The player `duck`: the greedy playout policy, as a baseline."""

import numpy as np

from hearts.engine.bridge.state import pack_state, rules_word
from hearts.engine.passing.rule import rule_pass
from hearts.game.cards import Card, CardSet
from hearts.kernels.core.bits import U
from hearts.kernels.core.state import QUEEN, bonus_jack, lane_of, penalty_cards
from hearts.kernels.playouts.greedy import greedy_discard, greedy_follow, greedy_lead, is_free
from hearts.players.player import Player
from hearts.views.view import View


class DuckPlayer(Player):
    """Ducks as high as it can, discards Q♠, leads low: see hearts.kernels.playouts.greedy."""

    name = "duck"

    def choose_card(self, view: View, seed: int) -> Card:
        """Choose by the heuristic, without randomness."""
        rules, legal = rules_word(view.rules), U(view.legal)
        penalties, jack = U(penalty_cards(rules)), U(bonus_jack(rules))
        queen_out = penalties & QUEEN & U(view.unseen | view.hand)
        if not view.trick.cards:
            return _card(greedy_lead(legal, queen_out))
        state = pack_state([0] * 4, view.trick, [0] * 4, first_trick=False, broken=False)
        trick, best = state[4], state[5]
        if legal & U(lane_of(best)):
            last = len(view.trick.cards) == 3 or bool(is_free(U(view.first_trick), rules))
            return _card(greedy_follow(legal, best, trick, last, penalties, jack))
        return _card(greedy_discard(legal, queen_out, penalties, jack))

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Pass by heuristic rules."""
        return rule_pass(view.hand, view.direction, view.rules)


def _card(bit: np.uint64) -> Card:
    return int(bit).bit_length() - 1
