"""Read-only links to games: made and revoked by the owner."""

from __future__ import annotations

from sqlalchemy import Connection, Engine

from server.games.access import Credentials, find_game, may_share
from server.runtime.errors import Conflict, Forbidden
from server.storage.access.shares import MOST, TooManyShares, create_share, revoke_shares
from server.storage.games import writing


def share_game(engine: Engine, game_id: str, given: Credentials) -> str:
    """Make a link to a game, and return its token."""
    with writing(engine) as connection:
        _check(connection, game_id, given)
        try:
            return create_share(connection, game_id)
        except TooManyShares:
            reason = f"the game has {MOST} links already: revoke them first"
            raise Conflict(reason, field="game_id") from None


def unshare_game(engine: Engine, game_id: str, given: Credentials) -> int:
    """Revoke all links to a game, and return how many there were."""
    with writing(engine) as connection:
        _check(connection, game_id, given)
        return revoke_shares(connection, game_id)


def _check(connection: Connection, game_id: str, given: Credentials) -> None:
    game, _ = find_game(connection, game_id, given, lock=True)
    if not may_share(game, given):
        raise Forbidden("only its owner may share it", field="game_id")
