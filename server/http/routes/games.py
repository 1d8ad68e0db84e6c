"""Games that are kept: logged by clients, played at tables, imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from flask import Response, request
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from hearts.game.cards import name
from server.games.append_events import append_events
from server.games.exporting import CONTENT_TYPES, lines, shown_hands
from server.games.posted import PostedGame, read_game
from server.http.bodies import HeartsBlueprint
from server.http.queries import moment, searched, unread_in_query
from server.http.replies import json_response, success, unless_known
from server.http.schemas import examples
from server.http.schemas.games import (
    LISTED,
    EventsHeader,
    EventsReply,
    EventsRequest,
    ExportQuery,
    GameEvent,
    GameRequest,
    GamesQuery,
    GamesReply,
    KeyHeader,
    NewGameReply,
    OneGameReply,
    VersionHeader,
)
from server.http.services import current_services
from server.runtime.errors import Conflict, NotFound, ParseError, PreconditionFailed
from server.runtime.messages import unknown_fields
from server.storage import games as store
from server.storage.bulk import add_games
from server.storage.hands import hands
from server.storage.idempotency import OtherBody, game_of_key, remember_key
from server.storage.listing import Filters, Listed, page
from server.storage.values import (
    FINISHED,
    TABLE,
    GameRow,
    HandRow,
    Seat,
    is_id,
)

blueprint = HeartsBlueprint("games", __name__, description="Games that are kept.")

_GAME = frozenset(GameRequest().fields)
_EVENT = frozenset(GameEvent().fields)
_EVENTS = frozenset(EventsRequest().fields)


@blueprint.post("/api/games")
@blueprint.arguments(GameRequest(), example=examples.GAME)
@blueprint.arguments(KeyHeader(), location="headers")
@blueprint.alt_response(200, schema=NewGameReply, description="It was made before.")
@blueprint.response(201, NewGameReply)
def create(body: dict[str, Any], header: dict[str, Any]) -> Response:
    """Keep a game: whole records, or an empty one that events will fill."""
    key, posted = header.get("key"), read_game(body)
    try:
        game, made = _kept(posted, key, body)
    except IntegrityError:  # another request with the same key was quicker: its game is there now
        game, made = _kept(posted, key, body)
    reply = {
        "status": "success",
        "game_id": game.id,
        "events": game.events,
        "warnings": unknown_fields(body, _GAME) + posted.warnings,
    }
    return json_response(reply, 201 if made else 200, {"Location": f"/api/games/{game.id}"})


@blueprint.get("/api/games")
@blueprint.arguments(GamesQuery(), location="query")
@blueprint.arguments(VersionHeader(), location="headers")
@blueprint.alt_response(304, description="Nothing of it has changed.")
@blueprint.response(200, GamesReply)
def listing(query: dict[str, Any], _header: dict[str, Any]) -> Response:
    """List games, the newest first, a page at a time."""
    filters = Filters(
        player=searched(query, "player"),
        source=searched(query, "source"),
        status=query.get("status"),
        since=moment(query, "since"),
        until=moment(query, "until"),
    )
    with store.reading(current_services().engine) as connection:
        try:
            found, following = page(
                connection, filters, query.get("limit", LISTED), query.get("cursor")
            )
        except ValueError:
            raise ParseError("no page has given this one", field="cursor") from None
    warnings = unread_in_query(GamesQuery)
    listed = success(games=[_facts(game) for game in found], next=following, warnings=warnings)
    return unless_known(listed)


@blueprint.get("/api/games/<string:game_id>")
@blueprint.arguments(VersionHeader(), location="headers")
@blueprint.alt_response(304, description="It has not changed.")
@blueprint.response(200, OneGameReply)
def show(_header: dict[str, Any], game_id: str) -> Response:
    """Show a game; of a table's unfinished hand only what everybody may know."""
    with store.reading(current_services().engine) as connection:
        game = _found(connection, game_id)
        version = _version(game)
        if request.if_none_match.contains_weak(version):
            response = Response(status=304)
        else:
            response = success(game=_whole(game, hands(connection, [game_id])), warnings=[])
    response.set_etag(version)
    return response


@blueprint.get("/api/games/<string:game_id>/export")
@blueprint.arguments(ExportQuery(), location="query")
@blueprint.response(200, {"type": "string"}, content_type="application/x-ndjson")
@blueprint.alt_response(200, schema={"type": "string"}, content_type="text/plain", success=True)
@blueprint.alt_response(200, schema={"type": "string"}, content_type="text/csv", success=True)
def export(query: dict[str, Any], game_id: str) -> Response:
    """Send the hands of a game that may be shown whole: records, a text for people, or plays."""
    form = query.get("format", "jsonl")
    with store.reading(current_services().engine) as connection:
        game = _found(connection, game_id)
        text = "".join(lines(shown_hands(game, hands(connection, [game_id])), form))
    return Response(text, content_type=f"{CONTENT_TYPES[form]}; charset=utf-8")


