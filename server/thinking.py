"""A search for a request: in a slot, until its deadline, counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from flask import request

from hearts.cards import CardSet, count
from hearts.config import SearchConfig
from hearts.decide import decide
from hearts.decision import Decision
from hearts.passing import PassDecision, choose_pass
from hearts.view import View
from server.ai_config import GivenConfig
from server.parts import parts
from server.slots import Slot


def think(view: View, given: GivenConfig) -> Decision:
    """The card for a view; a forced one needs no slot."""
    if count(view.legal) == 1:
        return decide(view, given.config)
    with thinking(given) as slot:
        return card(view, config_in(slot, given), slot)


def think_of_pass(view: View, given: GivenConfig) -> PassDecision:
    """The three cards for a view in which cards are to be passed."""
    with thinking(given) as slot:
        return three_cards(view, config_in(slot, given), slot)


@contextmanager
def thinking(given: GivenConfig) -> Iterator[Slot]:
    """A slot for the block; a deadline that ended a search is told in a warning."""
    here = parts()
    with here.slots.taken() as slot:
        yield slot
    if slot.stop[0]:
        given.warnings.append(f"the deadline of {here.slots.seconds} s ended the search early")


def config_in(slot: Slot, given: GivenConfig) -> SearchConfig:
    """The config with as many threads as the client wants, or as are free."""
    return replace(given.config, threads=given.threads or slot.threads)


def card(view: View, config: SearchConfig, slot: Slot) -> Decision:
    """Search for a card in a slot."""
    decision = decide(view, config, stop=slot.stop)
    parts().metrics.count_search(_endpoint(), decision.seconds, decision.simulations)
    return decision


def three_cards(view: View, config: SearchConfig, slot: Slot, also: CardSet = 0) -> PassDecision:
    """Search for a pass in a slot; `also` is a triple that races whatever it looks like."""
    decision = choose_pass(view, config, stop=slot.stop, also=also)
    parts().metrics.count_search(_endpoint(), decision.seconds, decision.simulations)
    return decision


def _endpoint() -> str:
    return request.url_rule.rule if request.url_rule else ""
