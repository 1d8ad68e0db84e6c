"""Read-only links to games, of which the database stores only hashes."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, delete, func, insert, select

from server.runtime.tokens import new_token, token_hash
from server.storage.schema import SHARES

MOST = 20  # links to one game


class TooManyShares(Exception):
    """A game has as many links as it may have."""


def create_share(connection: Connection, game_id: str) -> str:
    """Create a link to a game, and return its token, which cannot be read again."""
    counted = select(func.count()).select_from(SHARES).where(SHARES.c.game_id == game_id)
    if (connection.scalar(counted) or 0) >= MOST:
        raise TooManyShares
    token = new_token()
    hashed = {"token_hash": token_hash(token), "game_id": game_id}
    connection.execute(insert(SHARES), hashed | {"created_at": datetime.now(UTC)})
    return token


def revoke_shares(connection: Connection, game_id: str) -> int:
    """Revoke all links to a game, and return how many there were."""
    return connection.execute(delete(SHARES).where(SHARES.c.game_id == game_id)).rowcount


def opens(connection: Connection, token: str, game_id: str) -> bool:
    """Whether a token is that of a link to a game."""
    wanted = select(SHARES.c.game_id).where(SHARES.c.token_hash == token_hash(token))
    return connection.scalar(wanted) == game_id
