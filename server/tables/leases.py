"""The leases of this process: the tables whose bots it plays for.

A lease begins when a table is created here, when a person's move here makes it the engine's turn,
or when a table has no driver that is alive. It ends with the bot's event after which people are to
move. While there are leases, a thread beats and compares them with the database; always, it looks
for tables without a driver. It gives all tables back when the process begins to stop.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import SystemRandom

import structlog
from sqlalchemy import Connection, Engine

from hearts.engine.clock import Stop
from server.storage.cluster import instances
from server.storage.cluster import leases as store
from server.storage.cluster.instances import BEAT_SECONDS, DEAD_SECONDS
from server.storage.cluster.leases import BATCH, Taken
from server.storage.games import writing

SCAN_SECONDS = 0.5  # between two looks for tables without a driver
SOON = 0.05  # seconds until the next look, if there may be more of them
UNWATCHED = 300.0  # seconds after which a table without people pauses
DUE = 0.75  # of the time between two heartbeats, after which the next one is due
CLOSING = 5.0  # seconds that the thread has to finish

log = structlog.stdlib.get_logger("hearts.tables")


@dataclass(eq=False)
class Lease:
    """The right to play for the engine's seats of a table, as long as nobody has taken it over."""

    taken: Taken
    is_over: bool = False  # it is lost, or people are to move
    stop: Stop | None = None  # of the last search

    @property
    def table_id(self) -> str:
        """The table."""
        return self.taken.table_id

    @property
    def fence(self) -> int:
        """The number that a bot's event needs."""
        return self.taken.fence

    def watch(self, stop: Stop) -> None:
        """Stop a search once the lease is over."""
        self.stop = stop
        if self.is_over:
            stop[0] = 1

    def end(self) -> None:
        """Note that it is over, and stop the running search."""
        self.is_over = True
        if self.stop is not None:
            self.stop[0] = 1


def nothing(*_: object) -> None:
    """Do nothing."""


