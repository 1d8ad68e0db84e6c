"""Inserts whole games, many at a time: few statements, and COPY on PostgreSQL."""

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
from server.storage.results import NO_POINTS, result_values, winners
from server.storage.schema import EVENTS, GAMES, HANDS, PLAYS, RESULTS, SEATS, RowValues
from server.storage.values import FINISHED, OPEN, RECORD, NewGame

Inserts = dict[Table, list[RowValues]]
_TABLES = (GAMES, SEATS, HANDS, PLAYS, RESULTS, EVENTS)  # referenced tables come first


@dataclass(frozen=True)
class RecordedGame:
    """A game with its hands; one of the kind `record` is finished, whatever its hands are."""

    game: NewGame
    records: Sequence[Record]
    events: Sequence[Event] = ()  # of the hands; an imported game has none


def add_games(connection: Connection, games: Iterable[RecordedGame]) -> list[str]:
    """Insert the games that are not stored yet, and return their ids."""
    new = _unknown(connection, games)
    ids = player_ids(connection, [seat.player for each in new for seat in each.game.seats])
    inserts: Inserts = {table: [] for table in _TABLES}
    for each in new:
        _add_game(each, ids, inserts)
    for table, values in inserts.items():
        bulk_insert(connection, table, values)
    return [each.game.id for each in new]


def missing_hands(
    connection: Connection, games: Sequence[RecordedGame]
) -> list[tuple[str, Record]]:
    """The hands that stored games do not have, each with the id of its game."""
    ids = {each.game.id for each in games}
    stored_deals = select(HANDS.c.game_id, HANDS.c.dealt).where(HANDS.c.game_id.in_(ids))
    stored = {(game_id, *dealt) for game_id, dealt in connection.execute(stored_deals)}
    return [
        (each.game.id, record)
        for each in games
        for record in each.records
        if (each.game.id, *_dealt(record.deal)) not in stored
    ]


def bulk_insert(connection: Connection, table: Table, values: list[RowValues]) -> None:
    """Insert rows that all have the same columns."""
    if not values:
        return
    if connection.dialect.name == "postgresql":
        _copy(connection, table, values)
    else:
        connection.execute(insert(table), values)


def _unknown(connection: Connection, games: Iterable[RecordedGame]) -> list[RecordedGame]:
    """The games that are not stored, without repetitions."""
    wanted: dict[str, RecordedGame] = {}
    for each in games:
        wanted.setdefault(each.game.id, each)
    known = set(connection.scalars(select(GAMES.c.id).where(GAMES.c.id.in_(wanted))))
    return [each for game_id, each in wanted.items() if game_id not in known]


def _add_game(each: RecordedGame, ids: Mapping[str, int], inserts: Inserts) -> None:
    """Add the rows of a game to the inserts; `ids` are those of players by digest."""
    game = each.game
    is_over = _add_hands(each, [ids[seat.player.digest] for seat in game.seats], inserts)
    status = FINISHED if is_over or game.kind == RECORD else OPEN
    inserts[GAMES].append(game_values(game) | {"status": status, "events": len(each.events)})
    inserts[SEATS] += seat_values(game, ids)
    inserts[EVENTS] += (
        event_values(game.id, StoredEvent(number, game.created_at, event))
        for number, event in enumerate(each.events)
    )


def _add_hands(each: RecordedGame, players: Sequence[int], inserts: Inserts) -> bool:
    """Add the rows of a game's hands; returns whether the last one has ended the game."""
    game, at, totals, won = each.game, each.game.created_at, NO_POINTS, None
    played_at = at if each.events else None  # nobody knows when imported cards were played
    for number, record in enumerate(each.records):
        deal, key = record.deal, {"game_id": game.id, "hand": number}
        if deal.finished:
            points = record.points or points_of(deal, totals)
            record = replace(record, points=points)
            totals = tuple(a + b for a, b in zip(totals, points, strict=True))
            is_last = number == len(each.records) - 1
            won = winners(totals, game.target_score) if is_last else None
            results = result_values(record, players, won)
            inserts[RESULTS] += (key | of_seat | {"finished_at": at} for of_seat in results)
        inserts[HANDS].append(_hand_values(game.id, number, record, at))
        inserts[PLAYS] += (
            {**key, "number": place, "seat": seat, "card": card, "played_at": played_at}
            for place, (seat, card) in enumerate(deal.plays)
        )
    return won is not None


def _hand_values(game_id: str, number: int, record: Record, at: datetime) -> RowValues:
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


def _copy(connection: Connection, table: Table, values: list[RowValues]) -> None:
    """Insert rows through PostgreSQL's COPY."""
    from psycopg import Error, sql  # of the extra `postgres`

    columns = list(values[0])
    is_json = [isinstance(table.c[column].type, JSON) for column in columns]
    command = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table.name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    driver: Any = connection.connection.driver_connection
    try:
        with driver.cursor() as cursor, cursor.copy(command) as copy:
            for row in values:
                copy.write_row(list(_copied(row, is_json)))
    except Error as error:
        # The error's context quotes rows, and cards must not get into a log: drop it.
        bare = type(error)(error.diag.message_primary or "COPY has failed")
        wrapped = DBAPIError.instance("COPY", None, bare, Error, dialect=connection.dialect)
        raise wrapped from None


def _copied(row: RowValues, is_json: Sequence[bool]) -> Iterator[object]:
    for value, as_json in zip(row.values(), is_json, strict=True):
        yield json.dumps(value) if as_json and value is not None else value
