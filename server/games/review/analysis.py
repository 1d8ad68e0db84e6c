"""Analysis of decisions: the card played, the best card, and the cost of the difference."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hearts.analysis.review import Answer, Question, examine, questions_of, without_blunders
from hearts.engine.config import published
from hearts.engine.explain import explain
from hearts.engine.passing.decision import PassDecision
from hearts.game.cards import SEATS, CardSet, bit, names, parse_card
from hearts.game.errors import InvalidCard, InvalidRecord
from hearts.game.records import Record, parse_record
from hearts.views.codec import decode_to_play
from hearts.views.view import View
from server.runtime.errors import InvalidGameState, ParseError
from server.search.admission import Slot
from server.search.options import SearchRequest
from server.search.run import SearchRunner

ENDPOINT = "/api/analysis"  # the label of its searches in the metrics
_PLAYED = frozenset({"played"})


@dataclass(frozen=True)
class Asked(Question):
    """A decision that a request asks about, with warnings about its state."""

    match_known: bool = False
    warnings: list[str] = field(default_factory=list)


def asked_in(
    states: Sequence[Mapping[str, Any]] | None, record: Mapping[str, Any] | None
) -> list[Asked]:
    """The questions of a request: its states, or every decision of its record."""
    if (states is None) == (record is None):
        raise ParseError("send either states or record")
    if record is None:
        return [_about_state(i, state) for i, state in enumerate(states or ())]
    return [Asked(**vars(question)) for question in questions_of(read_record(record))]


def read_record(given: Mapping[str, Any]) -> Record:
    """The record of a hand in a request."""
    for required in ("rules", "pass_direction"):
        if given.get(required) is None:
            raise InvalidGameState("missing", field=f"record.{required}")
    try:
        return parse_record(given)
    except InvalidRecord as error:
        raise InvalidGameState(error.reason, field=f"record.{error.field}") from None


def analyse(questions: Sequence[Asked], request: SearchRequest, runner: SearchRunner) -> Summary:
    """Answer questions in one slot, until its deadline."""
    summary = Summary(questions, request, runner)
    with runner.slot(request) as slot:
        config = without_blunders(request.config_for(slot.threads))
        for question in questions:
            if summary.add(question, examine(question, config, stop=slot.stop), slot) is None:
                break
    return summary


def answer(asked: Asked, found: Answer, explained: bool) -> dict[str, object]:
    """The analysis of a decision as JSON; `explained` adds statistics and sentences."""
    result: dict[str, object] = found.as_object() | {
        "simulations": found.decision.simulations,
        "view_hash": asked.view.fingerprint,
        "warnings": asked.warnings,
    }
    if not explained:
        return result
    result |= {"verdict": found.sentence} if asked.played else {}
    if isinstance(found.decision, PassDecision):
        searched = [each for each in found.decision.candidates if each.playouts]
        return result | {"analysis": [each.as_object() for each in searched]}
    cards = [each.as_object() for each in found.decision.cards]
    return result | {"explanation": explain(found.decision), "analysis": cards}


class Summary:
    """The analysed decisions of a request, and their totals."""

    def __init__(
        self, questions: Sequence[Asked], request: SearchRequest, runner: SearchRunner
    ) -> None:
        self.asked, self.request, self.runner = len(questions), request, runner
        self.answers: list[Answer] = []
        self.decisions: list[dict[str, object]] = []  # the answers as JSON
        self.begun = time.perf_counter()

    def add(self, asked: Asked, found: Answer, slot: Slot) -> dict[str, object] | None:
        """The answer to a question as JSON; None if the deadline has cut its search short."""
        self.runner.count(found.decision, ENDPOINT)
        if slot.is_over:
            slot.stop[0] = 1
            return None
        self.answers.append(found)
        self.decisions.append(answer(asked, found, self.request.explain))
        return self.decisions[-1]

    def as_object(self) -> dict[str, object]:
        """The summary as JSON."""
        return {
            "complete": len(self.answers) == self.asked,
            "cost_by_player": [self._cost(seat) for seat in range(SEATS)],
            "simulations": sum(each.decision.simulations for each in self.answers),
            "computation_time_ms": round((time.perf_counter() - self.begun) * 1000, 3),
            "seed": self.request.config.seed,
            "model": self.request.config.belief,
            "config": published(vars(without_blunders(self.request.config))),
            "warnings": self.request.warnings,
        }

    def _cost(self, seat: int) -> float:
        """The total cost of a seat's decisions."""
        own = [each for each in self.answers if each.question.view.seat == seat]
        return round(sum(round(each.points, 4) for each in own), 4)


def _about_state(number: int, state: Mapping[str, Any]) -> Asked:
    place = f"states[{number}]"
    given = decode_to_play(state, path=("states", number), also=_PLAYED)
    played = _played(state, given.view, place)
    return Asked(number, given.view, played, given.match_known, given.warnings)


def _played(state: Mapping[str, Any], view: View, place: str) -> CardSet:
    """The card that was played in a state; 0: the state does not say."""
    text = state.get("played")
    if text is None:
        return 0
    try:
        card = bit(parse_card(text))
    except InvalidCard as error:
        raise InvalidGameState(error.reason, field=f"{place}.played") from None
    if not card & view.legal:
        legal = ", ".join(names(view.legal))
        reason = f"{names(card)[0]} is not legal here; legal cards: {legal}"
        raise InvalidGameState(reason, field=f"{place}.played")
    return card
