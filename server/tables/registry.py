"""The hall: the tables of this process, kept in step with the database.

The events in the database are the truth. A table in memory is what they were folded to; it is made
when somebody asks for it, and may be forgotten at any time. Moves of one table are made one after
the other; should another process be quicker, the database refuses the number of the event, and the
move is judged again on the table as it is then.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from server import version
from server.runtime.errors import Busy, Conflict, NotFound
from server.storage import games as store
from server.storage.events import Event
from server.storage.values import TABLE, EventConflict, NewGame, Player, Seat, is_id, new_id
from server.tables import fairness
from server.tables.setup import Setup
from server.tables.table import Table

REMEMBERED = 200  # tables that are kept in memory though nobody looks at them
LOOK = 1.0  # seconds after which the database is asked whether another process has moved
TRIES = 5  # how often a move is judged again because somebody else was quicker
THOUGHTS = 4  # decisions that an open table shows

Move = Callable[[Table], list[Event]]


_thread = threading.local()


def forbid_waiting() -> None:
    """Let this thread answer at once where others would wait: it has other things to do."""
    _thread.is_needed = True


class Live:
    """One table in memory."""

    def __init__(self, table: Table, setup: Setup, hashes: Sequence[str | None]) -> None:
        self.table = table  # replaced as a whole: whoever reads needs no lock
        self.setup = setup
        self.hashes = tuple(hashes)  # of the seats' tokens
        self.changed = threading.Condition()  # held while the table changes
        self.moved_at = time.monotonic()
        self.looked_at = time.monotonic()  # when it was last compared with the database
        self.thoughts: deque[dict[str, Any]] = deque(maxlen=THOUGHTS)

    def seat_of(self, token: str) -> int | None:
        """The seat that a token proves."""
        return fairness.seat_of(token, self.hashes)

    def show(self, table: Table) -> None:
        """Let everybody see a newer table; `changed` is held."""
        self.table, self.moved_at = table, time.monotonic()
        self.changed.notify_all()


class Hall:
    """Finds tables, moves at them, and waits for them to change."""

    def __init__(self, engine: Engine, watchers: int) -> None:
        self.engine, self.watchers = engine, watchers
        self.watching = 0  # how many wait for a table to change
        self.closing = False
        self._here: WeakValueDictionary[str, Live] = WeakValueDictionary()
        self._recent: OrderedDict[str, Live] = OrderedDict()
        self._lock = threading.Lock()  # for the four above; never held while the database is asked

    def create(self, setup: Setup) -> tuple[Live, list[str | None]]:
        """A new table with its first hand dealt, and the tokens of the seats of people."""
        tokens = [fairness.new_token() if s.player.is_human else None for s in setup.seats]
        hashes = [token and fairness.token_hash(token) for token in tokens]
        table = setup.table(new_id())
        first = next_hand(table)
        with store.writing(self.engine) as connection:
            store.create_game(connection, _new_game(table, setup, hashes))
            store.append(connection, table.id, 0, first[0])
        return self._keep(Live(table.after(first), setup, hashes)), tokens

    def find(self, table_id: str) -> Live:
        """A table, read from the database where it is not in memory."""
        live = self._here.get(table_id)
        if live is None:
            return self._keep(self._read(table_id))
        self._look(self._keep(live))
        return live

    def act(self, live: Live, move: Move) -> Table:
        """Make a move: what follows from it is written, then shown."""
        with live.changed:
            for _ in range(TRIES):
                events = move(live.table)
                if not events:
                    return live.table
                try:
                    live.show(self._write(live.table, events))
                except EventConflict:
                    self._catch_up(live)
                else:
                    return live.table
        reason = "others move at this table faster than this move can be made"
        raise Conflict(reason, version=live.table.version)

    def wait(self, live: Live, known: int, seconds: float) -> Table:
        """The table once it is at another version than `known`, or so many seconds have passed.

        Earlier where too many wait already, and when the service stops.
        """
        if live.table.version == known and seconds > 0 and self._come():
            try:
                self.watch(live, known, seconds)
            finally:
                self.leave()
        return live.table

    def watch(self, live: Live, known: int, seconds: float) -> None:
        """Wait in a place that one has."""
        until = time.monotonic() + seconds
        while not self.closing and (left := until - time.monotonic()) > 0:
            with live.changed:
                if live.changed.wait_for(lambda: live.table.version != known, min(left, LOOK)):
                    return
            self._look(live)

    def take_place(self) -> None:
        """Take a place among those who wait; raises BUSY where none is free."""
        if not self._come():
            raise Busy("too many watch tables: try again", retry_after=1)

    def leave(self) -> None:
        """Give a place back."""
        with self._lock:
            self.watching -= 1

    def close(self) -> None:
        """Let everybody who waits go home within a second."""
        self.closing = True

    def _come(self) -> bool:
        """Whether there is a place for one more who waits; then it is taken."""
        if getattr(_thread, "is_needed", False):
            return False
        with self._lock:
            room = self.watching < self.watchers and not self.closing
            self.watching += room
        return room

    def _keep(self, live: Live) -> Live:
        """The one table in memory of this id; the least recently used ones are forgotten.

        Whoever still holds a forgotten one keeps it alive, and so everybody shares it.
        """
        with self._lock:
            live = self._here.setdefault(live.table.id, live)
            self._recent[live.table.id] = live
            self._recent.move_to_end(live.table.id)
            if len(self._recent) > REMEMBERED:
                self._recent.popitem(last=False)
        return live

    def listed(self, status: str, limit: int) -> list[Live]:
        """The newest tables."""
        with self.engine.connect() as connection:
            found = store.table_ids(connection, status, limit)
        return [self.find(table_id) for table_id in found]

    def _read(self, table_id: str) -> Live:
        if not is_id(table_id):
            raise NotFound("there is no such table")
        with self.engine.connect() as connection:
            row = store.game(connection, table_id)
            stored = [] if row is None else store.events(connection, table_id)
        if row is None or row.kind != TABLE:
            raise NotFound("there is no such table")
        assert row.setup is not None
        assert row.secret is not None
        setup = Setup.of(row.rules, row.secret, row.setup)
        table = setup.table(table_id).after(each.event for each in stored)
        return Live(table, setup, [seat.token_hash for seat in row.seats])

    def _write(self, table: Table, events: Sequence[Event]) -> Table:
        """The table after some events, once all of them are written."""
        after = table.after(events)
        with store.writing(self.engine) as connection:
            for number, event in enumerate(events, table.version):
                store.append(connection, table.id, number, event)
        return after

    def _look(self, live: Live) -> None:
        """Ask the database now and then; while it is away the table in memory is as good."""
        if time.monotonic() - live.looked_at > LOOK:
            with suppress(SQLAlchemyError), live.changed:
                if time.monotonic() - live.looked_at > LOOK:  # nobody else has looked meanwhile
                    self._catch_up(live)

    def _catch_up(self, live: Live) -> None:
        """Fold what another process has written."""
        live.looked_at = time.monotonic()
        with self.engine.connect() as connection:
            stored = store.events(connection, live.table.id, live.table.version - 1)
        if stored:
            live.show(live.table.after(each.event for each in stored))


def next_hand(table: Table, seat: int | None = None) -> list[Event]:
    """Deal the next hand, wanted by a seat or by nobody in particular."""
    return table.next_hand(seat, fairness.shuffle(table.seed, len(table.done)))


def _new_game(table: Table, setup: Setup, hashes: Sequence[str | None]) -> NewGame:
    seats = tuple(
        Seat(_player(setup, number), hashes[number]) for number in range(len(setup.seats))
    )
    return NewGame(
        id=table.id,
        kind=TABLE,
        rules=setup.rules,
        seats=seats,
        target_score=setup.rules.target_score,
        source="table",
        secret=setup.secret,
        setup=setup.as_object(),
        created_at=datetime.now(UTC),
    )


def _player(setup: Setup, number: int) -> Player:
    """Who sits at a seat, as statistics know it."""
    seat = setup.seats[number]
    if seat.config is None:
        return Player(seat.player.kind, seat.player.name)
    config = {k: v for k, v in vars(seat.config).items() if k not in ("seed", "threads")}
    return Player(seat.player.kind, seat.player.name, seat.player.level, config, version())
