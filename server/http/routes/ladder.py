"""The ladder of levels, measured by tournaments."""

from __future__ import annotations

from flask import Response
from marshmallow import Schema

from server.games.ladder import shipped
from server.http.bodies import HeartsBlueprint
from server.http.queries import unread_in_query
from server.http.replies import success
from server.http.schemas.ladder import LadderReply

blueprint = HeartsBlueprint("ladder", __name__, description="How strong the levels are.")


@blueprint.get("/api/ladder")
@blueprint.response(200, LadderReply)
def ladder() -> Response:
    """Say how strong the levels are, as tournaments measured it."""
    return success(**shipped(), warnings=unread_in_query(Schema))
