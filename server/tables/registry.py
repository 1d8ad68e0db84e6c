"""The registry of live tables: sessions in memory, in step with the events in the database.

The events in the database are the source of truth. A session is folded from them when a table is
asked for, and may be dropped at any time. Moves at one table are serialised by its lock. If another
process has stored the next event first, the database rejects the number, the session catches up,
and the move is checked again. Processes tell each other of new versions (`storage/cluster`).
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from server import version
from server.runtime import tokens
from server.runtime.errors import Busy, Conflict, NotFound, RejectedMove
from server.storage import games as store
from server.storage.cluster import leases
from server.storage.cluster.changes import changes_of
from server.storage.cluster.leases import Driving, Taken
from server.storage.events import Event
from server.storage.values import (
    TABLE,
    EventConflict,
    LeaseLost,
    NewGame,
    Player,
    Seat,
    is_id,
    new_id,
)
from server.tables import fairness
from server.tables.leases import Lease, Leases
from server.tables.session import TableSession
from server.tables.setup import Setup, SetupBody
from server.tables.steps import engine_step
from server.tables.table import Table
from server.tables.watchers import Watchers

CACHED = 200  # sessions that stay in memory while nobody uses them
SYNC_SECONDS = 1.0  # how often a used session is compared with the database
TRIES = 5  # attempts at a move while other processes store events first

Move = Callable[[Table], list[Event]]


class TableRegistry:
    """Finds tables, applies moves, and waits for changes."""

    def __init__(self, engine: Engine, watchers: Watchers, leases: Leases) -> None:
        self.engine, self.watchers, self.leases = engine, watchers, leases
        self.changes = changes_of(leases.engine, self)
        self.closing = False
        self._sessions: WeakValueDictionary[str, TableSession] = WeakValueDictionary()
        self._recent: OrderedDict[str, TableSession] = OrderedDict()
        self._lock = threading.Lock()  # for the two above; never held during a query

    def create(self, setup: Setup) -> tuple[TableSession, list[str | None]]:
        """Create a table and deal its first hand; returns the tokens of people's seats too."""
        given = [tokens.new_token() if s.player.is_human else None for s in setup.seats]
        hashes = [token and tokens.token_hash(token) for token in given]
        table = setup.table(new_id())
        first = next_hand(table)
        after = table.after(first)
        with self._driving(after) as driving, store.writing(self.engine) as connection:
            store.create_game(connection, _new_game(table, setup, hashes))
            store.append(connection, table.id, 0, first[0], driving)
            if setup.alone:
                leases.mark_watched(connection, table.id, datetime.now(UTC))
            taken = self._take(connection, table.id, driving)
        session = self._cached(TableSession(after, setup, hashes))
        session.watched_at = time.monotonic() if setup.alone else None
        self._note(after, taken)
        return session, given

    def find(self, table_id: str) -> TableSession:
        """The session of a table, loaded from the database if it is not in memory."""
        session = self._sessions.get(table_id)
        if session is None:
            return self._cached(self._load(table_id))
        self._sync(self._cached(session))
        return session

    def find_newest(self, table_id: str) -> TableSession:
        """The session of a table with all events that are stored, by whichever process."""
        session = self._sessions.get(table_id)
        if session is None or time.monotonic() - session.synced_at > SYNC_SECONDS:
            return self.find(table_id)
        with suppress(SQLAlchemyError), self.engine.connect() as connection:
            session.heard = max(session.heard, store.version(connection, table_id))
        return self.find(table_id)

    def newest(self, status: str, limit: int) -> list[TableSession]:
        """The newest tables of a status."""
        with self.engine.connect() as connection:
            ids = store.table_ids(connection, status, limit)
        return [self.find(table_id) for table_id in ids]

    def act(self, session: TableSession, move: Move, lease: Lease | None = None) -> Table:
        """Apply a move: store its events, then show the table after them.

        A bot's move needs a lease; raises LeaseLost if another instance has taken it over.
        """
        with session.changed:
            try:
                return self._act(session, move, lease)
            finally:
                session.wake_if_stale()

    def _act(self, session: TableSession, move: Move, lease: Lease | None) -> Table:
        for _ in range(TRIES):
            events = self._checked(session, move)
            if not events:
                return session.table
            try:
                after, taken = self._store(session.table, events, lease)
            except LeaseLost:
                raise
            except EventConflict:
                self._catch_up(session)
            else:
                session.update(after)
                self._note(after, taken)
                return after
        reason = "others move at this table faster than this move can be made"
        raise Conflict(reason, version=session.table.version)

    def _checked(self, session: TableSession, move: Move) -> list[Event]:
        """The events of a move; one that is refused is checked again if the table was stale."""
        known = session.table.version
        try:
            return move(session.table)
        except (Conflict, RejectedMove):
            self._catch_up(session)
            if session.table.version == known:
                raise
            return move(session.table)

    def wait(self, session: TableSession, known: int, seconds: float, client: str = "") -> Table:
        """The table once its version differs from `known`, or after some seconds.

        Returns at once if too many requests, or too many of `client`, wait already, and within a
        second when closing.
        """
        if known > session.table.version:  # the client has it from another process
            session.hear(known)
            self._sync(session)
        if session.table.version == known and seconds > 0 and self._problem(client) is None:
            try:
                self.watch(session, known, seconds)
            finally:
                self.watchers.leave(client)
        return session.table

    def watch(self, session: TableSession, known: int, seconds: float) -> None:
        """Wait for a version other than `known`; the caller has a watcher's place."""
        until = time.monotonic() + seconds
        while not self.closing and (left := until - time.monotonic()) > 0:
            with session.changed:
                session.changed.wait_for(
                    lambda: session.table.version != known or session.is_stale,
                    min(left, SYNC_SECONDS),
                )
            self._sync(session)
            if session.table.version != known:
                return

    @property
    def watching(self) -> int:
        """The number of requests that wait for a change now."""
        return self.watchers.taken

    def enter(self, client: str) -> None:
        """Take a watcher's place, which `watchers.leave` gives back; raises Busy without one."""
        if problem := self._problem(client):
            raise Busy(f"{problem}: try again", retry_after=1)

    def close(self) -> None:
        """Make all waiters return within a second."""
        self.closing = True
        for session in list(self._sessions.values()):
            with session.changed:
                session.changed.notify_all()

    def _problem(self, client: str) -> str | None:
        """Take a watcher's place; returns the reason if there is none."""
        problem = "the service stops" if self.closing else self.watchers.take(client)
        self.changes.start()
        self.changes.wake()
        return problem

    def _cached(self, session: TableSession) -> TableSession:
        """The only session of its table; drops the least recently used one if there are too many.

        A dropped session lives on, and is shared, as long as a thread uses it.
        """
        with self._lock:
            session = self._sessions.setdefault(session.table.id, session)
            self._recent[session.table.id] = session
            self._recent.move_to_end(session.table.id)
            if len(self._recent) > CACHED:
                self._recent.popitem(last=False)
        return session

    def _load(self, table_id: str) -> TableSession:
        if not is_id(table_id):
            raise NotFound("there is no such table")
        with self.engine.connect() as connection:
            game = store.game(connection, table_id)
            stored = [] if game is None else store.events(connection, table_id)
        if game is None or game.kind != TABLE:
            raise NotFound("there is no such table")
        assert game.setup is not None
        assert game.secret is not None
        setup = Setup.of(game.rules, game.secret, cast(SetupBody, game.setup))
        table = setup.table(table_id).after(each.event for each in stored)
        return TableSession(table, setup, [seat.token_hash for seat in game.seats])

    def _store(
        self, table: Table, events: Sequence[Event], lease: Lease | None
    ) -> tuple[Table, Taken | None]:
        """Store events in one transaction; returns the table after them, and a lease it took."""
        after = table.after(events)
        with self._driving(after, lease) as driving, store.writing(self.engine) as connection:
            for number, event in enumerate(events, table.version):
                is_last = number == after.version - 1
                store.append(
                    connection, table.id, number, event, replace(driving, is_last=is_last)
                )  # fmt: skip
            taken = self._take(connection, table.id, driving)
        if lease is not None and not driving.engine_to_move:
            self.leases.drop(lease)
        return after, taken

    @contextmanager
    def _driving(self, after: Table, lease: Lease | None = None) -> Iterator[Driving]:
        """What the events before a table mean for its lease; a lease may be taken in the block."""
        is_wanted = engine_step(after) is not None
        if is_wanted and lease is None:
            self.leases.stay_alive()
        yield Driving(is_wanted, None if lease is None else lease.fence)

    def _take(self, connection: Connection, table_id: str, driving: Driving) -> Taken | None:
        """Take the lease of a table whose engine is to move after a person's event."""
        if not driving.engine_to_move or driving.fence is not None or self.leases.closing:
            return None
        return leases.take(connection, table_id, self.leases.instance)

    def _note(self, after: Table, taken: Taken | None) -> None:
        """Tell of events whose transaction is committed."""
        if taken is not None:
            self.leases.add(taken)
        self.changes.publish(after.id, after.version)

    def _sync(self, session: TableSession) -> None:
        """Catch up with other processes; without a database, keep the session."""
        if not self._is_due(session):
            return
        with session.changed:
            try:
                if self._is_due(session):  # no other thread has
                    self._catch_up(session)
            except SQLAlchemyError:
                session.heard = session.table.version  # tried again in a second

    def catch_up(self, session: TableSession) -> None:
        """Fold the events that other processes have stored, now."""
        with session.changed:
            self._catch_up(session)

    def _is_due(self, session: TableSession) -> bool:
        return session.is_stale or time.monotonic() - session.synced_at > SYNC_SECONDS

    def _catch_up(self, session: TableSession) -> None:
        """Fold the events that other processes have stored."""
        session.synced_at, heard = time.monotonic(), session.heard
        with self.engine.connect() as connection:
            stored = store.events(connection, session.table.id, session.table.version - 1)
        if stored:
            session.update(session.table.after(each.event for each in stored))
        if session.is_stale and session.heard == heard:  # a version that a client has invented
            session.heard = session.table.version

    # What the feed of changes asks and tells

    def heard(self, table_id: str, version: int) -> None:
        """A table has reached a version."""
        session = self._sessions.get(table_id)
        if session is not None:
            session.hear(version)

    def missed(self) -> None:
        """Compare all sessions with the database when they are next used."""
        for session in list(self._sessions.values()):
            session.synced_at = float("-inf")
            session.hear(session.table.version)

    def freed(self) -> None:
        """Look for tables without a driver."""
        self.leases.wake()

    def in_memory(self) -> Collection[str]:
        """The ids of all sessions."""
        return list(self._sessions.keys())

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for a table, or bots are to move."""
        return self.watching > 0 or len(self.leases) > 0


def next_hand(table: Table, seat: int | None = None) -> list[Event]:
    """Deal the next hand, for a seat or for nobody in particular."""
    return table.next_hand(seat, fairness.shuffle(table.seed, len(table.done)))


def _new_game(table: Table, setup: Setup, hashes: Sequence[str | None]) -> NewGame:
    return NewGame(
        id=table.id,
        kind=TABLE,
        rules=setup.rules,
        seats=tuple(
            Seat(_player(setup, number), hashes[number]) for number in range(len(setup.seats))
        ),
        target_score=setup.rules.target_score,
        source="table",
        secret=setup.secret,
        setup=setup.as_object(),
        created_at=datetime.now(UTC),
    )


def _player(setup: Setup, number: int) -> Player:
    """The player of a seat, as statistics know it."""
    seat = setup.seats[number]
    if seat.config is None:
        return Player(seat.player.kind, seat.player.name)
    config = {k: v for k, v in vars(seat.config).items() if k not in ("seed", "threads")}
    return Player(seat.player.kind, seat.player.name, seat.player.level, config, version())
