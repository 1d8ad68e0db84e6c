"""Everything compiled once, so that the first real decision is as fast as the others.

A kernel compiles when it is first called with arguments of some types. So there are views of every
kind here: whoever adds a kernel that only some views reach adds such a view.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from hearts.analysis.forecasts import chances_of
from hearts.engine.config import ALGORITHMS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass, rule_pass
from hearts.game.cards import RANKS, SEATS, lowest, parse_cards
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View

_SHORT_HANDS = ("3C 9C 8D KD 4S QS 2H", "3C 8D KD QS", "3C KD")
_FEW = SearchConfig(simulations=10, worlds=2)
_ENDING = 3  # worlds of so many cards a seat are solved


def compile_kernels() -> None:
    """Take one small decision of every kind."""
    for algorithm, view, time_ms in product(ALGORITHMS, views(), (None, 1.0)):
        if view.to_move:
            decide(view, replace(_FEW, algorithm=algorithm, time_ms=time_ms))
    for view in views():
        if view.to_move and view.round_size <= _ENDING:
            decide(view, replace(_FEW, endgame=_ENDING))
        if view.passing:
            for algorithm, simulations in product(ALGORITHMS, (1, 100)):  # 1: no time for a race
                choose_pass(view, replace(_FEW, algorithm=algorithm, simulations=simulations))
    chances_of(Deal.random(PASSING, PassDirection.HOLD, np.random.default_rng(1)), playouts=1)


def views() -> list[View]:
    """Views of every kind: partial ones, before and after a pass, with histories short and long."""
    short = [View(0, parse_cards(hand), Trick(0), hearts_broken=True) for hand in _SHORT_HANDS]
    return [*short, *_hand()]


def _hand() -> list[View]:
    """What the seats saw of one hand: at the pass, then at some tricks."""
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(1))
    found = [deal.view(0)]
    for seat in range(SEATS):
        deal = deal.give(seat, rule_pass(deal.hands[seat], deal.direction, deal.rules))
    for number in range(RANKS):
        for place in range(SEATS):
            if number in (0, 1, 6, 10) and place in (0, 2):
                found.append(deal.view(deal.turn or 0))
            deal = deal.play(lowest(deal.legal))
    # The last one again, had the same players played such a hand before.
    return [*found, replace(found[-1], earlier=(deal.tricks,))]
