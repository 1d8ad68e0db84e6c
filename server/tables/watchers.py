"""Places for requests that wait for a table to change."""

from __future__ import annotations

import threading
from collections import Counter


class Watchers:
    """A number of places, of which each client may have a few."""

    def __init__(self, size: int, for_each: int) -> None:
        self.size, self.for_each = size, for_each
        self._taken: Counter[str] = Counter()  # by client
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """The number of places that are taken."""
        return self._taken.total()

    def take(self, client: str) -> str | None:
        """Take a place; returns the reason if there is none."""
        with self._lock:
            if self._taken[client] >= self.for_each:
                return f"one client may watch {self.for_each} tables at the same time"
            if self._taken.total() >= self.size:
                return "too many watch tables"
            self._taken[client] += 1
        return None

    def leave(self, client: str) -> None:
        """Give a place back."""
        with self._lock:
            self._taken[client] -= 1
            self._taken += Counter()  # drops clients without a place
