"""Live tables: create, list, show, follow, and move."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from flask import Response

from hearts.game.cards import parse_card, parse_cards
from hearts.game.errors import InvalidCard
from server.games.events.state_machine import FINISHED
from server.http.access.callers import current_caller
from server.http.access.marks import opened_by_invitation, opened_by_token
from server.http.bodies import HeartsBlueprint
from server.http.replies import json_response, success
from server.http.schemas import examples
from server.http.schemas.headers import (
    SeatTokenHeaderSchema,
    TokensHeader,
    TokensHeaderSchema,
)
from server.http.schemas.table_replies import JoinReply, NewTableReply, TableReply, TablesReply
from server.http.schemas.tables import (
    JoinRequest,
    JoinRequestSchema,
    LastEventHeader,
    LastEventHeaderSchema,
    NoMoveSchema,
    PassMove,
    PassMoveSchema,
    PlayMove,
    PlayMoveSchema,
    SinceQuery,
    SinceQuerySchema,
    TableQuery,
    TableQuerySchema,
    TableRequestSchema,
    TablesQuery,
    TablesQuerySchema,
)
from server.http.services import Services, current_services
from server.http.streaming import comment, event, event_response
from server.runtime.errors import (
    Busy,
    Conflict,
    Forbidden,
    NotFound,
    NotReady,
    ParseError,
    RejectedMove,
)
from server.runtime.messages import unknown_fields
from server.runtime.requests import RequestData
from server.runtime.tokens import WEAK, is_unguessable
from server.storage.events import Event
from server.tables.loading import no_such_invitation, no_such_table
from server.tables.registry import next_hand
from server.tables.session import TableSession
from server.tables.setup import TableRequest, creator_seat, read_name, read_setup
from server.tables.table import Table
from server.tables.thoughts import thoughts_of
from server.tables.views import summary_of, view_of

blueprint = HeartsBlueprint("tables", __name__, description="Live tables.")

STREAM_SECONDS = 600.0  # a stream ends then, and the client opens another
HEARTBEAT = 10.0  # seconds between comments; writing one shows whether the client is gone
EVENT = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["view"]},
        "id": {"type": "string"},
        "data": {"type": "string"},
    },
    "required": ["event", "data"],
}
_MOVES = frozenset({*PassMoveSchema().fields, *PlayMoveSchema().fields})
MOVE_ERRORS = (Forbidden, NotFound, Conflict, NotReady)


@blueprint.post("/api/tables")
@blueprint.arguments(TableRequestSchema(), example=examples.TABLE)
@blueprint.response(201, NewTableReply)
@blueprint.raises(Busy, NotReady)
def create(request: TableRequest) -> Response:
    """Create a table and deal its first hand."""
    here = current_services()
    setup, warnings = read_setup(request, here.ceilings, here.settings.table_pace_ms)
    creator = current_caller().identity
    if setup.alone:
        here.runner.check_load(creator)
    seat = creator_seat(request, setup)
    session, places, watch_token = here.tables.create(setup, seat, current_caller().key_id)
    here.runner.creators.add(session.table.id, creator)
    here.runner.attend(session)
    reply = {
        "status": "success",
        "table_id": session.table.id,
        "tokens": places.tokens,
        "invitations": places.invitations,
        "watch_token": watch_token,
        "table": _view(here, session, session.table, seat),
        "warnings": request.warnings + warnings,
    }
    return json_response(reply, 201, {"Location": f"/api/tables/{session.table.id}"})


@blueprint.post("/api/tables/<string:table_id>/join")
@opened_by_invitation
@blueprint.arguments(JoinRequestSchema(), example=examples.TABLE_JOIN)
@blueprint.response(200, JoinReply)
@blueprint.raises(Forbidden, NotReady)
def join(request: JoinRequest, table_id: str) -> Response:
    """Take the seat of an invitation, and get its token."""
    here, name = current_services(), read_name(request.name, "name")
    if request.token is not None and not is_unguessable(request.token):
        raise ParseError(WEAK, field="token")
    try:
        session = here.tables.find(table_id)
    except NotFound:  # nobody learns which tables there are
        raise no_such_invitation() from None
    seat, token = here.tables.join(session, request.invitation, name, request.token)
    view = _view(here, session, session.table, seat)
    facts = {"table_id": table_id, "seat": seat, "token": token, "table": view}
    return success(**facts, warnings=request.warnings)


@blueprint.get("/api/tables")
@blueprint.arguments(TablesQuerySchema(), location="query")
@blueprint.response(200, TablesReply)
@blueprint.raises(NotReady)
def listing(query: TablesQuery) -> Response:
    """List tables, the newest first, with their public facts."""
    owner_id = current_caller().key_id
    found = current_services().tables.newest(query.status, query.limit, owner_id)
    return success(tables=[summary_of(session.table) for session in found], warnings=query.warnings)


@blueprint.get("/api/tables/<string:table_id>")
@opened_by_token
@blueprint.arguments(TableQuerySchema(), location="query")
@blueprint.arguments(TokensHeaderSchema(), location="headers")
@blueprint.response(200, TableReply)
@blueprint.raises(Forbidden, NotFound, NotReady)
def look(query: TableQuery, header: TokensHeader, table_id: str) -> Response:
    """Show a table; with `after` and `wait`, once it has changed or the time is up."""
    here = current_services()
    find = here.tables.find_newest if query.after is None else here.tables.find
    session = find(table_id)
    seat = _admitted(session, header)
    here.runner.attend(session)
    table = session.table
    if query.after is not None:
        table = here.watchers.wait(session, query.after, query.wait, _watcher(session, seat))
    return success(**_view(here, session, table, seat, query.since), warnings=query.warnings)


@blueprint.get("/api/tables/<string:table_id>/events")
@opened_by_token
@blueprint.arguments(SinceQuerySchema(), location="query")
@blueprint.arguments(TokensHeaderSchema(), location="headers")
@blueprint.arguments(LastEventHeaderSchema(), location="headers")
@blueprint.alt_response(200, schema=EVENT, content_type="text/event-stream")
@blueprint.raises(Forbidden, NotFound, Busy, NotReady)
def follow(
    query: SinceQuery, header: TokensHeader, last: LastEventHeader, table_id: str
) -> Response:
    """Send the table whenever it changes, as server-sent events."""
    here = current_services()
    session = here.tables.find(table_id)
    seat = _admitted(session, header)
    here.runner.attend(session)
    client = _watcher(session, seat)
    here.watchers.enter(client)
    here.tables.reach(session, max(last.id or 0, query.since or 0))  # a stream never goes back
    since = query.since if query.since is None or last.id is None else last.id
    leave = partial(here.watchers.leave, client)
    return event_response(_views(here, session, seat, since), leave)


@blueprint.post("/api/tables/<string:table_id>/pass")
@opened_by_token
@blueprint.arguments(PassMoveSchema(), example=examples.TABLE_PASS)
@blueprint.arguments(SinceQuerySchema(), location="query")
@blueprint.arguments(SeatTokenHeaderSchema(), location="headers")
@blueprint.response(200, TableReply)
@blueprint.raises(*MOVE_ERRORS)
def give(move: PassMove, query: SinceQuery, header: TokensHeader, table_id: str) -> Response:
    """Pass three cards."""
    cards = _read("cards", parse_cards, move.cards)
    wanted = _Wanted(move, lambda table, seat: table.give(seat, cards, move.version))
    return _move(table_id, header, query, wanted)


@blueprint.post("/api/tables/<string:table_id>/play")
@opened_by_token
@blueprint.arguments(PlayMoveSchema(), example=examples.TABLE_PLAY)
@blueprint.arguments(SinceQuerySchema(), location="query")
@blueprint.arguments(SeatTokenHeaderSchema(), location="headers")
@blueprint.response(200, TableReply)
@blueprint.raises(*MOVE_ERRORS)
def play(move: PlayMove, query: SinceQuery, header: TokensHeader, table_id: str) -> Response:
    """Play a card."""
    card = _read("card", parse_card, move.card)
    wanted = _Wanted(move, lambda table, seat: table.play(seat, card, move.version))
    return _move(table_id, header, query, wanted)


@blueprint.post("/api/tables/<string:table_id>/claim")
@opened_by_token
@blueprint.arguments(NoMoveSchema(), example={})
@blueprint.arguments(SinceQuerySchema(), location="query")
@blueprint.arguments(SeatTokenHeaderSchema(), location="headers")
@blueprint.response(200, TableReply)
@blueprint.raises(*MOVE_ERRORS)
def claim(move: RequestData, query: SinceQuery, header: TokensHeader, table_id: str) -> Response:
    """End a hand in which no points are left."""
    return _move(table_id, header, query, _Wanted(move, Table.claim))


@blueprint.post("/api/tables/<string:table_id>/next")
@opened_by_token
@blueprint.arguments(NoMoveSchema(), example={})
@blueprint.arguments(SinceQuerySchema(), location="query")
@blueprint.arguments(SeatTokenHeaderSchema(), location="headers")
@blueprint.response(200, TableReply)
@blueprint.raises(*MOVE_ERRORS)
def deal_next(
    move: RequestData, query: SinceQuery, header: TokensHeader, table_id: str
) -> Response:
    """Deal the next hand once one is over."""
    return _move(table_id, header, query, _Wanted(move, next_hand))


class _Wanted(NamedTuple):
    """A move that a seat asks for."""

    body: RequestData
    events: Callable[[Table, int], list[Event]]  # that follow from it, or an error


def _move(table_id: str, header: TokensHeader, query: SinceQuery, wanted: _Wanted) -> Response:
    """Make a seat's move, and show the table after it."""
    here = current_services()
    session = here.tables.find(table_id)
    seat = _admitted(session, header)
    if seat is None:
        raise Forbidden("missing: it proves whose move this is", field="X-Seat-Token")
    table = here.tables.act(session, lambda now: wanted.events(now, seat))
    here.runner.attend(session)
    warnings = unknown_fields(wanted.body.unknown, _MOVES)
    return success(**_view(here, session, table, seat, query.since), warnings=warnings)


