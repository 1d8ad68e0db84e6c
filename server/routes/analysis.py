"""What decisions cost: of some states, or of a whole hand."""

from __future__ import annotations

from typing import Any

from flask import Response

from hearts.config import SearchConfig
from hearts.decision import Decision
from hearts.passing import PassDecision
from server.ai_config import GivenConfig, read_config
from server.analysis import Question, Summary, answer, fair, questions_of
from server.bodies import HeartsBlueprint, unknown_fields
from server.parts import parts
from server.replies import success
from server.schemas import examples
from server.schemas.replies import AnalysisReply
from server.schemas.requests import AnalysisRequest, StreamQuery
from server.slots import Slot
from server.streaming import EVENT, Stream
from server.thinking import card, config_in, thinking, three_cards

blueprint = HeartsBlueprint("analysis", __name__, description="What decisions cost.")

_KNOWN = frozenset(AnalysisRequest().fields)


@blueprint.post("/api/analysis")
@blueprint.arguments(StreamQuery(), location="query")
@blueprint.arguments(AnalysisRequest(), example=examples.ANALYSIS)
@blueprint.alt_response(200, schema=EVENT, content_type="text/event-stream")
@blueprint.response(200, AnalysisReply)
def analysis(query: dict[str, Any], body: dict[str, Any]) -> Response:
    """Say for every decision what was played, what was best and what the difference cost."""
    questions = questions_of(body)
    given = read_config(body.get("ai_config"), parts().ceilings)
    given.warnings.extend(unknown_fields(body, _KNOWN))
    if query.get("stream") == "1":
        return Stream(parts(), questions, given).response()
    summary = Summary(questions, given)
    _decide(questions, given, summary)
    return success(**summary.as_object(), decisions=summary.decisions)


def _decide(questions: list[Question], given: GivenConfig, summary: Summary) -> None:
    """Add every answer until the deadline."""
    with thinking(given) as slot:
        config = fair(config_in(slot, given))
        for question in questions:
            decision = _decision(question, config, slot)
            if slot.is_over:  # half a search says nothing about the difference
                return
            summary.add(answer(question, decision, given.explain))


def _decision(question: Question, config: SearchConfig, slot: Slot) -> Decision | PassDecision:
    if question.view.passing:
        return three_cards(question.view, config, slot, also=question.played)
    return card(question.view, config, slot)
