"""Engines for SQLite and PostgreSQL, and schema migrations by Alembic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

import migrations
from server.runtime.errors import DatabaseError
from server.runtime.settings import Settings

BUSY_MILLISECONDS = 5_000  # how long a SQLite connection waits for another writer
CONNECT_SECONDS = "5"  # timeout of a connection to PostgreSQL
PROBE_SECONDS = 2.0  # timeout of a status query
# Limits of the service's own connections, all below the 20 s of a request. Commands and migrations
# have none of them.
STATEMENT_MILLISECONDS = 10_000  # PostgreSQL; the slowest statistic of a million plays takes 0.4 s
LOCK_MILLISECONDS = 2_000  # PostgreSQL; writers hold locks for milliseconds
NETWORK_MILLISECONDS = "10000"  # after which a peer that acknowledges nothing is given up
POOL_SECONDS = 2.0  # that a thread waits for a free connection
_FULL = ("53100", "disk is full")  # PostgreSQL's code and SQLite's message for a full disk
# An arbitrary constant: the advisory lock by which one process migrates PostgreSQL at a time.
MIGRATION_LOCK = 0x4EA275


@dataclass(frozen=True)
class Status:
    """The revision of a database, and whether the service can use it."""

    revision: str | None  # None: the database is empty or does not answer
    head: str  # the revision that this version of the service needs
    problem: str | None  # None: the database answers and is at head
    answers: bool = True


def make_engine(url: str, *, durable: bool = True, bounded: bool = False) -> Engine:
    """An engine for `url`; creates the directory of a SQLite file.

    Commits of a durable engine survive a power cut. Without `durable`, commits to SQLite survive a
    crash of the process only; PostgreSQL has its own settings for that. A `bounded` engine gives up
    after the times above. Errors do not quote parameters, because cards must not get into a log.
    """
    wait = {"pool_timeout": POOL_SECONDS} if bounded else {}
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() != "sqlite":
            return _postgres_engine(parsed, bounded, wait)
        if parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(parsed, hide_parameters=True, **(wait if parsed.database else {}))
    except ModuleNotFoundError as error:
        raise DatabaseError(f"{error.name} is missing: pip install 'hearts-ai[postgres]'") from None
    except (ArgumentError, NoSuchModuleError, OSError) as error:
        raise DatabaseError(f"cannot use the database: {error}") from None
    event.listen(engine, "connect", partial(_prepare_sqlite, durable))
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _postgres_engine(url: URL, bounded: bool, wait: Mapping[str, Any]) -> Engine:
    defaults = {"connect_timeout": CONNECT_SECONDS}
    if bounded:
        defaults["tcp_user_timeout"] = NETWORK_MILLISECONDS
    url = url.update_query_dict({k: v for k, v in defaults.items() if k not in url.query})
    engine = create_engine(url, pool_pre_ping=True, hide_parameters=True, **wait)
    if bounded:
        event.listen(engine, "connect", _limit_statements)
    return engine


def _limit_statements(connection: Any, _record: object) -> None:
    """Set the timeouts of a connection to PostgreSQL."""
    connection.execute(f"SET statement_timeout = {STATEMENT_MILLISECONDS}")
    connection.execute(f"SET lock_timeout = {LOCK_MILLISECONDS}")
    connection.commit()


def problem_of(error: SQLAlchemyError) -> str:
    """What is wrong with a database that raised an error, as a sentence for people."""
    cause = getattr(error, "orig", None)
    if any(sign in (getattr(cause, "sqlstate", None) or str(cause)) for sign in _FULL):
        return "the disk of the database is full"
    if isinstance(error, PoolTimeout):
        return "all connections to the database are in use"
    return f"the database does not answer ({type(error).__name__})"


@contextmanager
def opened_database(
    url: str | None = None, *, create: bool = True, migrate: bool = True
) -> Iterator[Engine]:
    """An engine for `url`, or for the configured database; its schema is created or upgraded.

    Without `create`, a missing SQLite file is a DatabaseError. Without `migrate`, so is a database
    of another revision.
    """
    url = url or Settings.from_environment().database_url
    if not create:
        check_exists(url)
    engine = make_engine(url)
    try:
        if migrate:
            upgrade(engine)
        elif (problem := status(engine).problem) is not None:
            raise DatabaseError(problem)
        yield engine
    finally:
        engine.dispose()


def check_exists(url: str) -> None:
    """Raise DatabaseError if `url` names a SQLite file that does not exist."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise DatabaseError(f"cannot use the database: {error}") from None
    file = parsed.database if parsed.get_backend_name() == "sqlite" else None
    if file and file != ":memory:" and not file.startswith("file:") and not Path(file).exists():
        raise DatabaseError(f"there is no database {file}: `hearts database upgrade` creates it")


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Upgrade the schema to `revision`; raises DatabaseError for a database of a newer version."""
    with _migrating(engine) as connection:
        command.upgrade(_config(connection), revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Downgrade the schema to `revision`, which drops later tables; "base" is an empty database."""
    steps = ["base", *_known_revisions()]
    if revision not in steps:
        raise DatabaseError(f"there is no revision {revision}: choose {', '.join(steps)}")
    with _migrating(engine) as connection:
        current = _revision(connection) or "base"
        if steps.index(current) < steps.index(revision):
            raise DatabaseError(f"the database is at revision {current}, before {revision}")
        command.downgrade(_config(connection), revision)


