"""Views, worlds and configs for tests of the search."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.worlds import root_moves
from hearts.engine.config import ALGORITHMS, SearchConfig
from hearts.engine.decision import Decision
from hearts.game.cards import count
from hearts.game.rules import STANDARD, Rules
from hearts.game.trick import Hands
from hearts.views.view import View
from models.voids import VoidBelief
from tests.hearts.play import random_deal

TREES = tuple(one for one in ALGORITHMS if one != "rollouts")  # racing may end early
QUICK = SearchConfig(worlds=12, simulations=300, endgame=0)
SOLVING = SearchConfig(reward="difference", endgame=5)
SCORES = st.lists(st.integers(-60, 140), min_size=4, max_size=4).map(tuple)


def choices(rules: Rules, cards: range, seeds: range) -> list[View]:
    """Views in which the seat is to play and has a choice."""
    deals = [random_deal(rules, n, seed) for n in cards for seed in seeds]
    views = [View.of(deal, deal.turn) for deal in deals if deal.turn is not None]
    return [view for view in views if count(root_moves(view)) > 1]


def one_world(hands: Hands) -> Worlds:
    return Worlds(np.array([hands], dtype=np.uint64), np.ones(1))


def sample(view: View, n: int) -> Worlds:
    return VoidBelief().sample(view, n, np.random.default_rng(1))


def without_time(decision: Decision) -> Decision:
    """The decision without what may differ: seconds, and the number of threads."""
    config = replace(decision.config, threads=1)
    return replace(decision, seconds=0.0, config=config)


VIEWS = choices(STANDARD, range(1, 48, 5), range(2))
EARLY = next(view for view in VIEWS if view.round_size == 13)
