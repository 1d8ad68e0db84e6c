"""Totals of results by player, level or config, added up by the database.

Everything comes from `results`, which has one row per seat and finished hand. Anybody may post a
game and claim that a person or an engine played. So only the service's own tables count. Posted
games are a selection of their own, in which all players are clients.

A private table tells nobody but its owner who plays there and how well. Of the private tables of
others only engines count, in finished games, and only where no name is shown or asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping, func, select

from server.storage.schema import GAMES, PLAYERS, RESULTS, SEATS
from server.storage.values import FINISHED, SAVED, TABLE

# The columns of players that make a group. A config is compared as the text that is stored.
GROUPS: dict[str, tuple[sa.ColumnElement[Any], ...]] = {
    "player": (PLAYERS.c.kind, PLAYERS.c.name),
    "level": (PLAYERS.c.kind, PLAYERS.c.level),
    "config": (PLAYERS.c.kind, sa.cast(PLAYERS.c.config, sa.Text)),
}
# In posted games a player is what its client says: only names make groups.
_POSTED_GROUPS = GROUPS | {"player": (PLAYERS.c.name,), "level": (), "config": ()}
_CLIENT: dict[str, Any] = {"kind": "client", "level": None, "config": None}
_FLAGS = ("moon_tried", "moon_made", "moon_stopped", "queen_taken", "passed")
_QUANTITIES = ("moves", "ms", "belief_loss", "belief_cards")


@dataclass(frozen=True)
class Viewer:
    """Who asks: an API key; None: a caller of an open service without keys."""

    key_id: int | None = None


@dataclass(frozen=True)
class Choice:
    """Which results count, and how they are grouped; None: no condition."""

    group: str = "player"
    since: datetime | None = None  # finished then or later
    until: datetime | None = None  # finished before
    source: str | None = None  # of the games
    player: str | None = None  # a name
    against: str | None = None  # the level of another seat
    posted: bool = False  # posted games instead of tables
    viewer: Viewer | None = None  # None: everything counts, for the operator


@dataclass(frozen=True)
class GroupTotals:
    """The totals of one group; a member of the group stands for it."""

    kind: str  # human, client or engine
    name: str
    level: str | None
    config: Mapping[str, Any] | None
    hands: int
    seats: int  # of these hands
    points: int
    # Sums over hands h of n_h², n_h · p_h and p_h², for n_h seats with p_h points in a hand.
    seats_squared: int
    points_by_seats: int
    points_squared: int
    games: int  # seats in finished games
    wins: int
    moon_tried: int
    moon_made: int
    moon_stopped: int
    queen_taken: int
    passed: int
    moves: int
    ms: float
    belief_loss: float | None  # None: not scored
    belief_cards: int | None


def group_totals(connection: Connection, choice: Choice) -> list[GroupTotals]:
    """The totals of every group."""
    known = _CLIENT if choice.posted else {}
    return [_totals(row, known) for row in connection.execute(_by_group(choice)).mappings()]


def _totals(row: RowMapping, known: dict[str, Any]) -> GroupTotals:
    """The totals of a row; `known` replaces what the row says."""
    values = {field.name: row[field.name] for field in fields(GroupTotals)} | known
    # PostgreSQL adds integers up to decimals.
    whole = {key: int(value) for key, value in values.items() if isinstance(value, Decimal)}
    return GroupTotals(**values | whole)


def _by_group(choice: Choice) -> sa.Select[Any]:
    """Sums over the hands of each group, with a player of the group."""
    hands = _by_hand(choice).subquery()
    seats, points = hands.c.seats, hands.c.points
    added = ("games", "wins", *_FLAGS, *_QUANTITIES)
    totals = (
        select(
            hands.c.member,
            func.count().label("hands"),
            func.sum(seats).label("seats"),
            func.sum(points).label("points"),
            func.sum(seats * seats).label("seats_squared"),
            func.sum(points * seats).label("points_by_seats"),
            func.sum(points * points).label("points_squared"),
            *(func.sum(hands.c[name]).label(name) for name in added),
        )
        .group_by(hands.c.member)
        .subquery()
    )
    shown = (PLAYERS.c.kind, PLAYERS.c.name, PLAYERS.c.level, PLAYERS.c.config)
    return select(totals, *shown).join(PLAYERS, PLAYERS.c.id == totals.c.member)


def _by_hand(choice: Choice) -> sa.Select[Any]:
    """The results of each group in each hand, its seats together."""
    columns = (_POSTED_GROUPS if choice.posted else GROUPS)[choice.group]
    member = func.min(PLAYERS.c.id).over(partition_by=columns or None)
    known = PLAYERS.c.id, PLAYERS.c.kind, PLAYERS.c.name
    groups = select(*known, member.label("member")).subquery()
    key = (groups.c.member, RESULTS.c.game_id, RESULTS.c.hand)
    return (
        select(
            *key,
            func.count().label("seats"),
            func.sum(RESULTS.c.points).label("points"),
            func.count(RESULTS.c.won).label("games"),
            func.count(sa.case((RESULTS.c.won.is_(True), 1))).label("wins"),
            *(func.count(sa.case((RESULTS.c[f].is_(True), 1))).label(f) for f in _FLAGS),
            *(func.sum(RESULTS.c[name]).label(name) for name in _QUANTITIES),
        )
        .join(groups, groups.c.id == RESULTS.c.player_id)
        .where(*_conditions(choice, groups))
        .group_by(*key)
    )


def _conditions(choice: Choice, groups: sa.Subquery) -> Iterator[sa.ColumnElement[bool]]:
    if choice.since is not None:
        yield RESULTS.c.finished_at >= choice.since
    if choice.until is not None:
        yield RESULTS.c.finished_at < choice.until
    yield _counts(choice, groups)
    if choice.player is not None:
        yield groups.c.name == choice.player
    if choice.against is not None:
        yield _has_opponent(choice.against)


def _counts(choice: Choice, groups: sa.Subquery) -> sa.ColumnElement[bool]:
    """Whether a result is of a game that counts, and may be shown to the viewer."""
    posted = (GAMES.c.kind != TABLE) & (GAMES.c.source != SAVED)
    games = posted if choice.posted else GAMES.c.kind == TABLE
    if choice.source is not None:
        games &= GAMES.c.source == choice.source
    if choice.viewer is None:
        return _of(games)
    is_own = GAMES.c.owner_id == choice.viewer.key_id  # None becomes IS NULL
    if choice.posted:
        return _of(games, is_own)
    if choice.viewer.key_id is None:
        is_own = sa.false()  # without keys a table has players, but no owner
    shown = _of(games, ~GAMES.c.private | is_own)
    if choice.group == "player" or choice.player is not None:
        return shown
    return shown | ((groups.c.kind == "engine") & _of(games, GAMES.c.status == FINISHED))


def _of(*games: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Whether a result is of one of some games."""
    return RESULTS.c.game_id.in_(select(GAMES.c.id).where(*games))


def _has_opponent(level: str) -> sa.ColumnElement[bool]:
    """Whether an engine of a level sits at another seat."""
    opponents = select(SEATS.c.seat).select_from(SEATS).join(PLAYERS)
    return sa.exists(
        opponents.where(
            SEATS.c.game_id == RESULTS.c.game_id,
            SEATS.c.seat != RESULTS.c.seat,
            PLAYERS.c.level == level,
        )
    )
