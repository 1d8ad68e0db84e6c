"""Games and their events.

The column `events` of a game counts its events, and each event takes the next number. The count is
updated first, so of two writers of one number the second finds it taken, whether it waited for the
row (PostgreSQL) or for the whole database (SQLite). Rows of hands, plays and results are derived
from events in the same transaction. The caller checks events against the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, Table, func, insert, select, update

from hearts.game.cards import RANKS, names
from hearts.game.cards import SEATS as FOUR
from hearts.game.rules import Rules
from server.storage.cluster.leases import NOT_A_TABLE, Driving
from server.storage.events import (
    DealEvent,
    Event,
    PassEvent,
    PlayEvent,
    StoredEvent,
    described,
    event_of,
)
from server.storage.results import finish_hand
from server.storage.schema import (
    EVENTS,
    GAMES,
    HANDS,
    PLAYERS,
    PLAYS,
    SEATS,
    RowValues,
    insert_into,
)
from server.storage.values import (
    ABANDONED,
    OPEN,
    TABLE,
    EventConflict,
    GameRow,
    LeaseLost,
    NewGame,
    Player,
    Seat,
)

_ALL_PLAYS = FOUR * RANKS
# Reads of one transaction see one state of the database: SQLite's default.
_SNAPSHOT = {"postgresql": {"isolation_level": "REPEATABLE READ"}}


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes; SQLite takes its write lock at once instead of failing later."""
    with engine.execution_options(sqlite_begin="IMMEDIATE").begin() as connection:
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction whose reads all see the same state of the database."""
    with engine.execution_options(**_SNAPSHOT.get(engine.dialect.name, {})).connect() as connection:
        yield connection


def create_game(connection: Connection, game: NewGame) -> None:
    """Insert a game without events."""
    connection.execute(insert(GAMES), game_values(game))
    ids = player_ids(connection, [seat.player for seat in game.seats])
    connection.execute(insert(SEATS), seat_values(game, ids))


def game_values(game: NewGame) -> RowValues:
    """The row of a new game."""
    return {
        "id": game.id,
        "kind": game.kind,
        "source": game.source,
        "rules": game.rules.as_value(),
        "target_score": game.target_score,
        "secret": game.secret,
        "setup": game.setup,
        "owner_id": game.owner_id,
        "private": game.private,
        "status": OPEN,
        "events": 0,
        "created_at": game.created_at,
        "updated_at": game.created_at,
    }


def seat_values(game: NewGame, ids: Mapping[str, int]) -> list[RowValues]:
    """The rows of a game's seats; `ids` are those of players by digest."""
    return [
        {
            "game_id": game.id,
            "seat": number,
            "player_id": ids[seat.player.digest],
            "token_hash": seat.token_hash,
            "invitation_hash": seat.invitation_hash,
        }
        for number, seat in enumerate(game.seats)
    ]


def player_ids(connection: Connection, players: Iterable[Player]) -> dict[str, int]:
    """The ids of players by digest; unknown players are inserted."""
    wanted = {player.digest: player for player in players}
    found = _known_players(connection, wanted)
    # All writers insert in the same order, so that they cannot deadlock. Of two that insert the
    # same player, one succeeds and both find the row.
    for digest in sorted(wanted.keys() - found.keys()):
        values = {**wanted[digest].values, "digest": digest}
        connection.execute(insert_new(connection, PLAYERS), values)
    return _known_players(connection, wanted)


def append(
    connection: Connection,
    game_id: str,
    expected: int,
    event: Event,
    driving: Driving = NOT_A_TABLE,
) -> int:
    """Store an event under the number `expected`, and return the game's new version, one more.

    Raises EventConflict where the number is taken, is not the next one, or the game is over, and
    LeaseLost where another instance has taken over the table.
    """
    stored = StoredEvent(expected, datetime.now(UTC), event)
    is_open = GAMES.c.status.in_((OPEN, ABANDONED))  # a move opens an abandoned table again
    is_next = (GAMES.c.id == game_id) & (GAMES.c.events == expected) & is_open
    values = {"events": expected + 1, "updated_at": stored.at, "status": OPEN, **driving.values}
    changed = update(GAMES).where(is_next, driving.condition).values(values)
    if not connection.execute(changed).rowcount:
        raise _conflict(connection, game_id, expected, driving)
    connection.execute(insert(EVENTS), event_values(game_id, stored))
    if isinstance(event, DealEvent):
        _insert_hand(connection, game_id, event, stored.at)
    elif isinstance(event, PassEvent):
        _update_passes(connection, game_id, event)
    elif isinstance(event, PlayEvent):
        _insert_play(connection, game_id, event, stored.at)
    return expected + 1


def game(connection: Connection, game_id: str, *, lock: bool = False) -> GameRow | None:
    """A game with its seats, or None; `lock` keeps others from changing it in this transaction."""
    wanted = select(GAMES).where(GAMES.c.id == game_id)
    row = connection.execute(wanted.with_for_update() if lock else wanted).one_or_none()
    if row is None:
        return None
    values = row._asdict() | {"rules": Rules.parse(row.rules)}
    return GameRow(**values, seats=seats_of(connection, [game_id])[game_id])


