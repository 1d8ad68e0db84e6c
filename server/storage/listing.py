"""Lists of games: pages for clients, the newest first; batches for exports, the oldest first."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, literal, select, tuple_

from server.storage.games import seats_of
from server.storage.schema import GAMES, HANDS, PLAYERS, SEATS, Moment
from server.storage.values import SAVED, TABLE, Seat, is_id

Place = tuple[datetime, str]  # creation time and id of a game, by which lists are ordered


@dataclass(frozen=True)
class Filters:
    """Conditions on games; None: no condition."""

    player: str | None = None  # the name of one of the four players
    source: str | None = None
    status: str | None = None  # open or finished
    since: datetime | None = None  # created then or later
    until: datetime | None = None  # created before
    owner_id: int | None = None  # the caller's API key; None: on a service without keys


@dataclass(frozen=True)
class Listed:
    """A game in a list."""

    id: str
    kind: str
    source: str
    target_score: int | None
    status: str
    events: int
    created_at: datetime
    updated_at: datetime
    seats: tuple[Seat, ...]
    hands: int
    totals: tuple[int, ...]  # each seat's points in finished hands


def page(
    connection: Connection, filters: Filters, limit: int, cursor: str | None = None
) -> tuple[list[Listed], str | None]:
    """A page of a caller's games and of public tables, and the cursor of the next page, or None.

    Raises ValueError for a cursor that is not from an earlier page.
    """
    wanted = _filtered(filters)
    if cursor is not None:
        at, game_id = _read_cursor(cursor)
        place = tuple_(literal(at, Moment), literal(game_id))
        wanted = wanted.where(tuple_(GAMES.c.created_at, GAMES.c.id) < place)
    wanted = wanted.order_by(GAMES.c.created_at.desc(), GAMES.c.id.desc()).limit(limit + 1)
    # Two queries, each in the order of an index: one with OR would read the games of all others.
    games = [
        game
        for condition in (_own(filters.owner_id), _public(filters.owner_id))
        for game in connection.execute(wanted.where(condition))
    ]
    games.sort(key=lambda game: (game.created_at, game.id), reverse=True)
    has_more, games = len(games) > limit, games[:limit]
    return _listed(connection, games), _cursor(games[-1]) if has_more else None


def oldest(
    connection: Connection,
    limit: int,
    after: Place | None = None,
    *,
    game_id: str | None = None,
    source: str | None = None,
) -> tuple[list[str], Place | None]:
    """The ids of the first games after a place, and the last one's place; None: no more games."""
    wanted = select(GAMES.c.created_at, GAMES.c.id)
    if game_id is not None:
        wanted = wanted.where(GAMES.c.id == game_id)
    if source is not None:
        wanted = wanted.where(GAMES.c.source == source)
    if after is not None:
        place = tuple_(literal(after[0], Moment), literal(after[1]))
        wanted = wanted.where(tuple_(GAMES.c.created_at, GAMES.c.id) > place)
    order = GAMES.c.created_at, GAMES.c.id
    games = connection.execute(wanted.order_by(*order).limit(limit)).all()
    last = (games[-1].created_at, games[-1].id) if len(games) == limit else None
    return [game.id for game in games], last


def _own(owner_id: int | None) -> ColumnElement[bool]:
    """The games of a caller; without a key it has no tables and no saved records of its own."""
    if owner_id is None:
        unowned = GAMES.c.owner_id.is_(None) & (GAMES.c.kind != TABLE)
        return unowned & (GAMES.c.source != SAVED)
    return GAMES.c.owner_id == owner_id


def _public(owner_id: int | None) -> ColumnElement[bool]:
    """The public tables of others than the caller."""
    public = (GAMES.c.kind == TABLE) & GAMES.c.private.is_(False)
    if owner_id is None:
        return public
    return public & (GAMES.c.owner_id.is_(None) | (GAMES.c.owner_id != owner_id))


def _filtered(filters: Filters) -> Select[Any]:
    wanted = select(GAMES)
    if filters.player is not None:
        played = select(SEATS.c.game_id).join(PLAYERS).where(PLAYERS.c.name == filters.player)
        wanted = wanted.where(GAMES.c.id.in_(played))
    if filters.source is not None:
        wanted = wanted.where(GAMES.c.source == filters.source)
    if filters.status is not None:
        wanted = wanted.where(GAMES.c.status == filters.status)
    if filters.since is not None:
        wanted = wanted.where(GAMES.c.created_at >= filters.since)
    if filters.until is not None:
        wanted = wanted.where(GAMES.c.created_at < filters.until)
    return wanted


def _listed(connection: Connection, games: Sequence[Row[Any]]) -> list[Listed]:
    ids = [game.id for game in games]
    seats, counts = seats_of(connection, ids), _counts(connection, ids)
    points = _points(connection, ids)
    return [
        Listed(
            id=game.id,
            kind=game.kind,
            source=game.source,
            target_score=game.target_score,
            status=game.status,
            events=game.events,
            created_at=game.created_at,
            updated_at=game.updated_at,
            seats=seats[game.id],
            hands=counts.get(game.id, 0),
            totals=tuple(sum(each) for each in zip(*points[game.id], strict=True)) or (0,) * 4,
        )
        for game in games
    ]


def _counts(connection: Connection, ids: list[str]) -> dict[str, int]:
    counted = select(HANDS.c.game_id, func.count()).where(HANDS.c.game_id.in_(ids))
    return dict(connection.execute(counted.group_by(HANDS.c.game_id)).all())


def _points(connection: Connection, ids: list[str]) -> dict[str, list[list[int]]]:
    """The points of the finished hands of games."""
    finished = HANDS.c.game_id.in_(ids) & HANDS.c.finished_at.is_not(None)
    found: dict[str, list[list[int]]] = defaultdict(list)
    for game_id, points in connection.execute(
        select(HANDS.c.game_id, HANDS.c.points).where(finished)
    ):
        found[game_id].append(points)
    return found


def _cursor(game: Row[Any]) -> str:
    place = json.dumps([game.created_at.isoformat(), game.id])
    return urlsafe_b64encode(place.encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> Place:
    padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
    try:
        return _place(json.loads(urlsafe_b64decode(padded)))
    except (OverflowError, RecursionError):  # a date before year 1 in UTC; nested too deeply
        raise ValueError("not a place in a list") from None


def _place(found: Any) -> Place:
    if not (isinstance(found, list) and len(found) == 2 and all(type(x) is str for x in found)):
        raise ValueError("not a place in a list")
    at, game_id = datetime.fromisoformat(found[0]), found[1]
    if at.tzinfo is None or not is_id(game_id):
        raise ValueError("not a place in a list")
    return at.astimezone(UTC), game_id
