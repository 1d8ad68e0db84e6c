"""Compile every kernel of the engine with one small decision of each kind.

numba compiles a kernel on its first call with arguments of new types. The `STEPS` together call
every kernel that a decision calls. They are independent of each other, so that several processes
can compile at once. A new kernel that only some views reach needs such a view here.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np

from hearts.engine.config import ALGORITHMS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from hearts.engine.passing.rule import rule_pass
from hearts.game.cards import RANKS, SEATS, lowest, parse_cards
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View

_SHORT_HANDS = ("3C 9C 8D KD 4S QS 2H", "3C 8D KD QS", "3C KD")
_FEW = SearchConfig(simulations=10, worlds=2, reward="match")  # it calls all that others call
_ENDING = 3  # cards a seat: worlds of this size are solved
_TREES = tuple(algorithm for algorithm in ALGORITHMS if algorithm != "rollouts")


def compile_trees() -> None:
    """Search with a tree, counted and timed."""
    _search(*_TREES)


def compile_rollouts() -> None:
    """Search and pass by rollouts of the network."""
    _search("rollouts")
    _pass("rollouts")


def compile_passes() -> None:
    """Choose passes by playouts."""
    _pass(*_TREES)


def compile_endings() -> None:
    """Solve endings exactly."""
    for view in views():
        if view.to_move and view.round_size <= _ENDING:
            decide(view, replace(_FEW, endgame=_ENDING))


# Most expensive first, so that processes that share them end at about the same time.
STEPS: dict[str, Callable[[], None]] = {
    "rollouts": compile_rollouts,
    "trees": compile_trees,
    "passes": compile_passes,
    "endings": compile_endings,
}


def views() -> list[View]:
    """Views of every kind: partial ones, before and after a pass, with histories short and long."""
    short = [View(0, parse_cards(hand), Trick(0), hearts_broken=True) for hand in _SHORT_HANDS]
    return [*short, *_hand()]


def _search(*algorithms: str) -> None:
    for algorithm, view, time_ms in product(algorithms, views(), (None, 1.0)):
        if view.to_move:
            decide(view, replace(_FEW, algorithm=algorithm, time_ms=time_ms))


def _pass(*algorithms: str) -> None:
    view = next(view for view in views() if view.passing)
    for algorithm, simulations in product(algorithms, (1, 100)):  # 1: too few to halve
        choose_pass(view, replace(_FEW, algorithm=algorithm, simulations=simulations))


def _hand() -> list[View]:
    """Views of one hand: at the pass, then at some tricks."""
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(1))
    found = [View.of(deal, 0)]
    for seat in range(SEATS):
        deal = deal.give(seat, rule_pass(deal.hands[seat], deal.direction, deal.rules))
    for number in range(RANKS):
        for place in range(SEATS):
            if number in (0, 1, 6, 10) and place in (0, 2):
                found.append(View.of(deal, deal.turn or 0))
            deal = deal.play(lowest(deal.legal))
    # The last view again, with one earlier hand of the same players.
    return [*found, replace(found[-1], earlier=(deal.tricks,))]
