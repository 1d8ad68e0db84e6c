"""Decisions after the fact: what was played, what was best, and what the difference cost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hearts.cards import SEATS, CardSet, bit, name, names, parse_card
from hearts.config import SearchConfig
from hearts.deal import Deal
from hearts.decide import decide
from hearts.decision import Decision
from hearts.errors import InvalidCard, InvalidRecord
from hearts.passing import PassDecision, choose_pass
from hearts.records import Record, parse_record
from hearts.search import Watch
from hearts.view import View
from server.ai_config import GivenConfig
from server.game_state import state_to_play
from server.metrics import Metrics
from server.refusals import Refusal
from server.slots import Slot

_PLAYED = frozenset({"played"})


@dataclass(frozen=True)
class Question:
    """One decision to look at."""

    number: int  # from 0, in order
    view: View
    played: CardSet  # a card, or three for a pass; 0: unknown
    match_known: bool = False
    warnings: list[str] = field(default_factory=list)


def questions_of(body: Mapping[str, Any]) -> list[Question]:
    """What a request asks about: its states, or every decision of its record."""
    states, record = body.get("states"), body.get("record")
    if (states is None) == (record is None):
        raise Refusal("PARSE_ERROR", "send either states or record")
    if record is None:
        return [_about_state(i, state) for i, state in enumerate(states or ())]
    for place in ("rules", "pass_direction"):
        if record.get(place) is None:
            raise Refusal("INVALID_GAME_STATE", f"record.{place}: missing")
    try:
        return list(_about_record(parse_record(record)))
    except InvalidRecord as error:
        raise Refusal("INVALID_GAME_STATE", f"record.{error}") from None


def fair(config: SearchConfig) -> SearchConfig:
    """The config without the random cards of a weak level: the best card is wanted."""
    return replace(config, blunder=0.0)


def search(
    question: Question, config: SearchConfig, slot: Slot, watch: Watch | None = None
) -> Decision | PassDecision:
    """Look at a decision until the slot's deadline."""
    if question.view.passing:
        return choose_pass(question.view, config, stop=slot.stop, also=question.played)
    return decide(question.view, config, stop=slot.stop, watch=watch)


def answer(question: Question, decision: Decision | PassDecision, explain: bool) -> dict[str, Any]:
    """What a search says about a decision."""
    if isinstance(decision, PassDecision):
        found = _about_pass(question, decision, explain)
    else:
        found = _about_card(question, decision, explain)
    return {
        "number": question.number,
        "player": question.view.seat,
        "simulations": decision.simulations,
        "view_hash": question.view.fingerprint,
        "warnings": question.warnings,
        **found,
    }


class Summary:
    """What is true of all decisions together."""

    def __init__(self, questions: Sequence[Question], given: GivenConfig, metrics: Metrics) -> None:
        self.asked, self.given, self.metrics = len(questions), given, metrics
        self.decisions: list[dict[str, Any]] = []
        self.begun = time.perf_counter()

    def add(
        self, question: Question, decision: Decision | PassDecision, slot: Slot
    ) -> dict[str, Any] | None:
        """The answer to a question, None once the deadline has ended a search.

        Half a search says nothing about the difference.
        """
        self.metrics.count_search("/api/analysis", decision.seconds, decision.simulations)
        if slot.is_over:
            slot.stop[0] = 1
            return None
        found = answer(question, decision, self.given.explain)
        self.decisions.append(found)
        return found

    def as_object(self) -> dict[str, Any]:
        """The summary as JSON has it."""
        return {
            "complete": len(self.decisions) == self.asked,
            "cost_by_player": [self._cost(seat) for seat in range(SEATS)],
            "simulations": sum(each["simulations"] for each in self.decisions),
            "computation_time_ms": round((time.perf_counter() - self.begun) * 1000, 3),
            "seed": self.given.config.seed,
            "model": self.given.config.belief,
            "config": vars(fair(self.given.config)),
            "warnings": self.given.warnings,
        }

    def _cost(self, seat: int) -> float:
        """What a seat's decisions cost in all."""
        costs = [each["cost"] or 0.0 for each in self.decisions if each["player"] == seat]
        return round(sum(costs), 4)


def _about_state(number: int, state: dict[str, Any]) -> Question:
    place = f"states[{number}]"
    given = state_to_play(state, place=place, also=_PLAYED)
    played = _played(state, given.view, place)
    return Question(number, given.view, played, given.match_known, given.warnings)


def _played(state: Mapping[str, Any], view: View, place: str) -> CardSet:
    """The card that was played in a state, if that is told."""
    text = state.get("played")
    if text is None:
        return 0
    try:
        card = bit(parse_card(text))
    except InvalidCard as error:
        raise Refusal("INVALID_GAME_STATE", f"{place}.played: {error}") from None
    if not card & view.legal:
        legal = ", ".join(names(view.legal))
        reason = f"{names(card)[0]} may not be played here; {legal} may"
        raise Refusal("INVALID_GAME_STATE", f"{place}.played: {reason}")
    return card


def _about_record(record: Record) -> Iterator[Question]:
    """Every pass and every play of a hand, from the seat that decided."""
    played = record.deal
    deal = Deal.of(played.rules, played.dealt, played.direction, next(played.plays, (0, 0))[0])
    number = 0
    for seat, cards in enumerate(played.passes):
        if cards:
            yield Question(number, deal.view(seat), cards)
            number += 1
    for seat, cards in enumerate(played.passes):
        deal = deal.give(seat, cards) if cards else deal
    for seat, card in played.plays:
        yield Question(number, deal.view(seat, checked=False), bit(card))
        deal = deal.play(card)
        number += 1


def _about_card(question: Question, decision: Decision, explain: bool) -> dict[str, Any]:
    points = {bit(tried.card): tried.points for tried in decision.cards if tried.visits}
    best, played = points.get(bit(decision.card)), points.get(question.played)
    cost = None if played is None or best is None else round(played - best, 4)
    if question.played and decision.forced:
        cost = 0.0
    found: dict[str, Any] = {
        "kind": "play",
        "played": names(question.played)[0] if question.played else None,
        "best": name(decision.card),
        "cost": cost,
        "forced": decision.forced,
    }
    if explain:
        found["explanation"] = decision.explain()
        found["analysis"] = [figures.as_object() for figures in decision.cards]
    return found


def _about_pass(question: Question, decision: PassDecision, explain: bool) -> dict[str, Any]:
    points = {each.cards: each.points for each in decision.candidates if each.playouts}
    best = points.get(decision.cards)
    passed = points.get(question.played)
    found: dict[str, Any] = {
        "kind": "pass",
        "played": names(question.played),
        "best": names(decision.cards),
        "cost": None if passed is None or best is None else round(passed - best, 4),
        "forced": False,
    }
    if explain:
        raced = [each for each in decision.candidates if each.playouts]
        found["analysis"] = [each.as_object() for each in raced]
    return found