def status(engine: Engine) -> Status:
    """The status of a database; a failure is reported in `problem`, not raised."""
    head = _scripts().get_current_head() or ""
    try:
        with engine.connect() as connection:
            revision = _revision(connection)
    except SQLAlchemyError as error:
        return Status(None, head, problem_of(error), answers=False)
    return Status(revision, head, None if revision == head else _difference(revision, head))


class Probe:
    """Queries the status of a database with a timeout."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = Lock()
        self._asking: Future[Status] | None = None  # the pending query

    def status(self) -> Status:
        """The status, or a timeout as its problem; at most one query is pending at a time."""
        with self._lock:
            asking, is_new = self._asking or Future(), self._asking is None
            self._asking = asking
        if is_new:
            Thread(target=self._ask, args=(asking,), name="probe", daemon=True).start()
        try:
            return asking.result(PROBE_SECONDS)
        except TimeoutError:
            problem = f"the database does not answer (not within {PROBE_SECONDS:g} s)"
            return Status(None, _scripts().get_current_head() or "", problem, answers=False)

    def _ask(self, asking: Future[Status]) -> None:
        found = status(self.engine)
        with self._lock:
            self._asking = None
        asking.set_result(found)


def _difference(revision: str | None, head: str) -> str:
    if revision is not None and revision not in _known_revisions():
        return _newer(revision)
    return f"the database is at revision {revision or 'base'}, this version needs {head}"


def _newer(revision: str) -> str:
    return f"the database is at revision {revision}, which only a newer version knows"


@contextmanager
def _migrating(engine: Engine) -> Iterator[Connection]:
    """An exclusive transaction for a migration; DatabaseError if the revision is unknown."""
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
    """Alembic's configuration, without an alembic.ini."""
    config = Config(attributes={"connection": connection})
    # configparser would interpolate a `%` in the path.
    location = str(Path(migrations.__path__[0]).resolve()).replace("%", "%%")
    config.set_main_option("script_location", location)
    config.set_main_option("path_separator", "os")
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _known_revisions() -> list[str]:
    """All revisions that this version knows, the oldest first."""
    return [script.revision for script in _scripts().walk_revisions()][::-1]


def _prepare_sqlite(durable: bool, connection: Any, _record: object) -> None:
    """Set WAL mode, the busy timeout, foreign keys and the sync mode."""
    # sqlite3 would begin transactions late and leave DDL outside; `_begin_sqlite` begins them.
    connection.isolation_level = None
    synchronous = f"synchronous={'FULL' if durable else 'NORMAL'}"
    waits = f"busy_timeout={BUSY_MILLISECONDS}"
    for pragma in (waits, "journal_mode=WAL", "foreign_keys=ON", synchronous):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction in the mode of `sqlite_begin`; IMMEDIATE takes the write lock."""
    mode = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {mode}")
