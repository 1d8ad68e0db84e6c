"""`decide`: choose a card for the seat of a view."""

import time

import numpy as np

from hearts.engine.aggregation import scores, votes
from hearts.engine.beliefs import Belief, load_belief, sample_worlds
from hearts.engine.clock import Deadline, Limit, Stop, no_stop
from hearts.engine.config import SearchConfig
from hearts.engine.decision import Decision
from hearts.engine.levels import DEFAULT
from hearts.engine.search.dispatch import search, supported_config, worlds_wanted
from hearts.engine.search.result import SearchResult, Watch
from hearts.engine.statistics import MoveStatistics, move_statistics
from hearts.game.cards import count, lowest, members
from hearts.game.errors import IllegalMove
from hearts.views.view import View

SAMPLING_SHARE = 0.5  # of `time_ms`: the most that sampling worlds may take


def decide(
    view: View,
    config: SearchConfig = DEFAULT,
    *,
    belief: Belief | None = None,
    stop: Stop | None = None,
    watch: Watch | None = None,
) -> Decision:
    """Choose a card for the seat of a view; `belief` replaces the one that the config names."""
    started, deadline = time.perf_counter(), Deadline(config)
    stop = no_stop() if stop is None else stop
    if not view.to_move:
        raise IllegalMove(f"seat {view.seat} is not to play: {_whose_turn(view)}")
    config = supported_config(view, config)
    if count(view.legal) == 1:
        return _forced(view, config, started)
    rng = np.random.default_rng(config.seed)
    belief = belief or load_belief(config.belief)
    sampling = Limit(stop, deadline.after(SAMPLING_SHARE))
    worlds = sample_worlds(belief, view, worlds_wanted(view, config), rng, sampling)
    result = search(view, worlds, config, stop=stop, deadline=deadline, watch=watch)
    cards = ranked(result, config)
    blunder = bool(config.blunder) and rng.random() < config.blunder
    card = int(rng.choice(list(members(view.legal)))) if blunder else cards[0].card
    return Decision(
        card=card,
        cards=cards,
        worlds=result.worlds,
        effective_worlds=worlds.effective,
        simulations=result.simulations,
        seconds=time.perf_counter() - started,
        seed=config.seed,
        config=config,
        exact=result.exact,
        blunder=blunder,
        view=view,
        result=result,
        belief_replaced=worlds.replaced,
    )


def ranked(result: SearchResult, config: SearchConfig) -> tuple[MoveStatistics, ...]:
    """The statistics of every legal card, best first; also for a search that is still running."""
    return move_statistics(result, votes(result, config), scores(result, config))


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
