"""Statistics of players, levels and configs."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from flask import Response

from hearts.game.errors import InvalidConfig
from server.games.statistics import Choice, plot_statistics, statistics
from server.http.bodies import HeartsBlueprint
from server.http.queries import moment, searched, unread_in_query
from server.http.replies import success
from server.http.schemas.review import SVG
from server.http.schemas.stats import StatsQuery, StatsReply
from server.http.services import current_services
from server.runtime.errors import InvalidAiConfig

blueprint = HeartsBlueprint("stats", __name__, description="Statistics of games that are kept.")

LINES = 100  # where no limit is named


@blueprint.get("/api/stats")
@blueprint.arguments(StatsQuery(), location="query")
@blueprint.alt_response(200, schema=SVG, content_type="image/svg+xml")
@blueprint.response(200, StatsReply)
def stats(query: dict[str, Any]) -> Response:
    """Say how players, levels or configs did in the hands that are kept."""
    choice = Choice(
        group=query.get("group", "player"),
        since=moment(query, "since"),
        until=moment(query, "until"),
        source=searched(query, "source"),
        player=searched(query, "player"),
        against=searched(query, "against"),
    )
    with current_services().engine.connect() as connection:
        lines = statistics(connection, choice)[: query.get("limit", LINES)]
    if query.get("plot") != "1":
        rows = [line.as_object() for line in lines]
        return success(group=choice.group, rows=rows, warnings=unread_in_query(StatsQuery))
    drawn = BytesIO()
    try:
        plot_statistics(drawn, lines)
    except InvalidConfig as error:  # matplotlib is not installed
        raise InvalidAiConfig(error.reason, field=error.field) from None
    return Response(drawn.getvalue(), content_type="image/svg+xml")
