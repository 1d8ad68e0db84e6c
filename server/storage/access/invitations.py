"""Invitations to seats of tables, of which the database stores only hashes."""

from __future__ import annotations

from sqlalchemy import Connection, exists, select, update

from server.runtime.tokens import token_hash
from server.storage.games import player_ids
from server.storage.schema import PLAYERS, SEATS
from server.storage.values import Player


def accept(
    connection: Connection, table_id: str, invitation: str, token: str, name: str | None
) -> int | None:
    """Give a seat to whoever has its invitation, and return its number; None: not an invitation.

    The first token takes the seat, in one statement, so of two who use an invitation one succeeds.
    The same token may come again: a client that got no answer asks once more. Without a `name` the
    seat keeps the one that it has.
    """
    invited, mine = token_hash(invitation), token_hash(token)
    other = SEATS.alias()
    is_elsewhere = exists().where(
        other.c.game_id == table_id, other.c.token_hash == mine, other.c.seat != SEATS.c.seat
    )
    here = (SEATS.c.game_id == table_id) & (SEATS.c.invitation_hash == invited) & ~is_elsewhere
    is_mine = SEATS.c.token_hash.is_(None) | (SEATS.c.token_hash == mine)
    taken = update(SEATS).where(here, is_mine).values(token_hash=mine)
    seat = connection.execute(taken.returning(SEATS.c.seat, SEATS.c.player_id)).one_or_none()
    if seat is not None and name:
        _rename(connection, table_id, seat.seat, seat.player_id, name)
    return None if seat is None else seat.seat


def _rename(connection: Connection, table_id: str, seat: int, player_id: int, name: str) -> None:
    """Let another player sit at a seat: a person with a name."""
    kind = connection.scalar(select(PLAYERS.c.kind).where(PLAYERS.c.id == player_id))
    player = Player(str(kind), name)
    new_id = player_ids(connection, [player])[player.digest]
    here = (SEATS.c.game_id == table_id) & (SEATS.c.seat == seat)
    connection.execute(update(SEATS).where(here).values(player_id=new_id))
