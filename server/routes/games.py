"""Games that are kept: logged by clients, played at tables, imported."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from flask import Response, request
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from hearts.cards import name
from server.bodies import HeartsBlueprint, unknown_fields
from server.course import Course
from server.exporting import CONTENT_TYPES, lines, shown_hands
from server.parts import parts
from server.posted_games import PostedGame, read_game
from server.queries import moment, searched
from server.refusals import Refusal
from server.replies import json_response, success
from server.schemas import examples
from server.schemas.games import (
    LISTED,
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
from server.store import games as store
from server.store.bulk import add_games
from server.store.hands import hands, last_hand
from server.store.keys import known_key, remember_key
from server.store.listing import Filters, Listed, page
from server.store.values import (
    FINISHED,
    TABLE,
    Conflict,
    Event,
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
@blueprint.response(200, GamesReply)
def listing(query: dict[str, Any]) -> Response:
    """List games, the newest first, a page at a time."""
    filters = Filters(
        player=searched(query, "player"),
        source=searched(query, "source"),
        status=query.get("status"),
        since=moment(query, "since"),
        until=moment(query, "until"),
    )
    with parts().engine.connect() as connection:
        try:
            found, following = page(
                connection, filters, query.get("limit", LISTED), query.get("cursor")
            )
        except ValueError:
            raise Refusal("PARSE_ERROR", "cursor: no page has given this one") from None
    return success(games=[_facts(game) for game in found], next=following, warnings=[])


@blueprint.get("/api/games/<string:game_id>")
@blueprint.arguments(VersionHeader(), location="headers")
@blueprint.alt_response(304, description="It has not changed.")
@blueprint.response(200, OneGameReply)
def show(_header: dict[str, Any], game_id: str) -> Response:
    """Show a game; of a table's unfinished hand only what everybody may know."""
    with parts().engine.connect() as connection:
        game = _found(connection, game_id)
        version = f"{game.id}-{game.events}"
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
    with parts().engine.connect() as connection:
        game = _found(connection, game_id)
        text = "".join(lines(shown_hands(game, hands(connection, [game_id])), form))
    return Response(text, content_type=f"{CONTENT_TYPES[form]}; charset=utf-8")


@blueprint.post("/api/games/<string:game_id>/events")
@blueprint.arguments(EventsRequest(), example=examples.GAME_EVENT)
@blueprint.arguments(KeyHeader(), location="headers")
@blueprint.alt_response(200, schema=EventsReply, description="They were kept before.")
@blueprint.response(201, EventsReply)
def add(body: dict[str, Any], header: dict[str, Any], game_id: str) -> Response:
    """Keep what happened next: a deal, a pass, a play, or several of them."""
    given = body.get("events")
    if (given is None) == (body.get("kind") is None):
        raise Refusal("PARSE_ERROR", "send either kind, with what belongs to it, or events")
    warnings = unknown_fields(body, _EVENTS)
    for number, each in enumerate(given or ()):
        warnings += unknown_fields(each, _EVENT, f"events[{number}].")
    with store.writing(parts().engine) as connection:
        game = _found(connection, game_id, lock=True)
        if game.kind == TABLE:
            raise Refusal("CONFLICT", "game_id: only the table's own moves happen there")
        added = _append(connection, game, body, header.get("key"))
        now = _found(connection, game_id)
    reply = {
        "status": "success",
        "game_id": game_id,
        "events": now.events,
        "finished": now.status == FINISHED,
        "warnings": warnings,
    }
    return json_response(reply, 201 if added else 200)


def _append(connection: Connection, game: GameRow, body: Mapping[str, Any], key: str | None) -> int:
    """Keep the events of a request that are new; returns how many were."""
    several = body.get("events")
    given: Sequence[Mapping[str, Any]] = [body] if several is None else several
    first = body.get("number")
    repeated = None if key is None else store.event_with_key(connection, game.id, key)
    if repeated is not None:
        first = repeated.number
    if first is None:
        first = game.events
    if first > game.events:
        reason = f"number: {first}: the next is {game.events}"
        raise Refusal("CONFLICT", reason, events=game.events)
    course, happened = _course_at(connection, game, first)
    for each, found in zip(given, happened, strict=False):
        _compare(course, each, found, game.events)
    fresh = given[len(happened) :]
    for number, each in enumerate(fresh, first + len(happened)):
        place = "" if several is None else f"events[{number - first}]."
        event = course.read(each, place)
        event = replace(event, key=key if number == first else None)
        try:
            store.append(connection, game.id, number, event)
        except Conflict as conflict:
            raise Refusal("CONFLICT", conflict.reason, events=conflict.version) from None
    return len(fresh)


def _course_at(connection: Connection, game: GameRow, number: int) -> tuple[Course, list[Event]]:
    """Where a game stood before an event, and what has happened from there on."""
    happened = store.events(connection, game.id, number - 1)
    if not happened:
        last = last_hand(connection, game.id)
        hand, deal = (-1, None) if last is None else (last.number, last.record.deal)
        return Course(game.rules, hand, deal), []
    course = Course(game.rules)
    for event in store.events(connection, game.id)[:number]:
        course.follow(event)
    return course, happened


def _compare(course: Course, given: Mapping[str, Any], found: Event, version: int) -> None:
    """Refuse an event whose number another one has."""
    taken = Refusal(
        "CONFLICT", f"event {found.number} is taken: {store.described(found)}", events=version
    )
    try:
        event = course.read(given, "")
    except Refusal as refusal:  # it cannot even have been
        raise taken from refusal
    # Of a record that was posted more is kept than events say.
    kept = {key: found.body.get(key) for key in event.body}
    if (event.kind, event.hand, event.seat, event.body) != (
        found.kind, found.hand, found.seat, kept,
    ):  # fmt: skip
        raise taken


def _kept(posted: PostedGame, key: str | None, body: Mapping[str, Any]) -> tuple[GameRow, bool]:
    """The game of a request, and whether it was made now."""
    with store.writing(parts().engine) as connection:
        game_id = None if key is None else _made_before(connection, key, body)
        if game_id is not None:
            return _found(connection, game_id), False
        (game_id,) = add_games(connection, [posted.whole])
        if key is not None:
            remember_key(connection, key, _fingerprint(body), game_id)
        return _found(connection, game_id), True


def _made_before(connection: Connection, key: str, body: Mapping[str, Any]) -> str | None:
    """The id of the game that a request with this key has made."""
    known = known_key(connection, key)
    if known is None:
        return None
    fingerprint, game_id = known
    if fingerprint != _fingerprint(body):
        raise Refusal("CONFLICT", f"Idempotency-Key: was sent with another body, for {game_id}")
    return game_id


def _fingerprint(body: Mapping[str, Any]) -> str:
    return sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _found(connection: Connection, game_id: str, *, lock: bool = False) -> GameRow:
    game = store.game(connection, game_id, lock=lock) if is_id(game_id) else None
    if game is None:
        raise Refusal("NOT_FOUND", f"there is no game {game_id[:40]!r}")
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
                {"player": seat, "card": name(card)} for seat, card in hand.record.deal.plays
            ],
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


def _players(seats: Sequence[Seat]) -> list[dict[str, Any]]:
    return [seat.player.as_object() for seat in seats]
