"""Read-only links to games, of which the database stores only hashes."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from server.runtime.tokens import new_token, token_hash
from server.storage.schema import SHARES

MOST = 20  # links to the finished hands of one game
# What a link shows: finished hands, or also what is public of a table's hand in play.
FINISHED_HANDS, WATCH = "finished", "watch"


class TooManyShares(Exception):
    """A game has as many links as it may have."""


def create_share(connection: Connection, game_id: str) -> str:
    """Create a link to the finished hands of a game, and return its token."""
    counted = select(func.count()).select_from(SHARES).where(_is_revocable(game_id))
    if (connection.scalar(counted) or 0) >= MOST:
        raise TooManyShares
    return _create(connection, game_id, FINISHED_HANDS)


def create_watch_token(connection: Connection, table_id: str) -> str:
    """Create the token with which the creator of a table without a seat watches it."""
    return _create(connection, table_id, WATCH)


def revoke_shares(connection: Connection, game_id: str) -> int:
    """Revoke all links to the finished hands of a game, and return how many there were."""
    return connection.execute(delete(SHARES).where(_is_revocable(game_id))).rowcount


def scope_of(connection: Connection, token: str, game_id: str) -> str | None:
    """What a token shows of a game; None: nothing."""
    wanted = (SHARES.c.token_hash == token_hash(token)) & (SHARES.c.game_id == game_id)
    scope: str | None = connection.scalar(select(SHARES.c.scope).where(wanted))
    return scope


def _create(connection: Connection, game_id: str, scope: str) -> str:
    """Store a link, and return its token, which cannot be read again."""
    token = new_token()
    values = {"token_hash": token_hash(token), "game_id": game_id, "scope": scope}
    connection.execute(insert(SHARES), values | {"created_at": datetime.now(UTC)})
    return token


def _is_revocable(game_id: str) -> ColumnElement[bool]:
    """The links that whoever may share a game may revoke: not the creator's watch token."""
    return (SHARES.c.game_id == game_id) & (SHARES.c.scope == FINISHED_HANDS)
