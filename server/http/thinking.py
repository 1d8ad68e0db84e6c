"""A search for a request: in a slot, until its deadline, counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from flask import request

from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.engine.passing.choose import PassDecision, choose_pass
from hearts.game.cards import count
from hearts.views.view import View
from server.http.services import Parts, parts
from server.search.admission import Slot
from server.search.options import GivenConfig


def think(view: View, given: GivenConfig) -> Decision:
    """The card for a view; a forced one needs no slot."""
    if count(view.legal) == 1:
        return decide(view, given.config)
    with thinking(given) as slot:
        decision = decide(view, config_in(slot, given), stop=slot.stop)
        _count(decision)
    return decision


def think_of_pass(view: View, given: GivenConfig) -> PassDecision:
    """The three cards for a view in which cards are to be passed."""
    with thinking(given) as slot:
        decision = choose_pass(view, config_in(slot, given), stop=slot.stop)
        _count(decision)
    return decision


def log_with_game(decision: Decision | PassDecision, body: Mapping[str, Any]) -> list[str]:
    """Log a decision with the game that its request names, if any; returns warnings."""
    game_id = body.get("game_id")
    return [] if game_id is None else parts().decisions.log(decision, game_id, body.get("hand"))


@contextmanager
def thinking(given: GivenConfig) -> Iterator[Slot]:
    """A slot for the block; a deadline that ended a search is told in a warning."""
    here = parts()
    with here.slots.taken() as slot:
        yield slot
    warn_of_deadline(slot, here, given)


def warn_of_deadline(slot: Slot, here: Parts, given: GivenConfig) -> None:
    """Say in a warning that a deadline ended a search, if it did."""
    if slot.stop[0]:
        given.warnings.append(f"the deadline of {here.slots.seconds} s ended the search early")


def config_in(slot: Slot, given: GivenConfig) -> SearchConfig:
    """The config with as many threads as the client wants, or as are free."""
    config, threads = given.config, given.threads or slot.threads
    return config if config.threads == threads else replace(config, threads=threads)


def _count(decision: Decision | PassDecision) -> None:
    endpoint = request.url_rule.rule if request.url_rule else ""
    parts().metrics.count_search(endpoint, decision.seconds, decision.simulations)
