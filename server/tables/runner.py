"""Threads that play for the engine's seats at live tables.

This process serves the tables of its leases. A table is scheduled when a lease is taken, and when
somebody moves or looks at it. A table without people pauses once nobody has looked at it for a
while. One thread at a time serves a table; it searches in a slot like a request, without a lock on
the table.
"""

from __future__ import annotations

import heapq
import threading
import time
from contextlib import suppress

import structlog
from sqlalchemy.exc import SQLAlchemyError

from server.runtime.errors import Busy, Conflict, NotFound
from server.storage.cluster import leases as store
from server.storage.games import writing
from server.storage.values import LeaseLost
from server.tables import leases
from server.tables.creators import Creators
from server.tables.engine_moves import EngineMoves, Planned, where
from server.tables.leases import Lease
from server.tables.registry import next_hand
from server.tables.session import TableSession
from server.tables.steps import CLAIM, DEAL, MOVE, Step, engine_step

MAX_TABLES = 200  # tables without people that are played at the same time
MARK = 60.0  # seconds between two notes that somebody looks at a table without people
RETRY = 1.0  # seconds until a table is served again after an error
CLOSING = 5.0  # seconds that running moves have when the service stops

log = structlog.stdlib.get_logger("hearts.tables")


class TableRunner:
    """A schedule of tables, and threads that serve them; they start with the first table."""

    def __init__(self, moves: EngineMoves, creators: Creators, threads: int) -> None:
        self.moves, self.tables, self.size = moves, moves.tables, threads
        self.creators = creators
        self.leases = self.tables.leases
        self.leases.on_taken = self.schedule
        self.leases.on_freed = self.tables.changes.publish_freed
        self.closing = False
        self._threads: list[threading.Thread] = []
        self._changed = threading.Condition()  # for the six below
        self._queue: list[tuple[float, str]] = []  # a heap of (time, table id)
        self._due: dict[str, float] = {}  # the valid entry of each table in the queue
        self._busy: set[str] = set()  # tables that a thread serves now
        self._again: set[str] = set()  # busy tables that are to be served once more
        self._alone: set[str] = set()  # tables without people that are served
        self._planned: dict[str, Planned] = {}  # moves that wait for their time

    def attend(self, session: TableSession) -> None:
        """Serve a table if this process has its lease; note that somebody looks at it."""
        if engine_step(session.table) is None:
            return
        if not session.table.seated:
            self._mark_watched(session)
        if self.leases.of(session.table.id) is not None:
            self._count(session)
            self.schedule(session.table.id)

    def schedule(self, table_id: str) -> None:
        """Serve a table now."""
        with self._changed:
            if table_id in self._busy:
                self._again.add(table_id)
            else:
                self._schedule(table_id, 0.0)
            self._start_threads()

    def check_load(self, creator: str) -> None:
        """Raise Busy if too many tables without people are played, or too many of `creator`."""
        with self._changed:
            played = list(self._alone)
        self.creators.check(creator, played)
        if len(played) >= MAX_TABLES:
            reason = f"{MAX_TABLES} tables without people are being played: try again"
            raise Busy(reason, retry_after=5)

    def start(self) -> None:
        """Take over tables without a driver, and listen for changes, in the background."""
        self.leases.start()
        self.tables.changes.start()

    def stop(self) -> None:
        """Play no more, and have all tables given back at once; never waits, as for a signal."""
        self.closing = True
        self.leases.stop()

    def close(self) -> None:
        """Stop the threads, and wait until the tables are given back."""
        self.stop()
        with self._changed:
            self._changed.notify_all()
        self.leases.close()
        until = time.monotonic() + CLOSING
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        self.tables.changes.close()
        self.leases.engine.dispose()

    def _count(self, session: TableSession) -> None:
        """Count a table without people among those that are played."""
        if not session.table.seated:
            with self._changed:
                self._alone.add(session.table.id)

    def _mark_watched(self, session: TableSession) -> None:
        """Note in the database now and then that somebody looks; a paused table goes on."""
        now = time.monotonic()
        if session.watched_at is None or now - session.watched_at > MARK:
            with suppress(SQLAlchemyError):
                with writing(self.leases.engine) as connection:
                    store.mark_watched(connection, session.table.id)
                session.watched_at = now
            self.leases.start()
            self.leases.wake()

    def _start_threads(self) -> None:
        """Start the threads in the process that serves; the caller holds `_changed`."""
        if not self._threads:
            self._threads = [
                threading.Thread(target=self._run, name=f"tables-{i}", daemon=True)
                for i in range(self.size)
            ]
            for thread in self._threads:
                thread.start()

    def _schedule(self, table_id: str, delay: float) -> None:
        due = time.monotonic() + delay
        if due < self._due.get(table_id, float("inf")):
            self._due[table_id] = due
            heapq.heappush(self._queue, (due, table_id))
            self._changed.notify()

    def _run(self) -> None:
        while (table_id := self._next_table()) is not None:
            delay: float | None = RETRY
            try:
                delay = self._serve(table_id)
            except NotFound:
                delay = None
                self._forget(table_id)
            except Exception as error:
                log.warning("a table cannot be served", table=table_id, error=where(error))
            with self._changed:
                self._release(table_id, delay)

    def _release(self, table_id: str, delay: float | None) -> None:
        """Schedule a served table again, or forget it if `delay` is None."""
        self._busy.discard(table_id)
        if table_id in self._again:
            self._again.discard(table_id)
            self._schedule(table_id, 0.0)
        elif delay is not None:
            self._schedule(table_id, delay)
        else:
            self._alone.discard(table_id)
            self._planned.pop(table_id, None)

    def _next_table(self) -> str | None:
        """Wait for the next table that is due; None when the service stops."""
        with self._changed:
            while not self.closing:
                left = self._queue[0][0] - time.monotonic() if self._queue else None
                if left is not None and left <= 0:
                    due, table_id = heapq.heappop(self._queue)
                    if self._due.get(table_id) == due:  # else the table was rescheduled
                        del self._due[table_id]
                        self._busy.add(table_id)
                        return table_id
                else:
                    self._changed.wait(left)
        return None

    def _serve(self, table_id: str) -> float | None:
        """Make one step; returns the seconds until the next, None if people are to move."""
        lease = self.leases.of(table_id)
        if lease is None or not self.leases.is_current(lease):
            return None
        session = self.tables.find(table_id)
        self.creators.learn(table_id, session.owner_id)
        step = engine_step(session.table)
        if step is None:
            return self._give_back(session, lease)
        if self._is_unwatched(session):
            return self._give_back(session, lease, leases.UNWATCHED)
        left = self._time_left(session, step, lease)
        if left > 0:
            return left
        try:
            self._take_step(session, step, lease)
        except LeaseLost:
            self.leases.drop(lease)
            session.thoughts.clear()  # those of the new driver are in the database
        return 0.0

    def _forget(self, table_id: str) -> None:
        """End the lease of a table that has been deleted."""
        lease = self.leases.of(table_id)
        if lease is not None:
            self.leases.drop(lease)

    def _give_back(
        self, session: TableSession, lease: Lease, unwatched_for: float | None = None
    ) -> float | None:
        """End a lease: the engine has nothing to do here, or nobody has watched for a time."""
        if self.leases.pause(lease, session.table.version, unwatched_for) or lease.is_over:
            return None
        self.tables.catch_up(session)
        return 0.0

    def _is_unwatched(self, session: TableSession) -> bool:
        """Whether nobody has looked at a table without people for some time, at any instance."""
        if session.table.seated:
            return False
        self._count(session)
        here = session.watched_at
        if here is not None and time.monotonic() - here < leases.UNWATCHED:
            return False
        with self.leases.engine.connect() as connection:
            seconds = store.unwatched_for(connection, session.table.id)
        if seconds >= leases.UNWATCHED:
            return True
        session.watched_at = time.monotonic() - seconds
        return False

    def _time_left(self, session: TableSession, step: Step, lease: Lease) -> float:
        """Seconds until a step may be taken; a move is searched first."""
        if step.kind != MOVE:
            return session.updated_at + session.setup.pace_ms / 1000 - time.monotonic()
        planned, table = self._plan_of(session, step, lease), session.table
        if planned is None:
            # Before the search, whatever it will cost: the delay tells nothing about the hand.
            if (delay := self.creators.delay(table.id)) > 0:
                return delay
            planned = self.moves.plan(session, table, step, lease)
            if planned is None:
                return 0.0
            self._planned[table.id] = planned
            self.creators.spend(table.id, planned.cost)
        return planned.due - time.monotonic()

    def _plan_of(self, session: TableSession, step: Step, lease: Lease) -> Planned | None:
        planned = self._planned.get(session.table.id)
        is_valid = planned is not None and planned.step == step and planned.lease is lease
        return planned if is_valid else None

    def _take_step(self, session: TableSession, step: Step, lease: Lease) -> None:
        """Claim, deal, or make the planned move."""
        with suppress(Conflict):  # somebody has moved meanwhile
            if step.kind == CLAIM:
                self.tables.act(session, lambda now: now.claim(None), lease)
            elif step.kind == DEAL:
                self.tables.act(session, next_hand, lease)
            elif (planned := self._plan_of(session, step, lease)) is not None:
                self.moves.make(session, planned, lease)
