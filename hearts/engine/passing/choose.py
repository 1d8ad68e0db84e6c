"""`choose_pass`: choose the three cards that a seat passes."""

import time
from dataclasses import replace

from hearts.engine.beliefs import Belief, load_belief
from hearts.engine.clock import Deadline, Stop
from hearts.engine.config import SearchConfig
from hearts.engine.passing.decision import PassCandidate, PassDecision
from hearts.engine.passing.halving import SequentialHalving
from hearts.engine.passing.rule import rule_pass
from hearts.engine.playouts import Playout
from hearts.game.cards import CardSet
from hearts.game.errors import IllegalMove
from hearts.views.view import View


def choose_pass(
    view: View,
    config: SearchConfig,
    *,
    belief: Belief | None = None,
    stop: Stop | None = None,
    alternative: CardSet = 0,
) -> PassDecision:
    """Choose three cards for the seat of a view in which cards are to be passed.

    `alternative` is a triple to compare: it joins the candidates, and is then compared with the
    winner on new worlds, because the selection biases the winner's own statistics.
    """
    started, deadline = time.perf_counter(), Deadline(config)
    if not view.passing:
        raise IllegalMove(f"seat {view.seat} has no cards to pass")
    config = replace(config, playout=Playout(config.playout).under(view.rules).value)
    cards = rule_pass(view.hand, view.direction, view.rules)
    candidates: list[PassCandidate] = []
    cost, playouts = None, 0
    if config.passing == "search" or alternative:
        belief = belief or load_belief(config.belief)
        halving = SequentialHalving(view, config, belief, stop, deadline)
        if config.passing == "search":
            candidates = halving.run(alternative)
            cards = candidates[0].cards if halving.playouts else cards
        cost = halving.compare(alternative, cards) if alternative else None
        playouts = halving.playouts
    return PassDecision(
        cards=cards,
        candidates=tuple(candidates),
        cost=cost,
        simulations=playouts,
        seconds=time.perf_counter() - started,
        seed=config.seed,
        config=config,
        view=view,
    )
