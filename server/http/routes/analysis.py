"""The cost of decisions, for given states or for a whole hand."""

from __future__ import annotations

from flask import Response

from hearts.game.records import KNOWN as RECORD_FIELDS
from server.games.review.analysis import analyse, asked_in
from server.games.review.analysis_stream import AnalysisStream
from server.http.access.marks import stateless
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.schemas import examples
from server.http.schemas.moves import (
    AnalysisRequest,
    AnalysisRequestSchema,
    StreamQuery,
    StreamQuerySchema,
)
from server.http.schemas.replies import AnalysisReply
from server.http.services import current_services
from server.http.streaming import event_schema, stream_response
from server.runtime.errors import Busy
from server.runtime.messages import unknown_fields
from server.search.options import read_config

blueprint = HeartsBlueprint("analysis", __name__, description="What decisions cost.")

EVENT = event_schema("partial", "decision", "done", "error")
_RECORD = frozenset(RECORD_FIELDS)


@blueprint.post("/api/analysis")
@stateless
@blueprint.arguments(StreamQuerySchema(), location="query")
@blueprint.arguments(AnalysisRequestSchema(), example=examples.ANALYSIS)
@blueprint.alt_response(200, schema=EVENT, content_type="text/event-stream")
@blueprint.response(200, AnalysisReply)
@blueprint.raises(Busy)
def analysis(query: StreamQuery, request: AnalysisRequest) -> Response:
    """Compare every decision with the best one, and show what the difference cost."""
    here, questions = current_services(), asked_in(request.states, request.record)
    match_known = all(question.match_known for question in questions)
    search = read_config(request.ai_config, here.ceilings, match_known=match_known)
    for question in questions:
        search.warn_of_fallbacks(question.view)
    search.warnings.extend(request.warnings)
    search.warnings.extend(unknown_fields(request.record or {}, _RECORD, "record."))
    if query.stream:
        return stream_response(AnalysisStream(here.searches, questions, search))
    summary = analyse(questions, search, here.searches)
    return success(**summary.as_object(), decisions=summary.decisions)
