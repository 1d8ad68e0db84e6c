"""Kernel states of worlds."""

import numpy as np

from hearts.engine.bridge.worlds import world_states
from hearts.game.cards import parse_cards
from hearts.game.trick import Trick
from hearts.views.view import View
from models.voids import VoidBelief


def test_claimed_points_count_where_they_can_be():
    hand = parse_cards("2C 5C 9C 8D JH 4S AS")
    view = View(0, hand, Trick(0), hearts_broken=True, points_claim=(0, 5, 0, 0))
    worlds = VoidBelief().sample(view, 20, np.random.default_rng(1))
    assert {int(taken) >> 16 & 0xF for taken in world_states(view, worlds)[:, 7]} == {5}
