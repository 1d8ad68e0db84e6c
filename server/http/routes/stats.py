"""Statistics of players, levels and configs."""

from __future__ import annotations

from functools import partial

from flask import Response

from server.games.statistics import plot_statistics, statistics
from server.http.access.callers import current_caller
from server.http.bodies import HeartsBlueprint
from server.http.replies import figure, success
from server.http.schemas.review import SVG
from server.http.schemas.stats import StatsQuery, StatsQuerySchema, StatsReply
from server.http.services import current_services
from server.runtime.errors import NotReady
from server.storage.statistics import Choice, Viewer

blueprint = HeartsBlueprint("stats", __name__, description="Statistics of stored games.")


@blueprint.get("/api/stats")
@blueprint.arguments(StatsQuerySchema(), location="query")
@blueprint.alt_response(200, schema=SVG, content_type="image/svg+xml")
@blueprint.response(200, StatsReply)
@blueprint.raises(NotReady)
def stats(query: StatsQuery) -> Response:
    """Show how players, levels or configs did at tables, or players in your posted games."""
    with current_services().engine.connect() as connection:
        lines = statistics(connection, _choice(query))[: query.limit]
    if query.plot:
        return figure(partial(plot_statistics, lines=lines))
    found = {"group": query.group, "rows": [line.as_object() for line in lines]}
    return success(**found, warnings=query.warnings)


def _choice(query: StatsQuery) -> Choice:
    """The hands that a query asks for."""
    return Choice(
        query.group,
        query.since,
        query.until,
        query.source,
        query.player,
        query.against,
        query.posted,
        None if current_services().settings.is_local else Viewer(current_caller().key_id),
    )
