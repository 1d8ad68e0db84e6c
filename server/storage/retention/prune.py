"""Deletes what is no longer kept, in small transactions, so that nobody waits long for a lock.

Keys of rows are selected in pages without SQLite's write lock, and their rows deleted in batches; a
batch checks the condition again. A table in play is never deleted. One without an event for some
time is abandoned: it is not open any more, until somebody moves or looks again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Column, ColumnElement, Engine, delete, exists, func, select, update
from sqlalchemy.exc import IntegrityError

from server.runtime.settings import Settings
from server.storage.games import writing
from server.storage.jobs.queue import outdated
from server.storage.schema import (
    DECISIONS,
    GAMES,
    HANDS,
    IDEMPOTENCY_KEYS,
    JOBS,
    PLAYERS,
    RESULTS,
    REVIEWS,
    SEATS,
)
from server.storage.values import ABANDONED, FINISHED, OPEN, TABLE

PAGE = 1000  # keys of one query
BATCH = 200  # rows of one transaction
GAMES_BATCH = 4  # games of one transaction: each takes a thousand rows with it, or long reviews
PAUSE = 0.01  # least seconds between two transactions: others wait for SQLite's write lock


@dataclass(frozen=True)
class Retention:
    """How long rows are kept after their last change; None: for ever."""

    idempotency_keys: timedelta | None = None
    open_tables: timedelta | None = None  # then they are abandoned
    abandoned_tables: timedelta | None = None  # those without a finished hand
    games: timedelta | None = None  # posted games, finished tables, abandoned ones with results
    decisions: timedelta | None = None
    reviews: timedelta | None = None

    @classmethod
    def of(cls, settings: Settings) -> Retention:
        """The retention of some settings."""
        return cls(
            timedelta(hours=settings.retain_idempotency_hours) or None,
            timedelta(days=settings.retain_open_tables_days) or None,
            timedelta(days=settings.retain_abandoned_days) or None,
            timedelta(days=settings.retain_games_days) or None,
            timedelta(days=settings.retain_decisions_days) or None,
            timedelta(days=settings.retain_reviews_days) or None,
        )


KINDS = (*Retention.__dataclass_fields__, "players", "jobs")  # of rows that are counted


@dataclass(frozen=True)
class _Rule:
    """The rows that a retention concerns, and what happens to them."""

    name: str  # one of KINDS
    key: Column[Any]  # by which rows are selected in batches
    condition: ColumnElement[bool]
    batch: int = BATCH  # keys of one transaction
    values: dict[str, object] | None = None  # that the rows get; None: they are deleted


def prune(engine: Engine, retention: Retention, *, dry_run: bool = False) -> dict[str, int]:
    """Delete what is older than its retention; returns the number of rows by kind.

    With `dry_run`, rows are only counted.
    """
    now = datetime.now(UTC)
    counts = dict.fromkeys(KINDS, 0)
    for rule in _rules(retention, now):
        counts[rule.name] = _count(engine, rule) if dry_run else _apply(engine, rule)
    return counts


def _rules(retention: Retention, now: datetime) -> Iterator[_Rule]:
    if retention.idempotency_keys is not None:
        old = IDEMPOTENCY_KEYS.c.created_at < now - retention.idempotency_keys
        yield _Rule("idempotency_keys", IDEMPOTENCY_KEYS.c.key, old)
    if retention.abandoned_tables is not None:
        empty = _is_old_table(ABANDONED, now - retention.abandoned_tables) & ~_has_result()
        yield _Rule("abandoned_tables", GAMES.c.id, empty, GAMES_BATCH)
    if retention.games is not None:
        yield _Rule("games", GAMES.c.id, _is_old_game(now - retention.games), GAMES_BATCH)
    if retention.open_tables is not None:  # after the two above, which spare what this abandons
        yield _open_tables(now - retention.open_tables)
    if retention.decisions is not None:
        old = DECISIONS.c.created_at < now - retention.decisions
        yield _Rule("decisions", DECISIONS.c.id, old)
    if retention.reviews is not None:
        # Version 0.1 stored no times: its reviews are old.
        old = func.coalesce(REVIEWS.c.created_at < now - retention.reviews, True)
        yield _Rule("reviews", REVIEWS.c.game_id, old, GAMES_BATCH)
    yield _Rule("players", PLAYERS.c.id, _is_nobody())
    yield _Rule("jobs", JOBS.c.id, outdated(now))


def _open_tables(before: datetime) -> _Rule:
    """Tables that wait for people, or pause, and that nobody has looked at.

    A table of bots whose driver died while nobody looked still wants one, and gets none.
    """
    unwatched = GAMES.c.watched_at.is_(None) | (GAMES.c.watched_at < before)
    waits = GAMES.c.engine_to_move.is_(False) | (GAMES.c.watched_at < before)
    idle = _is_old_table(OPEN, before) & unwatched & waits
    values = {"status": ABANDONED, "engine_to_move": False, "driver": None}
    return _Rule("open_tables", GAMES.c.id, idle, values=values)


def _is_old_table(status: str, before: datetime) -> ColumnElement[bool]:
    # The age by `created_at` follows from the other, and is in the index.
    is_old = (GAMES.c.created_at < before) & (GAMES.c.updated_at < before)
    return (GAMES.c.status == status) & (GAMES.c.kind == TABLE) & is_old


def _is_old_game(before: datetime) -> ColumnElement[bool]:
    is_old = (GAMES.c.created_at < before) & (GAMES.c.updated_at < before)
    is_over = (GAMES.c.status == FINISHED) | ((GAMES.c.status == ABANDONED) & _has_result())
    return is_old & ((GAMES.c.kind != TABLE) | is_over)


def _has_result() -> ColumnElement[bool]:
    """Whether a hand of a game is finished."""
    return exists().where(HANDS.c.game_id == GAMES.c.id, HANDS.c.finished_at.is_not(None))


def _is_nobody() -> ColumnElement[bool]:
    """Whether a player has neither a seat nor a result any more."""
    seated = exists().where(SEATS.c.player_id == PLAYERS.c.id)
    return ~seated & ~exists().where(RESULTS.c.player_id == PLAYERS.c.id)


def _count(engine: Engine, rule: _Rule) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count(rule.key)).where(rule.condition)) or 0


def _apply(engine: Engine, rule: _Rule) -> int:
    """Change all rows of a rule, one batch per transaction."""
    total, before = 0, -1
    while total > before:
        before = total
        with engine.connect() as connection:
            page = select(rule.key).where(rule.condition).distinct().limit(PAGE)
            keys = connection.scalars(page).all()
        for first in range(0, len(keys), rule.batch):
            begun = time.monotonic()
            total += _change(engine, rule, keys[first : first + rule.batch])
            time.sleep(max(PAUSE, time.monotonic() - begun))
    return total


def _change(engine: Engine, rule: _Rule, keys: Sequence[Any]) -> int:
    """Change the rows of some keys that still meet the condition; returns how many.

    Rows that somebody else is changing are left for the next time, so nobody waits for another.
    """
    table, these = rule.key.table, rule.key.in_(keys) & rule.condition
    free = select(rule.key).where(these).with_for_update(skip_locked=True)
    change = delete(table) if rule.values is None else update(table).values(rule.values)
    try:
        with writing(engine) as connection:
            return connection.execute(change.where(rule.key.in_(free), rule.condition)).rowcount
    except IntegrityError:  # a player has got a seat since the statement began
        return 0
