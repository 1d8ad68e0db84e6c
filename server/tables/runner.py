"""Threads that play for the engine's seats at live tables.

A table is scheduled when somebody moves or looks at it, and all unfinished tables when the service
starts. A table without people pauses once nobody has looked at it for a while. One thread at a time
serves a table; it searches in a slot like a request, without a lock on the table.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import structlog

from server.games.events.state_machine import HAND_OVER, PASSING, PLAYING
from server.runtime.errors import ApiError, Busy, Conflict
from server.storage import games as store
from server.tables.engine_moves import EngineMoves, where
from server.tables.registry import next_hand
from server.tables.session import TableSession

MAX_TABLES = 200  # tables without people that are played at the same time
UNWATCHED = 300.0  # seconds after which a table without people pauses
MAX_HANDS = 200  # of a table without people: with bonuses a match may never end
RETRY = 1.0  # seconds until a table is served again after an error
CLOSING = 5.0  # seconds that running moves have when the service stops

log = structlog.stdlib.get_logger("hearts.tables")


class TableRunner:
    """A schedule of tables, and threads that serve them; they start with the first table."""

    def __init__(self, moves: EngineMoves, threads: int) -> None:
        self.moves, self.tables, self.size = moves, moves.tables, threads
        self.closing = False
        self._threads: list[threading.Thread] = []
        self._changed = threading.Condition()  # for the five below
        self._queue: list[tuple[float, str]] = []  # a heap of (time, table id)
        self._due: dict[str, float] = {}  # the valid entry of each table in the queue
        self._busy: set[str] = set()  # tables that a thread serves now
        self._again: set[str] = set()  # busy tables that are to be served once more
        self._seen: dict[str, float] = {}  # tables without people: when somebody looked last

    def attend(self, session: TableSession) -> None:
        """Schedule a table if the engine has something to do there."""
        if self._next_step(session) is None:
            return
        table_id = session.table.id
        with self._changed:
            if not session.table.seated:
                self._seen[table_id] = time.monotonic()
            if table_id in self._busy:
                self._again.add(table_id)
            else:
                self._schedule(table_id, 0.0)
            self._start_threads()

    def check_load(self) -> None:
        """Raise Busy if too many tables without people are played already."""
        if len(self._seen) >= MAX_TABLES:
            reason = f"{MAX_TABLES} tables without people are being played: try again"
            raise Busy(reason, retry_after=5)

    def start(self) -> None:
        """Resume unfinished tables in the background."""
        threading.Thread(target=self.resume, name="resume", daemon=True).start()

    def resume(self) -> None:
        """Schedule all unfinished tables; one that fails is scheduled when somebody looks at it."""
        try:
            with self.tables.engine.connect() as connection:
                unfinished = store.open_tables(connection)
        except Exception as error:  # /readyz reports a database that does not answer
            log.warning("tables are not resumed", error=where(error))
            return
        for table_id in unfinished:
            try:
                self.attend(self.tables.find(table_id))
            except Exception as error:  # it must not keep the other tables from going on
                log.warning("a table is not resumed", table=table_id, error=where(error))

    def close(self) -> None:
        """Stop the threads after their running moves."""
        with self._changed:
            self.closing = True
            self._changed.notify_all()
        until = time.monotonic() + CLOSING
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

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
            except ApiError:
                delay = None  # the table has been deleted
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
        elif delay is not None and not self._is_unwatched(table_id):
            self._schedule(table_id, delay)
        else:
            self._seen.pop(table_id, None)

    def _is_unwatched(self, table_id: str) -> bool:
        """Whether nobody has looked at a table without people for some time."""
        seen = self._seen.get(table_id)
        return seen is not None and time.monotonic() - seen > UNWATCHED

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
        session = self.tables.find(table_id)
        step = self._next_step(session)
        if step is None:
            return None
        pace = session.setup.pace_ms / 1000
        left = pace - (time.monotonic() - session.updated_at)
        if left > 0:
            return left
        with suppress(Conflict):  # somebody has moved meanwhile
            step()
        return pace

    def _next_step(self, session: TableSession) -> Callable[[], object] | None:
        """What the engine has to do at a table: claim, deal, pass or play; None: nothing."""
        table, act = session.table, self.tables.act
        if not table.seated and table.claimable:
            return lambda: act(session, lambda now: now.claim(None))
        if not table.seated and table.phase == HAND_OVER and len(table.done) < MAX_HANDS:
            return lambda: act(session, next_hand)
        if table.phase not in (PASSING, PLAYING):
            return None
        engines = [s for s in table.current.waiting_for if not table.players[s].is_human]
        return (lambda: self.moves.play(session, table, engines[0])) if engines else None
