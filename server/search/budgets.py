"""Budgets: how long the searches of one client may take."""

from __future__ import annotations

import threading
import time

WINDOW = 60.0  # seconds over which a budget holds
SWEEP_AT = 1000  # clients after which settled debts are deleted


class SearchBudget:
    """Seconds of search in a minute for each client, as a leaky bucket.

    What a client spends is a debt, which shrinks by `seconds` in every minute. A client whose debt
    exceeds `seconds` waits. Short bursts are free; in the long run no client spends more.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._debts: dict[str, tuple[float, float]] = {}  # client: (debt, time)
        self._lock = threading.Lock()

    def spend(self, client: str, seconds: float) -> None:
        """Count a search of a client."""
        now = time.monotonic()
        with self._lock:
            if len(self._debts) >= SWEEP_AT:
                self._debts = {c: each for c, each in self._debts.items() if self._left(each, now)}
            debt = self._left(self._debts.get(client, (0.0, now)), now)
            self._debts[client] = (debt + seconds, now)

    def delay(self, client: str) -> float:
        """Seconds until a client may search again; 0: now."""
        now = time.monotonic()
        with self._lock:
            debt = self._left(self._debts.get(client, (0.0, now)), now)
        return max(0.0, debt - self.seconds) * WINDOW / self.seconds

    def _left(self, debt: tuple[float, float], now: float) -> float:
        """What is left of a debt."""
        spent, at = debt
        return max(0.0, spent - (now - at) * self.seconds / WINDOW)
