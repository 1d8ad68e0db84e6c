"""The ladder of levels, measured by tournaments."""

from __future__ import annotations

from flask import Response, request

from server.games.ladder import shipped
from server.http.access.marks import stateless
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.schemas.ladder import LadderReply
from server.runtime.messages import unknown_fields

blueprint = HeartsBlueprint("ladder", __name__, description="Strength of the levels.")


@blueprint.get("/api/ladder")
@stateless
@blueprint.response(200, LadderReply)
def ladder() -> Response:
    """Show the strength of the levels, as measured in tournaments."""
    return success(**shipped(), warnings=unknown_fields(request.args))