@blueprint.post("/api/games/<string:game_id>/events")
@blueprint.arguments(EventsRequest(), example=examples.GAME_EVENT)
@blueprint.arguments(EventsHeader(), location="headers")
@blueprint.alt_response(200, schema=EventsReply, description="They were kept before.")
@blueprint.response(201, EventsReply)
def add(body: dict[str, Any], header: dict[str, Any], game_id: str) -> Response:
    """Keep what happened next: a deal, a pass, a play, or several of them."""
    given = body.get("events")
    if (given is None) == (body.get("kind") is None):
        raise ParseError("send either kind, with what belongs to it, or events")
    warnings = unknown_fields(body, _EVENTS)
    for number, each in enumerate(given or ()):
        warnings += unknown_fields(each, _EVENT, f"events[{number}].")
    with store.writing(current_services().engine) as connection:
        game = _found(connection, game_id, lock=True)
        if game.kind == TABLE:
            raise Conflict("only the table's own moves happen there", field="game_id")
        key, added = header.get("key"), 0
        if _game_of_key(connection, key, body, game_id) is None:
            _check_version(game)
            added = append_events(connection, game, body)
            if key is not None:
                remember_key(connection, key, body, game_id, game_id)
        now = _found(connection, game_id)
    reply = {
        "status": "success",
        "game_id": game_id,
        "events": now.events,
        "finished": now.status == FINISHED,
        "warnings": warnings,
    }
    return json_response(reply, 201 if added else 200)


def _kept(posted: PostedGame, key: str | None, body: Mapping[str, Any]) -> tuple[GameRow, bool]:
    """The game of a request, and whether it was made now."""
    with store.writing(current_services().engine) as connection:
        game_id = _game_of_key(connection, key, body)
        if game_id is not None:
            return _found(connection, game_id), False
        (game_id,) = add_games(connection, [posted.whole])
        if key is not None:
            remember_key(connection, key, body, game_id)
        return _found(connection, game_id), True


def _game_of_key(
    connection: Connection, key: str | None, body: Mapping[str, Any], scope: str = ""
) -> str | None:
    """The game that the same request has made or changed before."""
    try:
        return None if key is None else game_of_key(connection, key, body, scope)
    except OtherBody:
        raise Conflict("was sent with another body", field="Idempotency-Key") from None


def _check_version(game: GameRow) -> None:
    """Refuse what was meant for another version of a game, where the request names one."""
    wanted = request.if_match
    if wanted and not wanted.contains(_version(game)):
        reason = f"the game is at version {game.events}"
        raise PreconditionFailed(reason, field="If-Match", events=game.events)


def _version(game: GameRow) -> str:
    """What an ETag says."""
    return f"{game.id}-{game.events}"


def _found(connection: Connection, game_id: str, *, lock: bool = False) -> GameRow:
    game = store.game(connection, game_id, lock=lock) if is_id(game_id) else None
    if game is None:
        raise NotFound(f"there is no game {game_id[:40]!r}")
    return game


def _facts(game: Listed) -> dict[str, Any]:
    return {
        "game_id": game.id,
        "kind": game.kind,
        "source": game.source,
        "status": game.status,
        "events": game.events,
        "target_score": game.target_score,
        "players": _players(game.seats),
        "hand_count": game.hands,
        "totals": list(game.totals),
        "created_at": game.created_at.isoformat(),
        "updated_at": game.updated_at.isoformat(),
    }


def _whole(game: GameRow, kept: Sequence[HandRow]) -> dict[str, Any]:
    scored = [hand.record.points for hand in kept if hand.finished_at and hand.record.points]
    totals = tuple(sum(each) for each in zip(*scored, strict=True)) or (0,) * 4
    listed = {key: getattr(game, key) for key in Listed.__dataclass_fields__ if hasattr(game, key)}
    facts = _facts(Listed(**listed, hands=len(kept), totals=totals))
    whole = {each.hand.number: each.record for each in shown_hands(game, kept)}
    shown = [
        {
            "number": hand.number,
            "pass_direction": hand.record.deal.direction.label,
            "plays": [
                {"player": seat, "card": name(card), "at": _iso(at)}
                for (seat, card), at in zip(hand.record.deal.plays, hand.played_at, strict=True)
            ],
            "started_at": _iso(hand.started_at),
            "finished_at": _iso(hand.finished_at),
            "finished": hand.finished_at is not None,
            "points": None if hand.record.points is None else list(hand.record.points),
            "shooter": hand.shooter,
            "commitment": hand.commitment,
            "nonce": hand.nonce if hand.finished_at else None,
            "record": whole[hand.number].as_object() if hand.number in whole else None,
        }
        for hand in kept
    ]
    return facts | {"rules": game.rules.as_value(), "hands": shown}


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _players(seats: Sequence[Seat]) -> list[dict[str, Any]]:
    return [seat.player.as_object() for seat in seats]
