"""How well a network predicts plays, against plain Python asked card by card."""

import numpy as np
import pytest

from hearts.engine.bridge.state import rules_word
from hearts.engine.bridge.worlds import equal_cards
from hearts.game.cards import SEATS, lowest
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.kernels.beliefs import situations as column
from hearts.kernels.beliefs.network_types import network_logs, refresh_public
from hearts.views.view import View
from models.evaluation.labelled import replay
from models.evidence import later_cards, situations_of
from tests.hearts.kernels.network import network_oracle
from tests.hearts.kernels.network.test_inference import SMALL
from tests.hearts.play import random_deal

U = np.uint64


def log_probability(before: Deal, seat: int, card: int) -> float:
    """log P(card) in a network that forgot the pass; equivalent cards share a move."""
    groups = equal_cards(View.of(before, seat, checked=False))
    own = next(group for group in groups if group >> card & 1)
    found = -np.log(own.bit_count())
    if len(groups) > 1:
        active = network_oracle.known(before, seat, passes=False)
        active |= network_oracle.on_the_table(before, seat)
        policy = network_oracle.probabilities(SMALL, active, [lowest(group) for group in groups])
        found += np.log(policy[groups.index(own)])
    return found


def test_plays_have_the_probabilities_of_the_oracle():
    """Of two hands each: the true one, and one with another seat's hidden cards."""
    informative = 0
    for seed in range(6):
        deal = random_deal(PASSING, 9 + 7 * seed, seed, PassDirection(seed % 4), skew=0.2)
        plays, word = list(deal.plays), rules_word(PASSING)
        situations = situations_of(View.of(deal, 0).plays, word)
        held = np.array(later_cards(View.of(deal, 0).plays), dtype=U)
        accumulators = np.empty((len(held), len(SMALL.bias)), dtype=np.float32)
        refresh_public(situations, held, SMALL.arrays, accumulators)
        for seat in range(SEATS):
            own = situations[:, column.TURN] == seat
            expected = sum(
                log_probability(replay(deal, number), seat, card)
                for number, (player, card) in enumerate(plays)
                if player == seat
            )
            hands = np.array([deal.hands[seat], deal.hands[seat - 1]], dtype=U)
            logs = np.empty(2)
            network_logs(
                situations[own], held[own], accumulators[own], hands, word, True, SMALL.arrays, logs
            )  # fmt: skip
            assert logs[0] == pytest.approx(expected, abs=1e-6)
            informative += abs(logs[1] - logs[0]) > 0.1
    assert informative > 12  # another hand explains the plays better or worse
