"""Hands of tournaments: one row per tournament, and one per hand.

A tournament is found by a digest of everything that its result depends on. The same command
continues the same tournament; a changed level or default makes a new one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256

from sqlalchemy import Connection, Engine, delete, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from hearts.arena.outputs import HandStore, refuse_missing
from hearts.arena.results import DealResult
from hearts.arena.tournament import Tournament
from hearts.engine.config import canonical
from server.runtime.errors import DatabaseError
from server.storage.games import writing
from server.storage.schema import TOURNAMENT_HANDS, TOURNAMENTS


class DatabaseHands(HandStore):
    """The stored hands of one tournament."""

    def __init__(self, engine: Engine, tournament: Tournament) -> None:
        self.engine = engine
        with _writing(engine) as connection:
            self.tournament = _tournament_id(connection, tournament)

    def begin(self, finished: Collection[int]) -> None:
        """Raise InvalidRecord if hands of a finished deal are missing."""
        deals = select(TOURNAMENT_HANDS.c.deal).distinct()
        stored = deals.filter_by(tournament_id=self.tournament)
        with _writing(self.engine) as connection:
            refuse_missing("database", finished, set(connection.scalars(stored)))

    def add(self, result: DealResult) -> None:
        """Store the hands of a deal, in place of those of an interrupted run."""
        key = {"tournament_id": self.tournament, "deal": result.deal}
        values = [
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
            connection.execute(insert(TOURNAMENT_HANDS), values)


def _tournament_id(connection: Connection, tournament: Tournament) -> int:
    """The id of a tournament's row, which is inserted if there is none."""
    definition = _definition(tournament)
    digest = sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()
    values = {"digest": digest, "definition": definition, "created_at": datetime.now(UTC)}
    try:
        with connection.begin_nested():
            connection.execute(insert(TOURNAMENTS), values)
    except IntegrityError:
        pass  # the tournament is stored already
    known = select(TOURNAMENTS.c.id).filter_by(digest=digest)
    found: int = connection.scalars(known).one()
    return found


def _definition(tournament: Tournament) -> dict[str, object]:
    """A tournament as JSON, with the canonical names of all options."""
    sides = {"focus": tournament.focus, "others": tournament.others}
    named = {side: canonical(spec.as_object()) for side, spec in sides.items()}
    engines = [spec.resolved() for spec in sides.values()]
    return tournament.as_object() | named | {"engines": engines}


@contextmanager
def _writing(engine: Engine) -> Iterator[Connection]:
    """A transaction whose errors are DatabaseErrors."""
    try:
        with writing(engine) as connection:
            yield connection
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot keep hands in the database: {error}") from error
