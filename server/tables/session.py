"""A table in memory, with what the service knows of it beside its events."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence

from server.runtime import tokens
from server.tables.setup import Setup
from server.tables.table import Table

THOUGHTS = 4  # decisions that an open table shows
BRIEFLY = 0.01  # seconds


class TableSession:
    """One table in memory, shared by all threads that use it."""

    def __init__(self, table: Table, setup: Setup, token_hashes: Sequence[str | None]) -> None:
        self.table = table  # replaced as a whole, so that readers need no lock
        self.setup = setup
        self.token_hashes = tuple(token_hashes)  # by seat; None: not a person's
        self.changed = threading.Condition()  # held while the table changes
        self.updated_at = time.monotonic()
        self.synced_at = time.monotonic()  # when it was last compared with the database
        self.heard = 0  # the newest version that other processes have told of
        self.watched_at: float | None = None  # when that was last stored; None: not by this process
        self.thoughts: deque[dict[str, object]] = deque(maxlen=THOUGHTS)

    @property
    def is_stale(self) -> bool:
        """Whether another process has told of a newer version."""
        return self.heard > self.table.version

    def seat_of(self, token: str) -> int | None:
        """The seat of a token, or None."""
        return tokens.seat_of(token, self.token_hashes)

    def update(self, table: Table) -> None:
        """Replace the table by a newer one and wake all waiters; the caller holds `changed`."""
        self.table, self.updated_at = table, time.monotonic()
        self.changed.notify_all()

    def hear(self, version: int) -> None:
        """Note a version that another process has stored, and wake all waiters.

        Hardly waits for whoever changes the table now: `wake_if_stale` follows every change.
        """
        self.heard = max(self.heard, version)
        if self.is_stale and self.changed.acquire(timeout=BRIEFLY):
            self.changed.notify_all()
            self.changed.release()

    def wake_if_stale(self) -> None:
        """Wake all waiters if there is a newer version; the caller holds `changed`."""
        if self.is_stale:
            self.changed.notify_all()
