"""The creators of tables without people, and the limits that each of them has."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection

from server.runtime.caller import key_identity
from server.runtime.errors import Busy
from server.search.budgets import SearchBudget

REMEMBERED = 10_000  # tables


class Creators:
    """Limits the tables without people and the searches of each creator.

    Another process knows the creator of a table by its key only. A table without one that another
    process has created counts for itself.
    """

    def __init__(self, tables: int, budget: SearchBudget) -> None:
        self.tables, self.budget = tables, budget
        self._known: OrderedDict[str, str] = OrderedDict()  # table id: creator
        self._lock = threading.Lock()

    def add(self, table_id: str, creator: str) -> None:
        """Remember the creator of a table."""
        with self._lock:
            self._known[table_id] = creator
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)

    def learn(self, table_id: str, owner_id: int | None) -> None:
        """Remember the key that owns a table."""
        if owner_id is not None and table_id not in self._known:
            self.add(table_id, key_identity(owner_id))

    def of(self, table_id: str) -> str:
        """The creator of a table."""
        with self._lock:
            return self._known.get(table_id, f"table {table_id}")

    def check(self, creator: str, played: Collection[str]) -> None:
        """Raise Busy if too many of the tables that are `played` belong to one creator."""
        if sum(self.of(table_id) == creator for table_id in played) >= self.tables:
            reason = f"{self.tables} of your tables without people are being played: try again"
            raise Busy(reason, retry_after=5)

    def delay(self, table_id: str) -> float:
        """Seconds until the bots of a table may search."""
        return self.budget.delay(self.of(table_id))

    def spend(self, table_id: str, seconds: float) -> None:
        """Count a search for a table: the seconds of all its threads together."""
        self.budget.spend(self.of(table_id), seconds)
