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
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, select, true, update

from server.storage.cluster.instances import alive
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
    connection: Connection, instance: str, watched_since: datetime, limit: int = BATCH
) -> list[Taken]:
    """Take the leases of some tables that no instance drives; see `orphans`."""
    return _take(connection, orphans(connection, watched_since, limit), instance)


def orphans(connection: Connection, watched_since: datetime, limit: int = BATCH) -> list[str]:
    """Tables that want a driver and have none that is alive.

    Tables of bots only if they were watched since a time; those with people have no such time.
    """
    is_watched = GAMES.c.watched_at.is_(None) | (GAMES.c.watched_at >= watched_since)
    wanted = select(GAMES.c.id).where(_is_free(connection), is_watched).limit(limit)
    if connection.dialect.name == "postgresql":
        wanted = wanted.with_for_update(skip_locked=True)  # two survivors take different tables
    return list(connection.scalars(wanted))


def has_orphans(connection: Connection, watched_since: datetime) -> bool:
    """Whether `orphans` would find any; without locks."""
    is_watched = GAMES.c.watched_at.is_(None) | (GAMES.c.watched_at >= watched_since)
    wanted = select(GAMES.c.id).where(_is_free(connection), is_watched).limit(1)
    return connection.scalar(wanted) is not None


def held(connection: Connection, instance: str) -> set[Taken]:
    """The leases of an instance."""
    mine = GAMES.c.engine_to_move & (GAMES.c.driver == instance)
    found = connection.execute(select(GAMES.c.id, GAMES.c.fence).where(mine))
    return {Taken(table_id, fence) for table_id, fence in found}


def release(connection: Connection, taken: Taken, version: int) -> bool:
    """End a lease at a table where the engine has nothing to do, or that pauses.

    Returns False if the table has another version, so that the engine may be to move after all.
    """
    same = (GAMES.c.id == taken.table_id) & (GAMES.c.fence == taken.fence)
    ended = update(GAMES).where(same, GAMES.c.events == version)
    changed = connection.execute(ended.values(driver=None, engine_to_move=False)).rowcount
    return bool(changed)


def release_all(connection: Connection, instance: str) -> int:
    """End all leases of an instance that stops; others take the tables at once."""
    mine = update(GAMES).where(GAMES.c.engine_to_move, GAMES.c.driver == instance)
    return connection.execute(mine.values(driver=None)).rowcount


def pause_unwatched(connection: Connection, since: datetime) -> int:
    """Let tables of bots pause whose driver died, and that nobody has watched since a time.

    No instance takes them over, so that every look for orphans would read them again.
    """
    lost = _is_free(connection) & (GAMES.c.watched_at < since)
    paused = update(GAMES).where(lost).values(engine_to_move=False, driver=None)
    return connection.execute(paused).rowcount


def mark_watched(connection: Connection, table_id: str, at: datetime) -> None:
    """Note that somebody looks at a table of bots that is to go on, also an abandoned one."""
    here = (GAMES.c.id == table_id) & GAMES.c.status.in_((OPEN, ABANDONED))
    marked = update(GAMES).where(here).values(watched_at=at, engine_to_move=True, status=OPEN)
    connection.execute(marked)


def watched_at(connection: Connection, table_id: str) -> datetime | None:
    """When somebody last looked at a table of bots."""
    found: datetime | None = connection.scalar(
        select(GAMES.c.watched_at).where(GAMES.c.id == table_id)
    )
    return found


def _take(connection: Connection, ids: Sequence[str], instance: str) -> list[Taken]:
    free = GAMES.c.id.in_(ids) & _is_free(connection)
    taken = update(GAMES).where(free).values(driver=instance, fence=GAMES.c.fence + 1)
    found = connection.execute(taken.returning(GAMES.c.id, GAMES.c.fence)) if ids else ()
    return [Taken(table_id, fence) for table_id, fence in found]


def _is_free(connection: Connection) -> ColumnElement[bool]:
    """Whether a table wants a driver and has none that is alive."""
    is_driven = GAMES.c.driver.is_not(None) & GAMES.c.driver.in_(alive(connection))
    return GAMES.c.engine_to_move & ~is_driven
