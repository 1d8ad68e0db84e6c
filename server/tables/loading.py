"""Tables as the database stores them: new games with their secrets, and sessions from events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from sqlalchemy import Connection

from server import version
from server.runtime.errors import Forbidden, NotFound
from server.runtime.tokens import new_token, token_hash
from server.storage import games as store
from server.storage.values import TABLE, NewGame, Player, Seat, is_id
from server.tables.session import TableSession
from server.tables.setup import Setup, SetupBody
from server.tables.table import Table


@dataclass(frozen=True)
class Places:
    """The secrets of a new table, which only its creator is told."""

    tokens: Sequence[str | None]  # by seat: that of the creator; None: another's
    invitations: Sequence[str | None]  # by seat: of the other people; None: no invitation

    @property
    def token_hashes(self) -> list[str | None]:
        """The hashes of the tokens."""
        return [token and token_hash(token) for token in self.tokens]

    @property
    def invitation_hashes(self) -> list[str | None]:
        """The hashes of the invitations."""
        return [invitation and token_hash(invitation) for invitation in self.invitations]


def new_places(setup: Setup, creator: int | None) -> Places:
    """The secrets of a table whose creator takes a seat; None: the creator takes none."""
    people = [seat for seat, each in enumerate(setup.seats) if each.player.is_human]
    seats = range(len(setup.seats))
    return Places(
        [new_token() if seat == creator else None for seat in seats],
        [new_token() if seat in people and seat != creator else None for seat in seats],
    )


def stored_session(connection: Connection, table_id: str) -> TableSession:
    """The session of a stored table; raises NotFound if there is none."""
    game = store.game(connection, table_id) if is_id(table_id) else None
    if game is None or game.kind != TABLE:
        raise no_such_table()
    assert game.setup is not None
    assert game.secret is not None
    setup = Setup.of(game.rules, game.secret, cast(SetupBody, game.setup), private=game.private)
    stored = store.events(connection, table_id)
    table = setup.table(table_id).after(each.event for each in stored)
    return TableSession(table, setup, game.seats, game.owner_id)


def no_such_table() -> NotFound:
    """The error for a table that does not exist, or not for this caller."""
    return NotFound("there is no such table")


def no_such_invitation() -> Forbidden:
    """The error for an invitation that is unknown or used, also at a table that does not exist."""
    return Forbidden("it is unknown, or somebody has used it", field="invitation")


def new_game(table: Table, setup: Setup, places: Places, owner_id: int | None) -> NewGame:
    """The game of a new table."""
    hashes = zip(places.token_hashes, places.invitation_hashes, strict=True)
    seats = [Seat(_player(setup, number), *each) for number, each in enumerate(hashes)]
    return NewGame(
        id=table.id,
        kind=TABLE,
        rules=setup.rules,
        seats=tuple(seats),
        target_score=setup.rules.target_score,
        source="table",
        secret=setup.secret,
        setup=setup.as_object(),
        created_at=datetime.now(UTC),
        owner_id=owner_id,
        private=setup.private,
    )


def _player(setup: Setup, number: int) -> Player:
    """The player of a seat, as statistics know it."""
    seat = setup.seats[number]
    if seat.config is None:
        return Player(seat.player.kind, seat.player.name)
    config = {k: v for k, v in vars(seat.config).items() if k not in ("seed", "threads")}
    return Player(seat.player.kind, seat.player.name, seat.player.level, config, version())
