"""What decisions cost: of some states, or of a whole hand."""

from __future__ import annotations

from typing import Any

from flask import Response

from hearts.analysis.review import examine, fair
from hearts.game.records import KNOWN as RECORD_FIELDS
from server.games.analysis import Summary, asked_in
from server.games.analysis_stream import AnalysisStream
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.schemas import examples
from server.http.schemas.replies import AnalysisReply
from server.http.schemas.requests import AnalysisRequest, StreamQuery
from server.http.services import current_services
from server.http.streaming import event_schema, stream_response
from server.runtime.messages import unknown_fields
from server.search.options import read_config

blueprint = HeartsBlueprint("analysis", __name__, description="What decisions cost.")

EVENT = event_schema("partial", "decision", "done", "error")
_KNOWN = frozenset(AnalysisRequest().fields)
_RECORD = frozenset(RECORD_FIELDS)


@blueprint.post("/api/analysis")
@blueprint.arguments(StreamQuery(), location="query")
@blueprint.arguments(AnalysisRequest(), example=examples.ANALYSIS)
@blueprint.alt_response(200, schema=EVENT, content_type="text/event-stream")
@blueprint.response(200, AnalysisReply)
def analysis(query: dict[str, Any], body: dict[str, Any]) -> Response:
    """Say for every decision what was played, what was best and what the difference cost."""
    here, questions = current_services(), asked_in(body)
    match_known = all(question.match_known for question in questions)
    given = read_config(body.get("ai_config"), here.ceilings, match_known=match_known)
    given.warnings.extend(unknown_fields(body, _KNOWN))
    given.warnings.extend(unknown_fields(body.get("record") or {}, _RECORD, "record."))
    if query.get("stream") == "1":
        return stream_response(AnalysisStream(here.searches, questions, given))
    summary = Summary(questions, given, here.searches)
    with here.searches.slot(given) as slot:
        config = fair(given.config_for(slot.threads))
        for question in questions:
            if summary.add(question, examine(question, config, stop=slot.stop), slot) is None:
                break
    return success(**summary.as_object(), decisions=summary.decisions)
