"""The database's clock, by which leases and heartbeats are counted: machines need not agree."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Float, literal_column

# Seconds since 1970. PostgreSQL's now() would be the beginning of the transaction.
_CLOCK: dict[str, ColumnElement[float]] = {
    "sqlite": literal_column("((julianday('now') - 2440587.5) * 86400.0)", Float),
    "postgresql": literal_column("extract(epoch from clock_timestamp())::float8", Float),
}


def database_seconds(connection: Connection) -> ColumnElement[float]:
    """The time of the database, in seconds since 1970."""
    return _CLOCK[connection.dialect.name]
