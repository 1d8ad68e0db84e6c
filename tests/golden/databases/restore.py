"""Old databases: their files, how to unpack them, and what they hold."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tests.postgres import PostgresServer, binary

FOLDER = Path(__file__).parent
EXPECTED = FOLDER / "expected.json"
SQLITE, POSTGRESQL = "sqlite", "postgresql"
SUFFIXES = {SQLITE: "sqlite.gz", POSTGRESQL: "postgres.sql.gz"}


def packed(kind: str, version: str) -> Path:
    """The file of a database."""
    return FOLDER / f"hearts-{version}.{SUFFIXES[kind]}"


def expected() -> dict[str, Any]:
    """What must hold after the upgrade, for each kind of database."""
    found: dict[str, Any] = json.loads(EXPECTED.read_text("utf-8"))
    return found


def restore_sqlite(version: str, folder: Path) -> str:
    """Unpack the SQLite file into `folder`; returns its URL."""
    path = folder / "hearts.db"
    path.write_bytes(gzip.decompress(packed(SQLITE, version).read_bytes()))
    return f"sqlite:///{path}"


def restore_postgres(version: str, server: PostgresServer) -> str:
    """Load the dump into a new database of a server; returns its URL."""
    url = server.new_database()
    script = gzip.decompress(packed(POSTGRESQL, version).read_bytes())
    options = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
    command = [binary("psql"), *options, *place(url)]
    subprocess.run(command, input=script, check=True, capture_output=True)
    return url


def place(url: str) -> list[str]:
    """A database of the test server as PostgreSQL's own programs name it."""
    parsed = sa.make_url(url)
    return [f"--host={parsed.query['host']}", "--username=postgres", f"--dbname={parsed.database}"]


def row_counts(url: str) -> dict[str, int]:
    """The number of rows of every table."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        counts = {
            name: connection.scalar(sa.select(sa.func.count()).select_from(sa.table(name))) or 0
            for name in sorted(sa.inspect(connection).get_table_names())
        }
    engine.dispose()
    return counts


def column_values(
    url: str, table: str, *columns: str, by: Sequence[str] = ()
) -> list[tuple[Any, ...]]:
    """Some columns of all rows of a table, ordered by themselves or by other columns."""
    engine = sa.create_engine(url)
    query = sa.select(*map(sa.column, columns)).select_from(sa.table(table))
    with engine.connect() as connection:
        found = connection.execute(query.order_by(*map(sa.column, by or columns)))
        values = [tuple(row) for row in found]
    engine.dispose()
    return values
