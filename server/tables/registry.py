"""The registry of live tables: sessions in memory, in step with the events in the database.

The events in the database are the source of truth. A session is folded from them when a table is
asked for, and may be dropped at any time. Moves at one table are serialised by its lock. If another
process has stored the next event first, the database rejects the number, the session catches up,
and the move is checked again. Processes tell each other of new versions (`storage/cluster`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from server.games.access import is_shown
from server.runtime import tokens
from server.runtime.caller import Caller
from server.runtime.errors import Conflict, RejectedMove
from server.storage import games as store
from server.storage.access.invitations import accept
from server.storage.access.shares import WATCH, create_watch_token, scope_of
from server.storage.cluster import leases
from server.storage.cluster.changes import changes_of, revision
from server.storage.cluster.leases import Driving, Taken
from server.storage.events import Event
from server.storage.values import EventConflict, LeaseLost, new_id
from server.tables import fairness
from server.tables.leases import Lease, Leases
from server.tables.loading import (
    Places,
    new_game,
    new_places,
    no_such_invitation,
    stored_session,
)
from server.tables.session import Sessions, TableSession
from server.tables.setup import Setup
from server.tables.steps import engine_step
from server.tables.table import Table

SYNC_SECONDS = 1.0  # how often a used session is compared with the database
TRIES = 5  # attempts at a move while other processes store events first

Move = Callable[[Table], list[Event]]


class NewTable(NamedTuple):
    """A table that was created, with secrets that are told only now."""

    session: TableSession
    places: Places
    watch_token: str | None  # shows a private table to its creator, who has no seat


class TableRegistry:
    """Finds tables, applies moves, and catches up with other processes."""

    def __init__(self, engine: Engine, leases: Leases) -> None:
        self.engine, self.leases = engine, leases
        self.changes = changes_of(leases.engine, self)
        self.watching: Callable[[], int] = int  # how many requests wait for a change
        self.closing = False
        self._sessions = Sessions()

    def create(
        self, setup: Setup, creator: int | None = None, owner_id: int | None = None
    ) -> NewTable:
        """Create a table and deal its first hand; `creator` is the seat that the creator takes."""
        table, places = setup.table(new_id()), new_places(setup, creator)
        first = next_hand(table)
        after, game = table.after(first), new_game(table, setup, places, owner_id)
        with self._driving(after) as driving, store.writing(self.engine) as connection:
            store.create_game(connection, game)
            store.append(connection, table.id, 0, first[0], driving)
            if setup.alone:
                leases.mark_watched(connection, table.id)
            taken = self._take(connection, table.id, driving)
            needs_link = setup.private and creator is None
            watch_token = create_watch_token(connection, table.id) if needs_link else None
        session = self._sessions.add(TableSession(after, setup, game.seats, owner_id))
        session.watched_at = time.monotonic() if setup.alone else None
        self._note(after, taken)
        return NewTable(session, places, watch_token)

    def join(
        self, session: TableSession, invitation: str, name: str, token: str | None = None
    ) -> tuple[int, str]:
        """Take the seat of an invitation; returns its number and its token.

        A client that chose the token may ask again, if it got no answer.
        """
        table_id, token = session.table.id, token or tokens.new_token()
        with session.changing():
            with store.writing(self.engine) as connection:
                seat = accept(connection, table_id, invitation, token, name)
                if seat is None:
                    raise no_such_invitation()
                seats = store.seats_of(connection, [table_id])[table_id]
            session.sit(seats)
        self.changes.publish(table_id, session.table.revision)
        return seat, token

    def seat_of(self, session: TableSession, token: str) -> int | None:
        """The seat of a token, or None; somebody may have joined at another instance."""
        seat = session.seat_of(token)
        if seat is None and session.has_invitations:
            self.catch_up(session)
            return session.seat_of(token)
        return seat

    def may_watch(self, session: TableSession, caller: Caller, share_token: str | None) -> bool:
        """Whether somebody without a seat may see the public view."""
        if is_shown(private=session.setup.private, owner_id=session.owner_id, caller=caller):
            return True
        if share_token is None:
            return False
        with self.engine.connect() as connection:
            return scope_of(connection, share_token, session.table.id) == WATCH

    def find(self, table_id: str) -> TableSession:
        """The session of a table, loaded from the database if it is not in memory."""
        session = self._sessions.get(table_id)
        if session is None:
            return self._sessions.add(self._load(table_id))
        self.sync(self._sessions.add(session))
        return session

    def find_newest(self, table_id: str) -> TableSession:
        """The session of a table with all events that are stored, by whichever process."""
        session = self._sessions.get(table_id)
        if session is None or time.monotonic() - session.synced_at > SYNC_SECONDS:
            return self.find(table_id)
        with suppress(SQLAlchemyError), self.engine.connect() as connection:
            session.heard = max(session.heard, revision(connection, table_id))
        return self.find(table_id)

    def newest(self, status: str, limit: int, owner_id: int | None = None) -> list[TableSession]:
        """The newest tables of a status: public ones, and all tables of an owner."""
        with self.engine.connect() as connection:
            ids = store.table_ids(connection, status, limit, owner_id)
        return [self.find(table_id) for table_id in ids]

    def act(self, session: TableSession, move: Move, lease: Lease | None = None) -> Table:
        """Apply a move: store its events, then show the table after them.

        A bot's move needs a lease; raises LeaseLost if another instance has taken it over.
        """
        with session.changing():
            return self._act(session, move, lease)

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

    def close(self) -> None:
        """Make all waiters return within a second."""
        self.closing = True
        for session in self._sessions.all():
            with session.changed:
                session.changed.notify_all()

    def _load(self, table_id: str) -> TableSession:
        with self.engine.connect() as connection:
            return stored_session(connection, table_id)

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
        self.changes.publish(after.id, after.revision)

    def reach(self, session: TableSession, version: int) -> None:
        """Catch up if a client has a newer version, from another process."""
        if (missing := version - session.table.version) > 0:
            session.hear(session.table.revision + missing)
            self.sync(session)

    def sync(self, session: TableSession) -> None:
        """Catch up with other processes now and then; without a database, keep the session."""
        if not self._is_due(session):
            return
        with session.changing():
            try:
                if self._is_due(session):  # no other thread has
                    self._catch_up(session)
            except SQLAlchemyError:
                session.heard = session.table.revision  # tried again in a second

    def catch_up(self, session: TableSession) -> None:
        """Fold the events that other processes have stored, now."""
        with session.changing():
            self._catch_up(session)

    def _is_due(self, session: TableSession) -> bool:
        return session.is_stale or time.monotonic() - session.synced_at > SYNC_SECONDS

    def _catch_up(self, session: TableSession) -> None:
        """Fold the events that other processes have stored."""
        session.synced_at, heard = time.monotonic(), session.heard
        with self.engine.connect() as connection:
            stored = store.events(connection, session.table.id, session.table.version - 1)
            if session.has_invitations:
                session.sit(store.seats_of(connection, [session.table.id])[session.table.id])
        if stored:
            session.thoughts.clear()  # those of another driver are in the database
            session.update(session.table.after(each.event for each in stored))
        if session.is_stale and session.heard == heard:  # a version that a client has invented
            session.heard = session.table.revision

    # What the feed of changes asks and tells

    def heard(self, table_id: str, revision: int) -> None:
        """A table has reached a revision."""
        session = self._sessions.get(table_id)
        if session is not None:
            session.hear(revision)

    def missed(self) -> None:
        """Compare all sessions with the database when they are next used."""
        for session in self._sessions.all():
            session.synced_at = float("-inf")
            session.hear(session.table.revision)

    def freed(self) -> None:
        """Look for tables without a driver."""
        self.leases.wake()

    def in_memory(self) -> Collection[str]:
        """The ids of all sessions."""
        return [session.table.id for session in self._sessions.all()]

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for a table, or bots are to move."""
        return self.watching() > 0 or len(self.leases) > 0


def next_hand(table: Table, seat: int | None = None) -> list[Event]:
    """Deal the next hand, for a seat or for nobody in particular."""
    return table.next_hand(seat, fairness.shuffle(table.seed, len(table.done)))
