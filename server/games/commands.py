"""The requests that change stored games: each is carried out once per Idempotency-Key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import IntegrityError

from server.games.access import Access, Credentials, find_game
from server.games.events.append_events import EventsRequest, append_events
from server.games.posted import PostedGame
from server.runtime.caller import Caller
from server.runtime.errors import Conflict, PreconditionFailed
from server.storage import games as store
from server.storage.bulk import add_games
from server.storage.idempotency import OtherBody, ScopedKey, game_of_key, remember_key
from server.storage.values import TABLE, GameRow


@dataclass(frozen=True)
class Once:
    """A request that is carried out once: its caller, its key, and what it says."""

    caller: Caller
    key: str | None  # the Idempotency-Key
    sent: Mapping[str, object]

    @property
    def by(self) -> Credentials:
        """The credentials of the caller."""
        return Credentials(self.caller)


def version_of(game: GameRow, access: Access = Access.FULL) -> str:
    """The version of a game, which is its ETag; a link shows less of the same version."""
    suffix = "-shared" if access is Access.FINISHED else ""
    return f"{game.id}-{game.events}{suffix}"


def create_game(engine: Engine, posted: PostedGame, once: Once) -> tuple[GameRow, bool]:
    """Store a game, which belongs to the caller; returns it, and whether it is new."""
    try:
        return _create(engine, posted, once)
    except IntegrityError:  # a concurrent request with the same key has created the game
        return _create(engine, posted, once)


def extend_game(
    engine: Engine,
    game_id: str,
    request: EventsRequest,
    once: Once,
    is_expected: Callable[[str], bool],
) -> tuple[GameRow, int]:
    """Append events to a game; returns the game after them, and how many are new.

    `is_expected` says whether the events were meant for a version of the game.
    """
    with store.writing(engine) as connection:
        game, access = find_game(connection, game_id, once.by, lock=True)
        if game.kind == TABLE or access is not Access.FULL:
            raise Conflict("only the table's own moves happen there", field="game_id")
        added = 0
        if _game_of_key(connection, once, game_id) is None:
            _check_version(game, is_expected)
            added = append_events(connection, game, request)
            _remember(connection, once, game_id, game_id)
        return find_game(connection, game_id, once.by)[0], added


def _create(engine: Engine, posted: PostedGame, once: Once) -> tuple[GameRow, bool]:
    with store.writing(engine) as connection:
        known = _game_of_key(connection, once)
        if known is not None:
            return find_game(connection, known, once.by)[0], False
        (game_id,) = add_games(connection, [posted.owned_by(once.caller.key_id)])
        _remember(connection, once, game_id)
        return find_game(connection, game_id, once.by)[0], True


def _game_of_key(connection: Connection, once: Once, scope: str = "") -> str | None:
    """The game that the same request has created or changed before."""
    key = _scoped(once, scope)
    try:
        return None if key is None else game_of_key(connection, key, once.sent)
    except OtherBody:
        raise Conflict("was sent with another body", field="Idempotency-Key") from None


def _remember(connection: Connection, once: Once, game_id: str, scope: str = "") -> None:
    key = _scoped(once, scope)
    if key is not None:
        remember_key(connection, key, once.sent, game_id)


def _scoped(once: Once, scope: str) -> ScopedKey | None:
    return None if once.key is None else ScopedKey(once.key, once.caller.key_id, scope)


def _check_version(game: GameRow, is_expected: Callable[[str], bool]) -> None:
    if not is_expected(version_of(game)):
        reason = f"the game is at version {game.events}"
        raise PreconditionFailed(reason, field="If-Match", events=game.events)
