"""Hands after the fact: what every decision cost, the worst mistakes, the chances by trick."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import Any

from flask import Response

from hearts.analysis.forecasts import forecasts_of
from hearts.analysis.review import fair
from hearts.arena.plot import plot_forecasts
from hearts.engine.config import published
from hearts.game.cards import SEATS
from hearts.game.errors import InvalidConfig
from hearts.game.records import KNOWN as RECORD_FIELDS
from hearts.game.records import Record
from server.games.analysis import read_record
from server.games.review_stream import ReviewStream
from server.games.reviews import (
    hands_to_review,
    of_seat,
    queried_config,
    review_config,
    seat_labels,
)
from server.http.bodies import HeartsBlueprint
from server.http.queries import unread_in_query
from server.http.replies import success
from server.http.schemas import examples
from server.http.schemas.review import SVG, PlotQuery, ReviewQuery, ReviewReply, ReviewRequest
from server.http.services import current_services
from server.http.streaming import event_schema, stream_response
from server.runtime.errors import InvalidAiConfig, ParseError
from server.runtime.messages import unknown_fields
from server.search.options import SearchRequest

blueprint = HeartsBlueprint("review", __name__, description="Hands after the fact.")

EVENT = event_schema("progress", "hand", "done", "error")
_KNOWN = frozenset(ReviewRequest().fields)
_RECORD = frozenset(RECORD_FIELDS)
_SEATS = tuple(f"seat {seat}" for seat in range(SEATS))


@blueprint.get("/api/games/<string:game_id>/review")
@blueprint.arguments(ReviewQuery(), location="query")
@blueprint.alt_response(200, schema=SVG, content_type="image/svg+xml")
@blueprint.alt_response(200, schema=EVENT, content_type="text/event-stream")
@blueprint.response(200, ReviewReply)
def of_game(query: dict[str, Any], game_id: str) -> Response:
    """Review the hands of a game that are over, or one of them."""
    here, begun = current_services(), time.perf_counter()
    game, wanted = hands_to_review(here.engine, game_id, query.get("hand"))
    players = [seat.player.name for seat in game.seats]
    if query.get("plot") == "1":
        if len(wanted) > 1:
            numbers = ", ".join(str(hand.number) for hand in wanted)
            raise ParseError(f"a figure shows one hand: name one of {numbers}", field="hand")
        title = f"game {game_id}, hand {wanted[0].number}"
        return _figure(wanted[0].record, seat_labels(players), title)
    given = queried_config(query, here.ceilings)
    given.warnings.extend(unread_in_query(ReviewQuery))
    shown = partial(of_seat, query.get("seat"))
    summary = partial(_summary, len(wanted), players, given, begun)
    if query.get("stream") == "1":
        return stream_response(ReviewStream(here.reviewer, given, wanted, shown, summary))
    found = here.reviewer.review_kept(wanted, given)
    return success(hands=list(map(shown, found)), **summary(found))


@blueprint.post("/api/review")
@blueprint.arguments(PlotQuery(), location="query")
@blueprint.arguments(ReviewRequest(), example=examples.REVIEW)
@blueprint.alt_response(200, schema=SVG, content_type="image/svg+xml")
@blueprint.response(200, ReviewReply)
def of_record(query: dict[str, Any], body: dict[str, Any]) -> Response:
    """Review a hand that is sent as a record."""
    here, begun = current_services(), time.perf_counter()
    record = read_record(body["record"])
    if query.get("plot") == "1":
        return _figure(record, _SEATS, record.id)
    given = review_config(body.get("ai_config") or {}, here.ceilings)
    given.warnings.extend(unknown_fields(body, _KNOWN))
    given.warnings.extend(unknown_fields(body["record"], _RECORD, "record."))
    found = here.reviewer.review_sent(record, given)
    return success(hands=[found], **_summary(1, _SEATS, given, begun, [found]))


def _summary(
    wanted: int,
    players: Sequence[str],
    given: SearchRequest,
    begun: float,
    found: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """What is said of all hands together."""
    return {
        "complete": len(found) == wanted and all(each["complete"] for each in found),
        "players": list(players),
        "config": published(vars(fair(given.config))),
        "computation_time_ms": round((time.perf_counter() - begun) * 1000, 3),
        "warnings": given.warnings,
    }


def _figure(record: Record, players: Sequence[str], title: str) -> Response:
    """The chances of a hand, drawn."""
    drawn = BytesIO()
    try:
        plot_forecasts(drawn, forecasts_of(record.deal), players, title)
    except InvalidConfig as error:  # matplotlib is not installed
        raise InvalidAiConfig(error.reason, field=error.field) from None
    return Response(drawn.getvalue(), content_type="image/svg+xml")
