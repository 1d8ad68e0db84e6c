"""`decide`: the card that a seat should play."""

import time

import numpy as np

from hearts.engine.aggregation import scores, votes
from hearts.engine.beliefs import Belief, load_belief
from hearts.engine.clock import Deadline
from hearts.engine.config import SearchConfig
from hearts.engine.decision import CardFigures, Decision, card_figures
from hearts.engine.search.dispatch import possible_config, search, worlds_wanted
from hearts.engine.search.result import Findings, Stop, Watch
from hearts.game.cards import count, lowest, members
from hearts.game.errors import IllegalMove
from hearts.views.view import View

DEFAULT = SearchConfig()


def decide(
    view: View,
    config: SearchConfig = DEFAULT,
    *,
    belief: Belief | None = None,
    stop: Stop | None = None,
    watch: Watch | None = None,
) -> Decision:
    """Choose a card for the seat of a view; `belief` takes the place of the config's by name."""
    started, deadline = time.perf_counter(), Deadline(config)
    if not view.to_move:
        raise IllegalMove(f"seat {view.seat} is not to play: {_whose_turn(view)}")
    config = possible_config(view, config)
    if count(view.legal) == 1:
        return _forced(view, config, started)
    rng = np.random.default_rng(config.seed)
    worlds = (belief or load_belief(config.belief)).sample(view, worlds_wanted(view, config), rng)
    findings = search(view, worlds, config, stop=stop, deadline=deadline, watch=watch)
    cards = ranked(findings, config)
    blunder = bool(config.blunder) and rng.random() < config.blunder
    card = int(rng.choice(list(members(view.legal)))) if blunder else cards[0].card
    return Decision(
        card=card,
        cards=cards,
        worlds=findings.worlds,
        effective_worlds=worlds.effective,
        simulations=findings.simulations,
        seconds=time.perf_counter() - started,
        seed=config.seed,
        config=config,
        exact=findings.exact,
        blunder=blunder,
        view=view,
        findings=findings,
    )


def ranked(findings: Findings, config: SearchConfig) -> tuple[CardFigures, ...]:
    """The figures of every legal card, best first; also of a search that still runs."""
    return card_figures(findings, votes(findings, config), scores(findings, config))


def _forced(view: View, config: SearchConfig, started: float) -> Decision:
    """The only legal card, without a search."""
    return Decision(
        card=lowest(view.legal),
        cards=(),
        worlds=0,
        effective_worlds=0.0,
        simulations=0,
        seconds=time.perf_counter() - started,
        seed=config.seed,
        config=config,
        exact=True,
        blunder=False,
        view=view,
    )


def _whose_turn(view: View) -> str:
    if view.turn is not None:
        return f"seat {view.turn} is"
    return "cards are to be passed" if view.passing else "the hand is over"