def _watcher(session: TableSession, seat: int | None) -> str:
    """Whose places at tables a request uses: those of a seat, or of the caller without one."""
    return current_caller().identity if seat is None else f"seat {session.table.id} {seat}"


def _admitted(session: TableSession, header: TokensHeader) -> int | None:
    """The seat of a request's token; None: the public view.

    A private table does not exist for others than its players, its owner and those with a link.
    """
    here = current_services()
    seat = None if header.seat_token is None else here.tables.seat_of(session, header.seat_token)
    if seat is not None:
        return seat
    if not here.tables.may_watch(session, current_caller(), header.share_token):
        raise no_such_table()
    if header.seat_token is not None:
        raise Forbidden("it belongs to no seat of this table", field="X-Seat-Token")
    return None


def _view(
    here: Services,
    session: TableSession,
    table: Table,
    seat: int | None,
    since: int | None = None,
) -> Mapping[str, object]:
    return view_of(table, seat, thoughts_of(here.tables, session), since)


def _views(
    here: Services, session: TableSession, seat: int | None, since: int | None
) -> Iterator[bytes]:
    """The events of a stream: the view after every change; with `since`, without known hands."""
    for table in _changes(here, session):
        if table is None:
            yield comment("nothing new")
        else:
            view = _view(here, session, table, seat, since)
            since = None if since is None else table.version
            yield event("view", {"status": "success", **view, "warnings": []}, table.version)


def _changes(here: Services, session: TableSession) -> Iterator[Table | None]:
    """The table after every change, None after a heartbeat without one; until the match is over."""
    until, known = time.monotonic() + STREAM_SECONDS, -1
    while not here.tables.closing and time.monotonic() < until:
        here.runner.attend(session)  # a table without people goes on while it is watched
        table = session.table
        yield None if table.revision == known else table
        known = table.revision
        if table.phase == FINISHED:
            return
        here.watchers.watch(session, known, HEARTBEAT)


def _read(place: str, parse: Callable[[Any], int], given: object) -> int:
    """The cards of a request."""
    try:
        return parse(given)
    except InvalidCard as error:
        raise RejectedMove(str(error), field=place) from None
