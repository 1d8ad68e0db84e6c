"""Requests that wait for tables to change, in a number of places."""

from __future__ import annotations

import threading
import time
from collections import Counter

from server.runtime.errors import Busy
from server.tables import registry
from server.tables.registry import TableRegistry
from server.tables.session import TableSession
from server.tables.table import Table


class Watchers:
    """A number of places, of which each client may have a few, and who waits in them."""

    def __init__(self, tables: TableRegistry, size: int, for_each: int) -> None:
        self.tables, self.size, self.for_each = tables, size, for_each
        self._taken: Counter[str] = Counter()  # by client
        self._lock = threading.Lock()
        tables.watching = lambda: self.taken

    @property
    def taken(self) -> int:
        """The number of requests that wait for a change now."""
        return self._taken.total()

    def enter(self, client: str) -> None:
        """Take a place, which `leave` gives back; raises Busy without one."""
        if problem := self._take(client):
            raise Busy(f"{problem}: try again", retry_after=1)

    def leave(self, client: str) -> None:
        """Give a place back."""
        with self._lock:
            self._taken[client] -= 1
            self._taken += Counter()  # drops clients without a place

    def wait(self, session: TableSession, known: int, seconds: float, client: str = "") -> Table:
        """The table once it has changed since the version `known`, or after some seconds.

        Returns at once if too many requests, or too many of `client`, wait already, and within a
        second when closing.
        """
        self.tables.reach(session, known)
        table = session.table
        if table.version == known and seconds > 0 and self._take(client) is None:
            try:
                self.watch(session, table.revision, seconds)
            finally:
                self.leave(client)
        return session.table

    def watch(self, session: TableSession, known: int, seconds: float) -> None:
        """Wait for a revision other than `known`; the caller has a place."""
        until = time.monotonic() + seconds
        while not self.tables.closing and (left := until - time.monotonic()) > 0:
            with session.changed:
                session.changed.wait_for(
                    lambda: session.table.revision != known or session.is_stale,
                    min(left, registry.SYNC_SECONDS),
                )
            self.tables.sync(session)
            if session.table.revision != known:
                return

    def _take(self, client: str) -> str | None:
        """Take a place; returns the reason if there is none."""
        problem = "the service stops" if self.tables.closing else self._count(client)
        self.tables.changes.start()
        self.tables.changes.wake()
        return problem

    def _count(self, client: str) -> str | None:
        with self._lock:
            if self._taken[client] >= self.for_each:
                return f"one client may watch {self.for_each} tables at the same time"
            if self._taken.total() >= self.size:
                return "too many watch tables"
            self._taken[client] += 1
        return None
