"""A real PostgreSQL server for the tests, in a temporary directory and on a Unix socket only."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from server.storage.database import make_engine, opened_database
from server.storage.schema import METADATA

DEBIAN_BINARIES = "/usr/lib/postgresql"
_numbers = itertools.count()


class PostgresServer:
    """A server of our own; PostgreSQL refuses to run as root, so root runs it as `postgres`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.data = directory / "data"

    def start(self) -> None:
        """Create the cluster and run it; no test needs to survive a power cut."""
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.directory, user.pw_uid, user.pw_gid)
        trust = ("--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync")
        self.call("initdb", "-D", self.data, *trust)
        self.run()

    def run(self) -> None:
        """Start it, also again after a stop, and wait until it answers."""
        options = f"-F -k {self.directory} -c listen_addresses=''"
        self.call("pg_ctl", "start", "-w", "-D", self.data, "-l", self.log, "-o", options)

    def stop(self) -> None:
        """Stop it without waiting for clients."""
        self.call("pg_ctl", "stop", "-w", "-m", "immediate", "-D", self.data)

    def url(self, name: str = "postgres") -> str:
        """The URL of the database `name`."""
        return f"postgresql+psycopg://postgres@/{name}?host={self.directory}"

    def new_database(self) -> str:
        """Create an empty database and return its URL."""
        name = f"test_{next(_numbers)}"
        engine = create_engine(self.url(), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return self.url(name)

    @property
    def log(self) -> Path:
        """Where the server writes."""
        return self.directory / "log"

    def call(self, program: str, *arguments: object) -> None:
        """Run one of PostgreSQL's programs; its output is shown when it fails."""
        as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*as_user, binary(program), *map(str, arguments)]
        # A file and not a pipe: the server inherits it and would keep a pipe open for ever.
        with tempfile.TemporaryFile("w+") as output:
            code = subprocess.call(command, stdout=output, stderr=output, cwd=self.directory)
            output.seek(0)
            assert code == 0, f"{program} failed:\n{output.read()}"


def binary(program: str) -> str:
    """The path of one of PostgreSQL's programs, also where Debian hides it."""
    hidden = sorted(Path(DEBIAN_BINARIES).glob("*/bin"), reverse=True)
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, hidden)])
    found = shutil.which(program, path=path)
    assert found, f"{program} is missing: run tests/install_system_packages"
    return found


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server while the block runs; whoever stops it starts it again."""
    # Not pytest's tmp_path: the user `postgres` must reach it, and a socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="hearts-pg-") as directory:
        server = PostgresServer(Path(directory))
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A running server, one for each process of the test run."""
    with running_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """The URL of an empty PostgreSQL database."""
    return postgres_server.new_database()


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: PostgresServer) -> str:
    """The URL of the PostgreSQL database that tests share: to make one takes half a second."""
    url = postgres_server.new_database()
    _migrate(url)
    return url


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with all tables, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "hearts.db"
    _migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def migrated_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with all tables and nothing in them, on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        path: Path = request.getfixturevalue("migrated_sqlite")
        return f"sqlite:///{shutil.copy(path, tmp_path / 'hearts.db')}"
    url: str = request.getfixturevalue("migrated_postgres")
    _empty(url)
    return url


def _migrate(url: str) -> None:
    with opened_database(url):
        pass


def _empty(url: str) -> None:
    """Forget what another test has written; who still writes then has left something running."""
    engine = make_engine(url)
    names = ", ".join(table.name for table in METADATA.sorted_tables)
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL lock_timeout = '20s'"))
        connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database; a test that asks for it runs on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hearts.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url