def seats_of(connection: Connection, game_ids: list[str]) -> dict[str, tuple[Seat, ...]]:
    """The seats of games."""
    joined = select(SEATS, PLAYERS).join(PLAYERS).where(SEATS.c.game_id.in_(game_ids))
    found: dict[str, tuple[Seat, ...]] = dict.fromkeys(game_ids, ())
    for row in connection.execute(joined.order_by(SEATS.c.game_id, SEATS.c.seat)):
        player = Player(row.kind, row.name, row.level, row.config, row.version)
        found[row.game_id] += (Seat(player, row.token_hash, row.invitation_hash),)
    return found


def events(connection: Connection, game_id: str, after: int = -1) -> list[StoredEvent]:
    """The events of a game whose number is above `after`, in order."""
    wanted = (EVENTS.c.game_id == game_id) & (EVENTS.c.number > after)
    found = connection.execute(select(EVENTS).where(wanted).order_by(EVENTS.c.number))
    return [
        StoredEvent(row.number, row.at, event_of(row.kind, row.hand, row.seat, row.body))
        for row in found
    ]


def finished_part(connection: Connection, game_id: str) -> tuple[int, datetime | None]:
    """The number of events of a game's finished hands, and when the last of them was finished."""
    ended = (HANDS.c.game_id == game_id) & HANDS.c.finished_at.is_not(None)
    last = select(func.max(HANDS.c.number), func.max(HANDS.c.finished_at)).where(ended)
    number, at = connection.execute(last).one()
    if number is None:
        return 0, None
    counted = select(func.count()).select_from(EVENTS)
    counted = counted.where((EVENTS.c.game_id == game_id) & (EVENTS.c.hand <= number))
    return connection.scalar(counted) or 0, at


def insert_new(connection: Connection, table: Table) -> Any:
    """An INSERT that skips rows which exist already."""
    return insert_into(connection, table).on_conflict_do_nothing()


def _known_players(connection: Connection, digests: Iterable[str]) -> dict[str, int]:
    known = select(PLAYERS.c.digest, PLAYERS.c.id).where(PLAYERS.c.digest.in_(list(digests)))
    # Retention deletes players without a seat: not these, until they have one.
    locked = known.with_for_update(read=True, key_share=True)
    return dict(connection.execute(locked).all())


def table_ids(
    connection: Connection, status: str, limit: int, owner_id: int | None = None
) -> list[str]:
    """The ids of the newest tables of a status: public ones, and the private ones of an owner."""
    visible = ~GAMES.c.private | (GAMES.c.owner_id.is_not(None) & (GAMES.c.owner_id == owner_id))
    wanted = (GAMES.c.status == status) & (GAMES.c.kind == TABLE) & visible
    newest = select(GAMES.c.id).where(wanted).order_by(GAMES.c.created_at.desc()).limit(limit)
    return list(connection.scalars(newest))


def _conflict(
    connection: Connection, game_id: str, expected: int, driving: Driving
) -> EventConflict:
    """The reason why an event cannot be the next one."""
    columns = GAMES.c.events, GAMES.c.status, GAMES.c.fence
    row = connection.execute(select(*columns).where(GAMES.c.id == game_id)).one_or_none()
    if row is None:
        return EventConflict(f"there is no game {game_id}")
    if driving.fence not in (None, row.fence):
        return LeaseLost("another instance plays for this table", row.events)
    if expected < row.events:
        found = events(connection, game_id, expected - 1)[0].event
        return EventConflict(f"event {expected} is taken: {described(found)}", row.events, found)
    if expected > row.events:
        return EventConflict(
            f"event {expected} cannot come yet: the next is {row.events}", row.events
        )
    return EventConflict("the game is over", row.events)


def event_values(game_id: str, stored: StoredEvent) -> RowValues:
    """The row of an event."""
    event = stored.event
    return {
        "game_id": game_id,
        "number": stored.number,
        "kind": event.kind,
        "hand": event.hand,
        "seat": event.seat,
        "body": event.body,
        "at": stored.at,
    }


def _insert_hand(connection: Connection, game_id: str, event: DealEvent, at: datetime) -> None:
    values = {
        "game_id": game_id,
        "number": event.hand,
        "label": event.record_id or "",
        "extra": event.extra,
        "direction": event.direction,
        "dealt": [" ".join(names(cards)) for cards in event.dealt],
        "first_player": event.leader,
        "commitment": event.commitment,
        "nonce": event.nonce,
        "started_at": at,
    }
    connection.execute(insert(HANDS), values)


def _update_passes(connection: Connection, game_id: str, event: PassEvent) -> None:
    here = (HANDS.c.game_id == game_id) & (HANDS.c.number == event.hand)
    passed = list(connection.scalar(select(HANDS.c.passed).where(here)) or [""] * FOUR)
    passed[event.seat] = " ".join(names(event.cards))
    connection.execute(update(HANDS).where(here).values(passed=passed))


def _insert_play(connection: Connection, game_id: str, event: PlayEvent, at: datetime) -> None:
    """Store a play; the last one finishes the hand."""
    here = (PLAYS.c.game_id == game_id) & (PLAYS.c.hand == event.hand)
    number = connection.scalar(select(func.count()).select_from(PLAYS).where(here)) or 0
    values = {
        "game_id": game_id,
        "hand": event.hand,
        "number": number,
        "seat": event.seat,
        "card": event.card,
        "played_at": at,
    }
    connection.execute(insert(PLAYS), values)
    if number == _ALL_PLAYS - 1:
        finish_hand(connection, game_id, at, event.points)
