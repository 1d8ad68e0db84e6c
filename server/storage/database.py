"""The database: engines for SQLite and PostgreSQL, and its schema by Alembic's revisions."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

import migrations
from server.runtime.errors import DatabaseError

# How long a SQLite connection waits for another process that writes.
BUSY_MILLISECONDS = 5_000
CONNECT_SECONDS = "5"  # that a PostgreSQL server may take to let us in
PROBE_SECONDS = 2.0  # that the database may take to say how it is
# Any constant of our own: PostgreSQL's advisory lock that lets one process migrate at a time.
MIGRATION_LOCK = 0x4EA275


@dataclass(frozen=True)
class Status:
    """What the database says about itself."""

    revision: str | None  # None: empty, or it does not answer
    head: str  # the revision this version of the service works with
    problem: str | None  # None: it answers and is at head
    answers: bool = True


def make_engine(url: str, *, durable: bool = True) -> Engine:
    """An engine for `url`; a SQLite file's directory is created.

    What a durable engine has committed outlives a power cut; with SQLite, other commits outlive the
    process only. PostgreSQL has settings of its own for that. Errors do not quote what was to be
    written: cards belong in no log.
    """
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() != "sqlite":
            if "connect_timeout" not in parsed.query:
                parsed = parsed.update_query_dict({"connect_timeout": CONNECT_SECONDS})
            return create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
        if parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(parsed, hide_parameters=True)
    except ModuleNotFoundError as error:
        raise DatabaseError(f"{error.name} is missing: pip install 'hearts-ai[postgres]'") from None
    except (ArgumentError, NoSuchModuleError, OSError) as error:
        raise DatabaseError(f"cannot use the database: {error}") from None
    event.listen(engine, "connect", partial(_prepare_sqlite, durable))
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring the schema up to `revision`; refuse a database that a newer version has written."""
    with _migrating(engine) as connection:
        command.upgrade(_config(connection), revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Take the schema back to `revision`, without what later tables hold; "base" is empty."""
    steps = ["base", *_known_revisions()]
    if revision not in steps:
        raise DatabaseError(f"there is no revision {revision}: choose {', '.join(steps)}")
    with _migrating(engine) as connection:
        current = _revision(connection) or "base"
        if steps.index(current) < steps.index(revision):
            raise DatabaseError(f"the database is at revision {current}, before {revision}")
        command.downgrade(_config(connection), revision)


def status(engine: Engine) -> Status:
    """Ask the database for its revision; a failure is told in `problem`, not raised."""
    head = _scripts().get_current_head() or ""
    try:
        with engine.connect() as connection:
            revision = _revision(connection)
    except SQLAlchemyError as error:
        return _silent(head, type(error).__name__)
    return Status(revision, head, None if revision == head else _difference(revision, head))


class Probe:
    """Asks the database for its status without waiting for ever."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = Lock()
        self._asking: Future[Status] | None = None  # the question that is open

    def status(self) -> Status:
        """The status, or that there was no answer in time; one question at a time is asked."""
        with self._lock:
            asking, is_new = self._asking or Future(), self._asking is None
            self._asking = asking
        if is_new:
            Thread(target=self._ask, args=(asking,), name="probe", daemon=True).start()
        try:
            return asking.result(PROBE_SECONDS)
        except TimeoutError:
            return _silent(_scripts().get_current_head() or "", f"not within {PROBE_SECONDS:g} s")

    def _ask(self, asking: Future[Status]) -> None:
        found = status(self.engine)
        with self._lock:
            self._asking = None
        asking.set_result(found)


def _silent(head: str, reason: str) -> Status:
    return Status(None, head, f"the database does not answer ({reason})", answers=False)


def _difference(revision: str | None, head: str) -> str:
    if revision is not None and revision not in _known_revisions():
        return _newer(revision)
    return f"the database is at revision {revision or 'base'}, this version needs {head}"


def _newer(revision: str) -> str:
    return f"the database is at revision {revision}, which only a newer version knows"


@contextmanager
def _migrating(engine: Engine) -> Iterator[Connection]:
    """A transaction that no other migrating process shares, on a database that we know."""
    try:
        with engine.execution_options(sqlite_begin="IMMEDIATE").begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
            current = _revision(connection)
            if current is not None and current not in _known_revisions():
                raise DatabaseError(_newer(current))
            yield connection
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot migrate the database: {error}") from error


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _config(connection: Connection | None = None) -> Config:
    """Alembic's configuration in code, so that no alembic.ini must be found at run time."""
    config = Config(attributes={"connection": connection})
    # A `%` in the path would be taken for an interpolation.
    location = str(Path(migrations.__path__[0]).resolve()).replace("%", "%%")
    config.set_main_option("script_location", location)
    config.set_main_option("path_separator", "os")
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _known_revisions() -> list[str]:
    """All revisions of this version, the oldest first."""
    return [script.revision for script in _scripts().walk_revisions()][::-1]


def _prepare_sqlite(durable: bool, connection: Any, _record: object) -> None:
    """Readers beside a writer (WAL), waiting instead of failing, and foreign keys."""
    # Python's sqlite3 would begin late and leave DDL outside; `_begin_sqlite` begins instead.
    connection.isolation_level = None
    synchronous = f"synchronous={'FULL' if durable else 'NORMAL'}"
    waits = f"busy_timeout={BUSY_MILLISECONDS}"
    for pragma in (waits, "journal_mode=WAL", "foreign_keys=ON", synchronous):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    """Begin as the option `sqlite_begin` says; IMMEDIATE takes the write lock at once."""
    mode = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {mode}")
