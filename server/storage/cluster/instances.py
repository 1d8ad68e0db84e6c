"""Instances: the processes that serve, with a heartbeat on the database's clock.

An instance beats while it drives tables. One whose last beat is older than DEAD_SECONDS counts as
dead, and others take over its tables. All times are by the clock of the database, so the clocks of
machines need not agree.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from sqlalchemy import Connection, Select, delete, select

from server.storage.cluster.clock import database_seconds
from server.storage.schema import INSTANCES, insert_into

BEAT_SECONDS = 0.5  # between two heartbeats
DEAD_SECONDS = 2.0  # after its last heartbeat an instance counts as dead
FORGOTTEN_SECONDS = 86_400.0  # after which the row of a dead instance is deleted



def new_instance() -> str:
    """The id of a new instance."""
    return secrets.token_hex(8)


def beat(connection: Connection, instance: str) -> None:
    """Tell the others that an instance is alive."""
    clock = database_seconds(connection)
    values = {"id": instance, "started_at": datetime.now(UTC), "seen_at": clock}
    row = insert_into(connection, INSTANCES).values(values)
    again = row.on_conflict_do_update(index_elements=["id"], set_={"seen_at": clock})
    connection.execute(again)


def leave(connection: Connection, instance: str) -> None:
    """Remove an instance that stops, and those that died long ago."""
    is_old = INSTANCES.c.seen_at < database_seconds(connection) - FORGOTTEN_SECONDS
    connection.execute(delete(INSTANCES).where((INSTANCES.c.id == instance) | is_old))


def now(connection: Connection) -> datetime:
    """The time by the clock of the database."""
    seconds = connection.scalar(select(database_seconds(connection)))
    assert seconds is not None
    return datetime.fromtimestamp(seconds, UTC)


def alive(connection: Connection) -> Select[tuple[str]]:
    """A query for the ids of the instances that are alive.

    After the clock was set back, a beat may be in the future: it shows nothing.
    """
    clock, seen = database_seconds(connection), INSTANCES.c.seen_at
    is_recent = (seen > clock - DEAD_SECONDS) & (seen < clock + DEAD_SECONDS)
    return select(INSTANCES.c.id).where(is_recent)
