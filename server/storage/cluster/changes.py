"""Changes of tables that other processes make, within milliseconds.

PostgreSQL: a writer sends NOTIFY after its transaction, on a connection of its own, and every
process listens. SQLite: a thread polls `PRAGMA data_version`, which changes with every commit of
another connection, and then reads the revisions of the tables in memory. A notification may be
lost; sessions in use are compared with the database every second as well.

The revision of a table counts its events and the people who have joined: it grows with each change.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Collection
from typing import Any, Protocol

import structlog
from sqlalchemy import Connection, Engine, func, select, text

from server.storage.schema import GAMES, SEATS

log = structlog.stdlib.get_logger("hearts.changes")

CHANNEL = "hearts_tables"
FREED = "freed"  # the payload that tells of tables without a driver
POLL_SECONDS = 0.02  # between two looks at a SQLite database while somebody waits for changes
IDLE_SECONDS = 0.25  # the same while nobody does
RETRY_SECONDS = 0.5  # after an error of the database
LISTEN_SECONDS = 0.5  # after which a listener looks whether it is to stop
MANY = 500  # ids in one query

_SEND = text("SELECT pg_notify(:c, p) FROM unnest(:p ::text[]) p")
_JOINED = select(func.count(SEATS.c.token_hash)).where(SEATS.c.game_id == GAMES.c.id)
REVISION = (GAMES.c.events + _JOINED.scalar_subquery()).label("revision")


class Listener(Protocol):
    """A receiver of changes."""

    def heard(self, table_id: str, revision: int) -> None:
        """A table has reached a revision."""

    def missed(self) -> None:
        """Changes may have been missed."""

    def freed(self) -> None:
        """Tables may have lost their driver."""

    def in_memory(self) -> Collection[str]:
        """The ids of the tables that are of interest."""

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for changes."""


class Changes:
    """The feed of changes of one process; its threads start in the process that serves."""

    def __init__(self, engine: Engine, listener: Listener) -> None:
        self.engine, self.listener = engine, listener
        self.closing = threading.Event()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the threads; does nothing if they run."""
        with self._lock:
            if not self._threads and not self.closing.is_set():
                self._threads = [
                    threading.Thread(target=self._forever, args=(loop,), name=name, daemon=True)
                    for name, loop in self.loops().items()
                ]
                for thread in self._threads:
                    thread.start()

    def close(self) -> None:
        """Stop the threads."""
        self.closing.set()
        self.interrupt()
        for thread in self._threads:
            thread.join(2 * LISTEN_SECONDS)

    def publish(self, table_id: str, revision: int) -> None:
        """Tell other processes of a revision, after its transaction; never waits."""

    def publish_freed(self) -> None:
        """Tell other processes of tables without a driver."""

    def wake(self) -> None:
        """Look at the database soon: somebody has begun to wait."""

    def interrupt(self) -> None:
        """Let the threads look whether they are to stop."""

    def loops(self) -> dict[str, Callable[[], None]]:
        """The bodies of the threads by name; each runs until an error, or until `closing`."""
        raise NotImplementedError

    def _forever(self, loop: Callable[[], None]) -> None:
        while not self.closing.is_set():
            try:
                loop()
            except Exception as error:  # /readyz reports a database that does not answer
                if not self.closing.is_set():
                    log.warning("changes of tables are not heard", error=type(error).__name__)
                self.closing.wait(RETRY_SECONDS)


class PostgresChanges(Changes):
    """LISTEN and NOTIFY."""

    def __init__(self, engine: Engine, listener: Listener) -> None:
        super().__init__(engine, listener)
        self._outbox: queue.SimpleQueue[str] = queue.SimpleQueue()

    def publish(self, table_id: str, revision: int) -> None:
        """Queue a notification for the thread that sends them."""
        self._outbox.put(f"{table_id} {revision}")
        self.start()

    def publish_freed(self) -> None:
        """Send at once: the process is about to end."""
        with self._connected() as connection:
            connection.execute(text("SELECT pg_notify(:c, :p)"), {"c": CHANNEL, "p": FREED})

    def interrupt(self) -> None:
        """Wake up the thread that sends; the one that listens wakes up now and then."""
        self._outbox.put("")

    def loops(self) -> dict[str, Callable[[], None]]:
        """One thread listens, one sends."""
        return {"listen": self._listen, "notify": self._notify}

    def _connected(self) -> Connection:
        return self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def _listen(self) -> None:
        with self._connected() as connection:
            connection.execute(text(f"LISTEN {CHANNEL}"))
            driver: Any = connection.connection.driver_connection
            self.listener.missed()  # while there was no connection
            while not self.closing.is_set():
                for notification in driver.notifies(timeout=LISTEN_SECONDS):
                    self._hear(notification.payload)

    def _hear(self, payload: str) -> None:
        table_id, _, revision = payload.partition(" ")
        if payload == FREED:
            self.listener.freed()
        elif revision.isdecimal():
            self.listener.heard(table_id, int(revision))

    def _notify(self) -> None:
        with self._connected() as connection:
            while not self.closing.is_set():
                payloads = [self._outbox.get()]
                while not self._outbox.empty():
                    payloads.append(self._outbox.get())
                if sent := [payload for payload in payloads if payload]:
                    connection.execute(_SEND, {"c": CHANNEL, "p": sent})


class SqliteChanges(Changes):
    """Polls the number that changes with every commit."""

    def __init__(self, engine: Engine, listener: Listener) -> None:
        super().__init__(engine, listener)
        self._awake = threading.Event()

    def publish(self, table_id: str, revision: int) -> None:
        """Nothing is to be sent: the commit is what others see."""
        self.start()

    def wake(self) -> None:
        """Poll at the short interval from now on."""
        self._awake.set()

    def interrupt(self) -> None:
        """Wake up the thread that polls."""
        self._awake.set()

    def loops(self) -> dict[str, Callable[[], None]]:
        """One thread polls."""
        return {"poll": self._poll}

    def _poll(self) -> None:
        pooled = self.engine.raw_connection()
        try:
            self._watch(pooled.driver_connection)
        finally:
            pooled.close()

    def _watch(self, driver: Any) -> None:
        known = None
        while not self.closing.is_set():
            (version,) = driver.execute("PRAGMA data_version").fetchone()
            if version != known:
                known = version
                self._compare()
                self.listener.freed()
            self._pause()

    def _compare(self) -> None:
        """Tell the listener the revisions of its tables."""
        ids = list(self.listener.in_memory())
        with self.engine.connect() as connection:
            for begin in range(0, len(ids), MANY):
                here = GAMES.c.id.in_(ids[begin : begin + MANY])
                for table_id, revision in connection.execute(
                    select(GAMES.c.id, REVISION).where(here)
                ):
                    self.listener.heard(table_id, revision)

    def _pause(self) -> None:
        if self.listener.is_busy:
            self.closing.wait(POLL_SECONDS)
        else:
            self._awake.wait(IDLE_SECONDS)
            self._awake.clear()


def revision(connection: Connection, table_id: str) -> int:
    """The revision of a table; 0 if there is no such table."""
    return connection.scalar(select(REVISION).where(GAMES.c.id == table_id)) or 0


def changes_of(engine: Engine, listener: Listener) -> Changes:
    """The feed for a database."""
    kind = PostgresChanges if engine.dialect.name == "postgresql" else SqliteChanges
    return kind(engine, listener)
