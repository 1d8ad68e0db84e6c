"""Whole games, many at once: as few statements as possible, COPY where there is one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Connection, Table, insert, select
from sqlalchemy.exc import DBAPIError

from hearts.game.cards import names
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.scoring import points_of
from server.storage.events import Event, StoredEvent
from server.storage.games import event_values, game_values, player_ids, seat_values
from server.storage.results import NO_POINTS, result_rows, winners
from server.storage.schema import EVENTS, GAMES, HANDS, PLAYS, RESULTS, SEATS
from server.storage.values import FINISHED, OPEN, RECORD, NewGame

Rows = list[dict[str, Any]]
_TABLES = (GAMES, SEATS, HANDS, PLAYS, RESULTS, EVENTS)


@dataclass(frozen=True)
class RecordedGame:
    """A game that comes with its hands; one of the kind `record` is over, whatever they say."""

    game: NewGame
    records: Sequence[Record]
    events: Sequence[Event] = ()  # what happened in the hands; none of those that are imported


def add_games(connection: Connection, games: Iterable[RecordedGame]) -> list[str]:
    """Keep games that are not there yet; returns the ids of those that are new."""
    new = _unknown(connection, games)
    players = [seat.player for each in new for seat in each.game.seats]
    ids = player_ids(connection, players)
    rows: dict[Table, Rows] = {table: [] for table in _TABLES}
    for each in new:
        game = each.game
        over = _add_hands(each, [ids[seat.player.digest] for seat in game.seats], rows)
        status = FINISHED if over or game.kind == RECORD else OPEN
        rows[GAMES].append(game_values(game) | {"status": status, "events": len(each.events)})
        rows[SEATS] += seat_values(game, ids)
        rows[EVENTS] += (
            event_values(game.id, StoredEvent(number, game.created_at, event))
            for number, event in enumerate(each.events)
        )
    for table, found in rows.items():
        bulk_insert(connection, table, found)
    return [each.game.id for each in new]


def missing_hands(
    connection: Connection, games: Sequence[RecordedGame]
) -> list[tuple[str, Record]]:
    """The hands of games that were kept without them, each with the id of its game."""
    ids = {each.game.id for each in games}
    known = select(HANDS.c.game_id, HANDS.c.dealt).where(HANDS.c.game_id.in_(ids))
    kept = {(game_id, *dealt) for game_id, dealt in connection.execute(known)}
    return [
        (each.game.id, record)
        for each in games
        for record in each.records
        if (each.game.id, *_dealt(record.deal)) not in kept
    ]


def bulk_insert(connection: Connection, table: Table, rows: Rows) -> None:
    """Insert rows that all have the same columns."""
    if not rows:
        return
    if connection.dialect.name == "postgresql":
        _copy(connection, table, rows)
    else:
        connection.execute(insert(table), rows)


def _unknown(connection: Connection, games: Iterable[RecordedGame]) -> list[RecordedGame]:
    """The games that are not there, each once: as it came first."""
    wanted: dict[str, RecordedGame] = {}
    for each in games:
        wanted.setdefault(each.game.id, each)
    known = set(connection.scalars(select(GAMES.c.id).where(GAMES.c.id.in_(wanted))))
    return [each for game_id, each in wanted.items() if game_id not in known]


def _add_hands(each: RecordedGame, players: Sequence[int], rows: dict[Table, Rows]) -> bool:
    """Add the rows of a game's hands; returns whether the last one has ended it."""
    game, at, totals, won = each.game, each.game.created_at, NO_POINTS, None
    played_at = at if each.events else None  # when imported cards were played nobody wrote down
    for number, record in enumerate(each.records):
        deal, key = record.deal, {"game_id": game.id, "hand": number}
        if deal.finished:
            points = record.points or points_of(deal, totals)
            record = replace(record, points=points)
            totals = tuple(a + b for a, b in zip(totals, points, strict=True))
            last = number == len(each.records) - 1
            won = winners(totals, game.target_score) if last else None
            rows[RESULTS] += (
                {**key, **row, "finished_at": at} for row in result_rows(record, players, won)
            )
        rows[HANDS].append(_hand_values(game.id, number, record, at))
        rows[PLAYS] += (
            {**key, "number": place, "seat": seat, "card": card, "played_at": played_at}
            for place, (seat, card) in enumerate(deal.plays)
        )
    return won is not None


def _hand_values(game_id: str, number: int, record: Record, at: datetime) -> dict[str, Any]:
    deal, points = record.deal, record.points
    passed = [" ".join(names(cards)) for cards in deal.passes] if any(deal.passes) else None
    return {
        "game_id": game_id,
        "number": number,
        "label": record.id,
        "direction": int(deal.direction),
        "dealt": _dealt(deal),
        "passed": passed,
        "first_player": next(deal.plays, (None, 0))[0],
        "commitment": None,
        "nonce": None,
        "points": None if points is None else list(points),
        "shooter": deal.shooter,
        "extra": dict(record.extra),
        "started_at": at,
        "finished_at": at if deal.finished else None,
    }


def _dealt(deal: Deal) -> list[str]:
    return [" ".join(names(cards)) for cards in deal.dealt]


def _copy(connection: Connection, table: Table, rows: Rows) -> None:
    """Insert through PostgreSQL's COPY."""
    from psycopg import Error, sql  # comes with the extra `postgres`

    columns = list(rows[0])
    documents = [isinstance(table.c[column].type, JSON) for column in columns]
    command = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table.name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    driver: Any = connection.connection.driver_connection
    try:
        with driver.cursor() as cursor, cursor.copy(command) as copy:
            for row in rows:
                copy.write_row(list(_copied(row, documents)))
    except Error as error:
        # Without its context, which quotes the rows: cards belong in no log.
        told = type(error)(error.diag.message_primary or "COPY has failed")
        wrapped = DBAPIError.instance("COPY", None, told, Error, dialect=connection.dialect)
        raise wrapped from None


def _copied(row: Mapping[str, Any], documents: Sequence[bool]) -> Iterator[Any]:
    for value, is_document in zip(row.values(), documents, strict=True):
        yield json.dumps(value) if is_document and value is not None else value
