"""Leases: each table's bots are played by one instance, its driver.

A lease lasts as long as the engine is to move. It is taken by one UPDATE that also increments the
table's `fence`. A bot's event is stored only while the fence is that of the lease, so an instance
that was paused or cut off cannot move after another one took its table over. Events of people need
no lease.

`engine_to_move` is true while a table wants a driver. A table of bots that nobody watches pauses:
the column is false until somebody looks again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import inf
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, select, true, update

from server.storage.cluster.instances import alive, now
from server.storage.schema import GAMES
from server.storage.values import ABANDONED, OPEN

BATCH = 16  # tables that an instance takes over at a time, so that survivors share them


@dataclass(frozen=True)
class Driving:
    """What an event of a table means for its lease."""

    engine_to_move: bool = False  # after the event
    fence: int | None = None  # of the lease that a bot's event needs; None: a person's event
    is_last: bool = True  # of the events that are stored together; False: no column changes

    @property
    def condition(self) -> ColumnElement[bool]:
        """The row is updated only if this holds."""
        return true() if self.fence is None else GAMES.c.fence == self.fence

    @property
    def values(self) -> dict[str, Any]:
        """The columns that the event changes; the lease ends once people are to move."""
        if not self.is_last:
            return {}
        freed = {} if self.engine_to_move else {"driver": None}
        return {"engine_to_move": self.engine_to_move, **freed}


NOT_A_TABLE = Driving(is_last=False)  # posted games have no lease


@dataclass(frozen=True)
class Taken:
    """A lease as it was taken."""

    table_id: str
    fence: int


def take(connection: Connection, table_id: str, instance: str) -> Taken | None:
    """Take the lease of a table that wants a driver; None if another instance has it."""
    return next(iter(_take(connection, [table_id], instance)), None)


def take_orphans(
    connection: Connection, instance: str, watched_within: float, limit: int = BATCH
) -> list[Taken]:
    """Take the leases of some tables that no instance drives; see `orphans`."""
    return _take(connection, orphans(connection, watched_within, limit), instance)


def orphans(connection: Connection, watched_within: float, limit: int = BATCH) -> list[str]:
    """Tables that want a driver and have none that is alive, locked for this transaction.

    Tables of bots only if they were watched within some seconds.
    """
    wanted = _orphans(connection, watched_within, limit)
    if connection.dialect.name == "postgresql":
        wanted = wanted.with_for_update(skip_locked=True)  # two survivors take different tables
    return list(connection.scalars(wanted))


def has_orphans(connection: Connection, watched_within: float) -> bool:
    """Whether `orphans` would find any; without locks."""
    return connection.scalar(_orphans(connection, watched_within, 1)) is not None


def held(connection: Connection, instance: str) -> set[Taken]:
    """The leases of an instance."""
    mine = GAMES.c.engine_to_move & (GAMES.c.driver == instance)
    found = connection.execute(select(GAMES.c.id, GAMES.c.fence).where(mine))
    return {Taken(table_id, fence) for table_id, fence in found}


def release(
    connection: Connection, taken: Taken, version: int, unwatched_for: float | None = None
) -> bool:
    """End a lease at a table where the engine has nothing to do, or that pauses.

    Returns False if the table has another version, so that the engine may be to move after all, or
    if it pauses since nobody has watched it for some seconds, and somebody has.
    """
    here = (GAMES.c.id == taken.table_id) & (GAMES.c.fence == taken.fence)
    here &= GAMES.c.events == version
    if unwatched_for is not None:
        since = now(connection) - timedelta(seconds=unwatched_for)
        here &= GAMES.c.watched_at.is_(None) | (GAMES.c.watched_at <= since)
    ended = update(GAMES).where(here).values(driver=None, engine_to_move=False)
    return bool(connection.execute(ended).rowcount)


def release_all(connection: Connection, instance: str) -> int:
    """End all leases of an instance that stops; others take the tables at once."""
    mine = update(GAMES).where(GAMES.c.engine_to_move, GAMES.c.driver == instance)
    return connection.execute(mine.values(driver=None)).rowcount


def pause_unwatched(connection: Connection, seconds: float) -> int:
    """Let tables of bots pause whose driver died, and that nobody has watched for some seconds.

    No instance takes them over, so that every look for orphans would read them again.
    """
    since = now(connection) - timedelta(seconds=seconds)
    lost = _is_free(connection) & (GAMES.c.watched_at < since)
    paused = update(GAMES).where(lost).values(engine_to_move=False, driver=None)
    return connection.execute(paused).rowcount


def mark_watched(connection: Connection, table_id: str) -> None:
    """Note that somebody looks at a table of bots that is to go on, also an abandoned one."""
    here = (GAMES.c.id == table_id) & GAMES.c.status.in_((OPEN, ABANDONED))
    values = {"watched_at": now(connection), "engine_to_move": True, "status": OPEN}
    connection.execute(update(GAMES).where(here).values(values))


def unwatched_for(connection: Connection, table_id: str) -> float:
    """Seconds since somebody last looked at a table of bots; infinite if nobody has."""
    seen = connection.scalar(select(GAMES.c.watched_at).where(GAMES.c.id == table_id))
    return inf if seen is None else (now(connection) - seen).total_seconds()


def _orphans(connection: Connection, watched_within: float, limit: int) -> Select[tuple[str]]:
    since = now(connection) - timedelta(seconds=watched_within)
    is_watched = GAMES.c.watched_at.is_(None) | (GAMES.c.watched_at >= since)  # NULL: of people
    return select(GAMES.c.id).where(_is_free(connection), is_watched).limit(limit)


def _take(connection: Connection, ids: Sequence[str], instance: str) -> list[Taken]:
    free = GAMES.c.id.in_(ids) & _is_free(connection)
    taken = update(GAMES).where(free).values(driver=instance, fence=GAMES.c.fence + 1)
    found = connection.execute(taken.returning(GAMES.c.id, GAMES.c.fence)) if ids else ()
    return [Taken(table_id, fence) for table_id, fence in found]


def _is_free(connection: Connection) -> ColumnElement[bool]:
    """Whether a table wants a driver and has none that is alive."""
    is_driven = GAMES.c.driver.is_not(None) & GAMES.c.driver.in_(alive(connection))
    return GAMES.c.engine_to_move & ~is_driven
