"""Access to stored games: the callers that may see or change one.

A posted game belongs to the API key that created it. A table is public unless it is private. A link
shows the finished hands of one game; the watch token of a table also what is public of the hand in
play. For everybody else a game does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum

from sqlalchemy import Connection

from server.runtime.caller import Caller
from server.runtime.errors import NotFound
from server.runtime.tokens import seat_of
from server.storage import games as store
from server.storage.access.shares import FINISHED_HANDS, WATCH, scope_of
from server.storage.values import FINISHED, TABLE, GameRow, HandRow, is_id


class Access(IntEnum):
    """What somebody may see of a game; every step includes those before it."""

    NONE = 0
    FINISHED = 1  # finished hands
    PUBLIC = 2  # what everybody at a table sees of the hand in play
    FULL = 3  # all cards of all hands


@dataclass(frozen=True)
class Credentials:
    """What a request proves: its caller, and the tokens that it carries."""

    caller: Caller
    seat_token: str | None = None  # of a seat at a table
    share_token: str | None = None  # of a link
    operator: bool = False  # a command of the operator, which reads the database anyway


_OF_SCOPE = {FINISHED_HANDS: Access.FINISHED, WATCH: Access.PUBLIC, None: Access.NONE}
OPERATOR = Credentials(Caller(None, None, ""), operator=True)


def find_game(
    connection: Connection, game_id: str, given: Credentials, *, lock: bool = False
) -> tuple[GameRow, Access]:
    """A game, and what may be seen of it; raises NotFound if nothing may."""
    game = store.game(connection, game_id, lock=lock) if is_id(game_id) else None
    access = Access.NONE if game is None else _access(connection, game, given)
    if game is None or access is Access.NONE:
        raise NotFound(f"there is no game {game_id[:40]!r}")
    return game, access


def access_to(game: GameRow, given: Credentials) -> Access:
    """What may be seen of a game without a link."""
    if game.kind == TABLE:
        return Access.PUBLIC if _sees_table(game, given) else Access.NONE
    return Access.FULL if given.operator or owns(game, given.caller) else Access.NONE


def is_shown(*, private: bool, owner_id: int | None, caller: Caller) -> bool:
    """Whether a table is shown to a caller without a seat and without a link."""
    if not private and not caller.visitor:
        return True
    return owner_id is not None and owner_id == caller.key_id


def owns(game: GameRow, caller: Caller) -> bool:
    """Whether a game belongs to a caller.

    On a service without keys no caller has a key, and everybody owns the games without an owner.
    """
    return game.owner_id == caller.key_id and not caller.visitor


def may_share(game: GameRow, given: Credentials) -> bool:
    """Whether links to a game may be made: by its owner; at a table without one, by its players."""
    if game.kind == TABLE and game.owner_id is None:
        return has_seat(game, given)
    return owns(game, given.caller)


def has_seat(game: GameRow, given: Credentials) -> bool:
    """Whether a seat of a table is proved."""
    hashes = [seat.token_hash for seat in game.seats]
    return given.seat_token is not None and seat_of(given.seat_token, hashes) is not None


def complete_hands(access: Access, hands: Iterable[HandRow]) -> list[HandRow]:
    """The hands of which every card may be seen."""
    return [hand for hand in hands if access is Access.FULL or hand.finished_at is not None]


def visible_hands(access: Access, hands: Iterable[HandRow]) -> list[HandRow]:
    """The hands of which something may be seen."""
    return list(hands) if access >= Access.PUBLIC else complete_hands(access, hands)


def as_seen(connection: Connection, game: GameRow, access: Access) -> GameRow:
    """A game as of its last finished hand, if only those may be seen: its progress tells more."""
    if access is not Access.FINISHED or game.status == FINISHED:
        return game
    events, finished_at = store.finished_part(connection, game.id)
    return replace(game, events=events, updated_at=finished_at or game.created_at)


def _access(connection: Connection, game: GameRow, given: Credentials) -> Access:
    access = access_to(game, given)
    if access is Access.NONE and given.share_token is not None:
        return _OF_SCOPE[scope_of(connection, given.share_token, game.id)]
    return access


def _sees_table(game: GameRow, given: Credentials) -> bool:
    """Whether the public view of a table may be seen."""
    if given.operator or has_seat(game, given):
        return True
    return is_shown(private=game.private, owner_id=game.owner_id, caller=given.caller)
