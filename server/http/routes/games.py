"""Stored games: logged by clients, played at tables, imported."""

from __future__ import annotations

from flask import Response, request

from server.games.access import as_seen, find_game
from server.games.commands import Once, create_game, extend_game, version_of
from server.games.events.append_events import EventsRequest
from server.games.posted import GameRequest, read_game
from server.games.records.exporting import CONTENT_TYPES, lines, shown_hands
from server.games.sharing import share_game, unshare_game
from server.http.access.callers import current_caller
from server.http.access.marks import opened_by_token
from server.http.bodies import HeartsBlueprint
from server.http.game_answers import listed_game, whole_game
from server.http.replies import json_response, success, unless_known
from server.http.schemas import examples
from server.http.schemas.games import (
    UNKNOWN_CURSOR,
    EventsReply,
    EventsRequestSchema,
    ExportQuery,
    ExportQuerySchema,
    GameRequestSchema,
    GamesQuery,
    GamesQuerySchema,
    GamesReply,
    NewGameReply,
    OneGameReply,
    RevokedReply,
    ShareReply,
)
from server.http.schemas.headers import (
    EventsHeader,
    EventsHeaderSchema,
    GameHeader,
    GameHeaderSchema,
    KeyHeader,
    KeyHeaderSchema,
    SeatTokenHeaderSchema,
    TokensHeader,
    TokensHeaderSchema,
    VersionHeader,
    VersionHeaderSchema,
)
from server.http.services import current_services
from server.runtime.errors import (
    Conflict,
    Forbidden,
    NotFound,
    NotReady,
    ParseError,
    PreconditionFailed,
)
from server.storage import games as store
from server.storage.hands import hands
from server.storage.listing import page
from server.storage.values import FINISHED

blueprint = HeartsBlueprint("games", __name__, description="Stored games.")


@blueprint.post("/api/games")
@blueprint.arguments(GameRequestSchema(), example=examples.GAME)
@blueprint.arguments(KeyHeaderSchema(), location="headers")
@blueprint.alt_response(200, schema=NewGameReply, description="It was stored before.")
@blueprint.response(201, NewGameReply)
@blueprint.raises(Conflict, NotReady)
def create(body: GameRequest, header: KeyHeader) -> Response:
    """Store a game: whole records, or an empty game to which events are appended."""
    posted = read_game(body)
    once = Once(current_caller(), header.key, body.sent)
    game, is_new = create_game(current_services().engine, posted, once)
    reply = {
        "status": "success",
        "game_id": game.id,
        "events": game.events,
        "warnings": body.warnings + posted.warnings,
    }
    return json_response(reply, 201 if is_new else 200, {"Location": f"/api/games/{game.id}"})


@blueprint.get("/api/games")
@blueprint.arguments(GamesQuerySchema(), location="query")
@blueprint.arguments(VersionHeaderSchema(), location="headers")
@blueprint.alt_response(304, description="The page has not changed.")
@blueprint.response(200, GamesReply)
@blueprint.raises(NotReady)
def listing(query: GamesQuery, _header: VersionHeader) -> Response:
    """List games, the newest first, in pages."""
    filters = query.filters(current_caller().key_id)
    with store.reading(current_services().engine) as connection:
        try:
            found, following = page(connection, filters, query.limit, query.cursor)
        except ValueError:
            raise ParseError(UNKNOWN_CURSOR, field="cursor") from None
    games = [listed_game(game) for game in found]
    return unless_known(success(games=games, next=following, warnings=query.warnings))


@blueprint.get("/api/games/<string:game_id>")
@opened_by_token
@blueprint.arguments(GameHeaderSchema(), location="headers")
@blueprint.alt_response(304, description="The game has not changed.")
@blueprint.response(200, OneGameReply)
@blueprint.raises(NotFound, NotReady)
def show(header: GameHeader, game_id: str) -> Response:
    """Show a game; of a table's unfinished hand only what is public."""
    with store.reading(current_services().engine) as connection:
        game, access = find_game(connection, game_id, header.credentials(current_caller()))
        game = as_seen(connection, game, access)
        version = version_of(game, access)
        if request.if_none_match.contains_weak(version):
            response = Response(status=304)
        else:
            shown = whole_game(game, hands(connection, [game_id]), access)
            response = success(game=shown, warnings=[])
    response.set_etag(version)
    return response


@blueprint.get("/api/games/<string:game_id>/export")
@opened_by_token
@blueprint.arguments(ExportQuerySchema(), location="query")
@blueprint.arguments(TokensHeaderSchema(), location="headers")
@blueprint.response(200, {"type": "string"}, content_type="application/x-ndjson")
@blueprint.alt_response(200, schema={"type": "string"}, content_type="text/plain", success=True)
@blueprint.alt_response(200, schema={"type": "string"}, content_type="text/csv", success=True)
@blueprint.raises(NotFound, NotReady)
def export(query: ExportQuery, header: TokensHeader, game_id: str) -> Response:
    """Export the public hands of a game: as records, as a text, or as a table of plays."""
    with store.reading(current_services().engine) as connection:
        game, access = find_game(connection, game_id, header.credentials(current_caller()))
        shown = shown_hands(game, hands(connection, [game_id]), access)
        text = "".join(lines(shown, query.format))
    return Response(text, content_type=f"{CONTENT_TYPES[query.format]}; charset=utf-8")


@blueprint.post("/api/games/<string:game_id>/events")
@blueprint.arguments(EventsRequestSchema(), example=examples.GAME_EVENT)
@blueprint.arguments(EventsHeaderSchema(), location="headers")
@blueprint.alt_response(200, schema=EventsReply, description="They were stored before.")
@blueprint.response(201, EventsReply)
@blueprint.raises(NotFound, Conflict, PreconditionFailed, NotReady)
def add(body: EventsRequest, header: EventsHeader, game_id: str) -> Response:
    """Append events to a game: deals, passes and plays."""
    engine, once = current_services().engine, Once(current_caller(), header.key, body.sent)
    game, added = extend_game(engine, game_id, body, once, _is_expected)
    reply = {
        "status": "success",
        "game_id": game_id,
        "events": game.events,
        "finished": game.status == FINISHED,
        "warnings": body.warnings,
    }
    return json_response(reply, 201 if added else 200)


@blueprint.post("/api/games/<string:game_id>/shares")
@blueprint.arguments(SeatTokenHeaderSchema(), location="headers")
@blueprint.response(201, ShareReply)
@blueprint.raises(Forbidden, NotFound, Conflict, NotReady)
def share(header: TokensHeader, game_id: str) -> Response:
    """Make a read-only link to a game of yours; it shows finished hands."""
    given = header.credentials(current_caller())
    token = share_game(current_services().engine, game_id, given)
    # The token is in the fragment, which browsers send to no server: it gets into no log.
    url = f"{request.host_url}review#game={game_id}&share={token}"
    reply = {"status": "success", "share_token": token, "url": url, "warnings": []}
    return json_response(reply, 201)


@blueprint.delete("/api/games/<string:game_id>/shares")
@blueprint.arguments(SeatTokenHeaderSchema(), location="headers")
@blueprint.response(200, RevokedReply)
@blueprint.raises(Forbidden, NotFound, NotReady)
def unshare(header: TokensHeader, game_id: str) -> Response:
    """Revoke all links to a game of yours."""
    given = header.credentials(current_caller())
    revoked = unshare_game(current_services().engine, game_id, given)
    return success(revoked=revoked, warnings=[])


def _is_expected(version: str) -> bool:
    """Whether If-Match is absent or names a version."""
    return not request.if_match or request.if_match.contains(version)
