"""Many finished games at once: as few statements as possible, COPY where there is one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Connection, Table, insert, select

from hearts.cards import names
from hearts.records import Record
from server.store.games import game_values, player_ids, seat_values
from server.store.results import result_rows, winners
from server.store.tables import GAMES, HANDS, PLAYS, RESULTS, SEATS
from server.store.values import FINISHED, NewGame

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class RecordedGame:
    """A game that is over, with its hands."""

    game: NewGame
    records: Sequence[Record]


def add_games(connection: Connection, games: Iterable[RecordedGame]) -> list[str]:
    """Keep games that are not there yet; returns the ids of those that are new."""
    new = _unknown(connection, games)
    players = [seat.player for each in new for seat in each.game.seats]
    ids = player_ids(connection, players)
    rows: dict[Table, Rows] = {table: [] for table in (GAMES, SEATS, HANDS, PLAYS, RESULTS)}
    for each in new:
        rows[GAMES].append(game_values(each.game) | {"status": FINISHED})
        rows[SEATS] += seat_values(each.game, ids)
        _add_hands(each, [ids[seat.player.digest] for seat in each.game.seats], rows)
    for table, found in rows.items():
        bulk_insert(connection, table, found)
    return [each.game.id for each in new]


def bulk_insert(connection: Connection, table: Table, rows: Rows) -> None:
    """Insert rows that all have the same columns."""
    if not rows:
        return
    if connection.dialect.name == "postgresql":
        _copy(connection, table, rows)
    else:
        connection.execute(insert(table), rows)


def _unknown(connection: Connection, games: Iterable[RecordedGame]) -> list[RecordedGame]:
    """The games that are not there, each once."""
    wanted = {each.game.id: each for each in games}
    known = set(connection.scalars(select(GAMES.c.id).where(GAMES.c.id.in_(wanted))))
    return [each for game_id, each in wanted.items() if game_id not in known]


def _add_hands(each: RecordedGame, players: Sequence[int], rows: dict[Table, Rows]) -> None:
    """Add the rows of a game's hands."""
    game, at, totals = each.game, each.game.created_at, [0, 0, 0, 0]
    for number, record in enumerate(each.records):
        deal, key = record.deal, {"game_id": game.id, "hand": number}
        rows[HANDS].append(_hand_values(game.id, number, record, at))
        rows[PLAYS] += (
            {**key, "number": place, "seat": seat, "card": card}
            for place, (seat, card) in enumerate(deal.plays)
        )
        if deal.finished:
            points = record.points or deal.final_points()
            totals = [a + b for a, b in zip(totals, points, strict=True)]
            last = number == len(each.records) - 1
            won = winners(totals, game.target_score) if last else None
            rows[RESULTS] += (
                {**key, **row, "finished_at": at} for row in result_rows(record, players, won)
            )


def _hand_values(game_id: str, number: int, record: Record, at: datetime) -> dict[str, Any]:
    deal = record.deal
    points = record.points
    if points is None and deal.finished:
        points = deal.final_points()
    passed = [" ".join(names(cards)) for cards in deal.passes] if any(deal.passes) else None
    return {
        "game_id": game_id,
        "number": number,
        "label": record.id,
        "direction": int(deal.direction),
        "dealt": [" ".join(names(cards)) for cards in deal.dealt],
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


def _copy(connection: Connection, table: Table, rows: Rows) -> None:
    """Insert through PostgreSQL's COPY."""
    from psycopg import sql  # comes with the extra `postgres`

    columns = list(rows[0])
    documents = [isinstance(table.c[column].type, JSON) for column in columns]
    command = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table.name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(command) as copy:
        for row in rows:
            copy.write_row(list(_copied(row, documents)))


def _copied(row: Mapping[str, Any], documents: Sequence[bool]) -> Iterator[Any]:
    for value, is_document in zip(row.values(), documents, strict=True):
        yield json.dumps(value) if is_document and value is not None else value
