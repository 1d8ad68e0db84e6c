"""The requests that change stored games: each is carried out once per Idempotency-Key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import IntegrityError

from server.games.events.append_events import EventsRequest, append_events
from server.games.posted import PostedGame
from server.runtime.errors import Conflict, NotFound, PreconditionFailed
from server.storage import games as store
from server.storage.bulk import add_games
from server.storage.idempotency import OtherBody, game_of_key, remember_key
from server.storage.values import TABLE, GameRow, is_id

Sent = Mapping[str, object]


def find_game(connection: Connection, game_id: str, *, lock: bool = False) -> GameRow:
    """A game by its id; raises NotFound."""
    game = store.game(connection, game_id, lock=lock) if is_id(game_id) else None
    if game is None:
        raise NotFound(f"there is no game {game_id[:40]!r}")
    return game


def version_of(game: GameRow) -> str:
    """The version of a game, which is its ETag."""
    return f"{game.id}-{game.events}"


def create_game(
    engine: Engine, posted: PostedGame, sent: Sent, key: str | None
) -> tuple[GameRow, bool]:
    """Store a game; returns it, and whether it is new. `sent` is the request, `key` its key."""
    try:
        return _create(engine, posted, sent, key)
    except IntegrityError:  # a concurrent request with the same key has created the game
        return _create(engine, posted, sent, key)


def extend_game(
    engine: Engine,
    game_id: str,
    request: EventsRequest,
    key: str | None,
    is_expected: Callable[[str], bool],
) -> tuple[GameRow, int]:
    """Append events to a game; returns the game after them, and how many are new.

    `is_expected` says whether the events were meant for a version of the game.
    """
    with store.writing(engine) as connection:
        game = find_game(connection, game_id, lock=True)
        if game.kind == TABLE:
            raise Conflict("only the table's own moves happen there", field="game_id")
        added = 0
        if _game_of_key(connection, key, request.sent, game_id) is None:
            _check_version(game, is_expected)
            added = append_events(connection, game, request)
            _remember(connection, key, request.sent, game_id, game_id)
        return find_game(connection, game_id), added


def _create(
    engine: Engine, posted: PostedGame, sent: Sent, key: str | None
) -> tuple[GameRow, bool]:
    with store.writing(engine) as connection:
        known = _game_of_key(connection, key, sent)
        if known is not None:
            return find_game(connection, known), False
        (game_id,) = add_games(connection, [posted.whole])
        _remember(connection, key, sent, game_id)
        return find_game(connection, game_id), True


def _game_of_key(
    connection: Connection, key: str | None, sent: Sent, scope: str = ""
) -> str | None:
    """The game that the same request has created or changed before."""
    try:
        return None if key is None else game_of_key(connection, key, sent, scope)
    except OtherBody:
        raise Conflict("was sent with another body", field="Idempotency-Key") from None


def _remember(
    connection: Connection, key: str | None, sent: Sent, game_id: str, scope: str = ""
) -> None:
    if key is not None:
        remember_key(connection, key, sent, game_id, scope)


def _check_version(game: GameRow, is_expected: Callable[[str], bool]) -> None:
    if not is_expected(version_of(game)):
        reason = f"the game is at version {game.events}"
        raise PreconditionFailed(reason, field="If-Match", events=game.events)
