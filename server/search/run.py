"""Searches for requests: in a slot, until its deadline, counted in the metrics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.engine.passing.choose import choose_pass
from hearts.engine.passing.decision import PassDecision
from hearts.game.cards import count
from hearts.views.view import View
from server.runtime.metrics import Metrics
from server.search.admission import Slot, Slots
from server.search.options import SearchRequest


@dataclass(frozen=True)
class SearchRunner:
    """Runs searches; `endpoint` is the label under which the metrics count one."""

    slots: Slots
    metrics: Metrics

    def choose_card(self, view: View, request: SearchRequest, endpoint: str) -> Decision:
        """The card for a view; a forced card needs no slot."""
        if count(view.legal) == 1:
            return decide(view, request.config)
        request.warn_of_fallbacks(view)
        with self.slot(request) as slot:
            decision = decide(view, request.config_for(slot.threads), stop=slot.stop)
            self.count(decision, endpoint)
        if decision.belief_replaced:
            request.warnings.append(late_belief(request.config.belief))
        return decision

    def choose_pass(self, view: View, request: SearchRequest, endpoint: str) -> PassDecision:
        """The three cards to pass."""
        request.warn_of_fallbacks(view)
        with self.slot(request) as slot:
            decision = choose_pass(view, request.config_for(slot.threads), stop=slot.stop)
            self.count(decision, endpoint)
        return decision

    @contextmanager
    def slot(self, request: SearchRequest) -> Iterator[Slot]:
        """A slot for the block; adds a warning to the request if the deadline ended a search."""
        with self.slots.taken() as slot:
            yield slot
        self.warn_of_deadline(slot, request)

    def warn_of_deadline(self, slot: Slot, request: SearchRequest) -> None:
        """Add a warning to the request if the deadline ended a search."""
        if slot.stop[0] and not slot.peer.gone:
            seconds = self.slots.seconds
            request.warnings.append(f"the deadline of {seconds} s ended the search early")

    def count(self, decision: Decision | PassDecision, endpoint: str) -> None:
        """Count a search in the metrics."""
        self.metrics.count_search(endpoint, decision.seconds, decision.simulations)


def late_belief(name: str) -> str:
    """The warning that time was up before an opponent model had sampled a world."""
    return f"time was up before {name} had sampled a world: OM-1 sampled them"
