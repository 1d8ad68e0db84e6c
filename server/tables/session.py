"""A table in memory, with what the service knows of it beside its events."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from weakref import WeakValueDictionary

from server.runtime import tokens
from server.storage.values import Seat
from server.tables.setup import Setup
from server.tables.table import Occupant, Table

CACHED = 200  # sessions that stay in memory while nobody uses them
THOUGHTS = 4  # decisions that an open table shows
BRIEFLY = 0.01  # seconds


class TableSession:
    """One table in memory, shared by all threads that use it."""

    def __init__(
        self, table: Table, setup: Setup, seats: Sequence[Seat], owner_id: int | None = None
    ) -> None:
        self.table = table  # replaced as a whole, so that readers need no lock
        self.setup, self.owner_id = setup, owner_id
        self.changed = threading.Condition()  # held while the table changes
        self.updated_at = time.monotonic()
        self.synced_at = time.monotonic()  # when it was last compared with the database
        self.heard = 0  # the newest revision that other processes have told of
        self.watched_at: float | None = None  # when that was last stored; None: not by this process
        self.thoughts: deque[dict[str, object]] = deque(maxlen=THOUGHTS)
        with self.changing():
            self.sit(seats)

    @property
    def is_stale(self) -> bool:
        """Whether another process has told of a change that is not known here."""
        return self.heard > self.table.revision

    @property
    def has_invitations(self) -> bool:
        """Whether people may still join."""
        return any(seat.is_open for seat in self.seats)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the lock in which the table changes; whoever waits hears of what came meanwhile."""
        with self.changed:
            try:
                yield
            finally:
                if self.is_stale:
                    self.changed.notify_all()

    def sit(self, seats: Sequence[Seat]) -> None:
        """Note who sits where, and wake all waiters if that is new; the caller holds `changed`."""
        self.seats = tuple(seats)
        players = tuple(map(_seated, self.table.players, seats))
        if players != self.table.players:
            self.table = replace(self.table, players=players)
            self.changed.notify_all()

    def seat_of(self, token: str) -> int | None:
        """The seat of a token, or None."""
        return tokens.seat_of(token, [seat.token_hash for seat in self.seats])

    def update(self, table: Table) -> None:
        """Replace the table by a newer one and wake all waiters; the caller holds `changed`."""
        self.table, self.updated_at = table, time.monotonic()
        self.changed.notify_all()

    def hear(self, revision: int) -> None:
        """Note a revision that another process has stored, and wake all waiters.

        Hardly waits for whoever changes the table now: `changing` wakes them at its end.
        """
        self.heard = max(self.heard, revision)
        if self.is_stale and self.changed.acquire(timeout=BRIEFLY):
            self.changed.notify_all()
            self.changed.release()


class Sessions:
    """The sessions in memory: one per table, shared by all threads."""

    def __init__(self) -> None:
        self._all: WeakValueDictionary[str, TableSession] = WeakValueDictionary()
        self._recent: OrderedDict[str, TableSession] = OrderedDict()
        self._lock = threading.Lock()  # never held during a query

    def get(self, table_id: str) -> TableSession | None:
        """The session of a table, if it is in memory."""
        return self._all.get(table_id)

    def all(self) -> list[TableSession]:
        """All sessions."""
        with self._lock:  # others may be added meanwhile
            return list(self._all.values())

    def add(self, session: TableSession) -> TableSession:
        """The only session of its table; drops the least recently used one if there are too many.

        A dropped session lives on, and is shared, as long as a thread uses it.
        """
        with self._lock:
            session = self._all.setdefault(session.table.id, session)
            self._recent[session.table.id] = session
            self._recent.move_to_end(session.table.id)
            if len(self._recent) > CACHED:
                self._recent.popitem(last=False)
        return session


def _seated(player: Occupant, seat: Seat) -> Occupant:
    """A player as the seat has it: who joins may change the name."""
    if not player.is_human:
        return player
    return replace(player, name=seat.player.name, joined=not seat.is_open)
