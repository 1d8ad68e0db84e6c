"""Hands of tournaments in the database: a row per tournament, and one per hand.

A tournament is known by everything that its result depends on: the same command goes on with the
same row, and a level or a default that has changed makes a new one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from hearts.arena.outputs import HandStore, refuse_missing
from hearts.arena.results import DealResult
from hearts.arena.tournament import Tournament
from hearts.engine.config import canonical
from server.runtime.errors import DatabaseError
from server.storage.schema import TOURNAMENT_HANDS, TOURNAMENTS


class DatabaseHands(HandStore):
    """Keeps the hands of one tournament."""

    def __init__(self, engine: Engine, tournament: Tournament) -> None:
        self.engine = engine
        with _writing(engine) as connection:
            self.tournament = _row_of(connection, tournament)

    def begin(self, finished: Collection[int]) -> None:
        """Refuse to go on where hands of a finished deal are missing."""
        deals = select(TOURNAMENT_HANDS.c.deal).distinct()
        kept = deals.filter_by(tournament_id=self.tournament)
        with _writing(self.engine) as connection:
            refuse_missing("database", finished, set(connection.scalars(kept)))

    def add(self, result: DealResult) -> None:
        """Write the hands of a deal, in place of those that an interrupted run has left."""
        key = {"tournament_id": self.tournament, "deal": result.deal}
        rows = [
            {
                **key,
                "seating": record["seating"],
                "hand": record["hand"],
                "record": record,
                "created_at": datetime.now(UTC),
            }
            for record in result.records
        ]
        with _writing(self.engine) as connection:
            connection.execute(delete(TOURNAMENT_HANDS).filter_by(**key))
            connection.execute(insert(TOURNAMENT_HANDS), rows)


def _row_of(connection: Connection, tournament: Tournament) -> int:
    """The id of a tournament's row, which is made where there is none."""
    sides = {"focus": tournament.focus, "others": tournament.others}
    named = {side: canonical(spec.as_object()) for side, spec in sides.items()}
    engines = [spec.resolved() for spec in sides.values()]
    definition = tournament.as_object() | named | {"engines": engines}
    digest = sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()
    row: dict[str, Any] = {"digest": digest, "definition": definition}
    known = select(TOURNAMENTS.c.id).filter_by(digest=digest)
    try:
        with connection.begin_nested():
            connection.execute(insert(TOURNAMENTS), row | {"created_at": datetime.now(UTC)})
    except IntegrityError:
        pass  # it is there
    found: int = connection.scalars(known).one()
    return found


@contextmanager
def _writing(engine: Engine) -> Iterator[Connection]:
    """A transaction; a fault of the database is told in one message."""
    try:
        with engine.execution_options(sqlite_begin="IMMEDIATE").begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot keep hands in the database: {error}") from error