class Leases:
    """All leases of this process, and the thread that keeps them."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine  # its commits need not survive a power cut
        self.on_taken: Callable[[str], None] = nothing  # called with every table that it gets
        self.on_freed: Callable[[], None] = nothing  # called after tables were given back
        self.closing = False
        self._instance = ""
        self._held: dict[str, Lease] = {}
        self._lock = threading.Lock()  # for changes of the two above, and the start of the thread
        self._beaten_at = float("-inf")  # on the clock of time.monotonic
        self._strays: set[Taken] = set()  # stored as ours, but not known here
        self._verifying = threading.Lock()  # for `_strays`
        self._thread: threading.Thread | None = None
        self._awake = threading.Event()
        self._jitter = SystemRandom()  # so that instances do not look at the same moments

    @property
    def instance(self) -> str:
        """The id of this process; drawn when it is first needed, which is after a fork."""
        with self._lock:
            self._instance = self._instance or instances.new_instance()
            return self._instance

    def __len__(self) -> int:
        return len(self._held)

    def of(self, table_id: str) -> Lease | None:
        """The lease of a table, if this process has it."""
        return self._held.get(table_id)

    def add(self, taken: Taken) -> Lease:
        """Note a lease whose transaction is committed, and serve its table."""
        with self._lock:
            lease = self._held.get(taken.table_id)
            if lease is None or lease.taken != taken:
                lease = self._held[taken.table_id] = Lease(taken)
        self.start()
        self.on_taken(taken.table_id)
        return lease

    def drop(self, lease: Lease) -> None:
        """Forget a lease that has ended or is lost, and stop its search."""
        lease.end()
        with self._lock:
            if self._held.get(lease.table_id) is lease:
                del self._held[lease.table_id]

    def pause(self, lease: Lease, version: int, unwatched_for: float | None = None) -> bool:
        """Give a table back that wants no driver at a version; False if it does: see `release`."""
        with writing(self.engine) as connection:
            is_ended = store.release(connection, lease.taken, version, unwatched_for)
        if is_ended:
            self.drop(lease)
        return is_ended

    def is_current(self, lease: Lease) -> bool:
        """Whether a lease is still ours; asks the database after a time without a heartbeat."""
        if not lease.is_over and self._beaten_for() > DEAD_SECONDS:
            self._verify()
        return not lease.is_over

    def stay_alive(self) -> None:
        """Beat if the last heartbeat is not recent: before a lease is taken."""
        if not self.closing and self._beaten_for() > BEAT_SECONDS:
            with self._beating():
                pass

    def start(self) -> None:
        """Start the thread in the process that serves; does nothing if it runs."""
        with self._lock:
            if self._thread is None and not self.closing:
                self._thread = threading.Thread(target=self._run, name="leases", daemon=True)
                self._thread.start()

    def wake(self) -> None:
        """Look for tables without a driver soon."""
        self._awake.set()

    def stop(self) -> None:
        """Let the thread give all tables back, for others to take them over at once.

        It takes no lock that the interrupted thread may have: a signal handler calls it.
        """
        self.closing = True
        self._awake.set()

    def close(self) -> None:
        """Stop, and wait until all tables are given back."""
        self.stop()
        if self._thread is not None:
            self._thread.join(CLOSING)
        self._leave()

    def _run(self) -> None:
        pause, failed = 0.0, False
        while not self.closing:
            try:
                pause, failed = self._keep(), False
            except Exception as error:  # /readyz reports a database that does not answer
                if not failed:
                    log.warning("leases cannot be kept", error=type(error).__name__)
                pause, failed = SCAN_SECONDS, True
            self._rest(pause)
        self._leave()

    def _rest(self, pause: float) -> None:
        """Wait; not even a wake-up comes sooner than SOON after the last look."""
        time.sleep(min(pause, SOON))
        self._awake.wait(max(0.0, pause - SOON) * self._jitter.uniform(0.8, 1.2))
        self._awake.clear()

    def _leave(self) -> None:
        """Give all tables back, and remove the instance from those that are alive."""
        with self._lock:
            held = list(self._held.values())
        for lease in held:
            self.drop(lease)
        if self._beaten_at == float("-inf"):  # it has never had a lease, or has left already
            return
        try:
            with writing(self.engine) as connection:
                store.release_all(connection, self.instance)
                instances.leave(connection, self.instance)
            self._beaten_at = float("-inf")
            self.on_freed()
        except Exception as error:  # others take the tables over once this instance counts as dead
            log.warning("leases cannot be given back", error=type(error).__name__)

    def _keep(self) -> float:
        """Beat, find lost leases, take over tables; returns the seconds until the next time.

        It beats only when that is due: every commit may wake up the processes, this one included.
        """
        if self._held and self._beaten_for() > DUE * BEAT_SECONDS:
            self._verify()
        pause = SOON if self._take_over() == BATCH else SCAN_SECONDS
        return max(SOON, min(pause, BEAT_SECONDS - self._beaten_for())) if self._held else pause

    def _verify(self) -> None:
        """Beat, and drop the leases that another instance has taken over."""
        with self._verifying:
            with self._lock:
                before = list(self._held.values())  # committed, so the query must show them
            with self._beating() as connection:
                current = store.held(connection, self.instance)
            for lease in before:
                if lease.taken not in current:
                    self.drop(lease)
            self._adopt(current - {lease.taken for lease in before})

    def _adopt(self, strays: set[Taken]) -> None:
        """Note leases that are ours since the last time: a commit whose answer was lost."""
        for taken in strays & self._strays:
            self.add(taken)
        self._strays = strays

    def _take_over(self) -> int:
        """Take some tables that no instance drives; returns how many."""
        with self.engine.connect() as connection:
            if not store.has_orphans(connection, UNWATCHED):
                return 0
        with self._beating() as connection:
            found = store.take_orphans(connection, self.instance, UNWATCHED)
        for taken in found:
            self.add(taken)
        return len(found)

    @contextmanager
    def _beating(self) -> Iterator[Connection]:
        """A transaction with a heartbeat, which counts once it is committed."""
        begun = time.monotonic()
        with writing(self.engine) as connection:
            instances.beat(connection, self.instance)
            yield connection
        self._beaten_at = begun

    def _beaten_for(self) -> float:
        """Seconds since the last heartbeat."""
        return time.monotonic() - self._beaten_at
