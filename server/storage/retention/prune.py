"""Deletes what is no longer kept, in small transactions, so that nobody waits long for a lock.

A table in play is never deleted. One without an event for some time is abandoned: it is not open
any more, until somebody moves or looks again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    delete,
    exists,
    func,
    select,
    update,
)

from server.runtime.settings import Settings
from server.storage.games import writing
from server.storage.schema import DECISIONS, GAMES, HANDS, IDEMPOTENCY_KEYS, REVIEWS
from server.storage.values import ABANDONED, FINISHED, OPEN, TABLE

BATCH = 200  # rows of one transaction; a game brings some hundred rows of its own
PAUSE = 0.01  # seconds between two transactions, for others that wait for SQLite's write lock


@dataclass(frozen=True)
class Retention:
    """How long rows are kept after their last change; None: for ever."""

    idempotency_keys: timedelta | None = None
    open_tables: timedelta | None = None  # then they are abandoned
    abandoned_tables: timedelta | None = None  # those without a finished hand
    games: timedelta | None = None  # posted games, and finished tables
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


@dataclass(frozen=True)
class _Rule:
    """The rows that a retention concerns, and what happens to them."""

    name: str  # the field of Retention
    key: Column[Any]  # by which rows are selected in batches
    condition: ColumnElement[bool]
    values: dict[str, object] | None = None  # that the rows get; None: they are deleted


def prune(engine: Engine, retention: Retention, *, dry_run: bool = False) -> dict[str, int]:
    """Delete what is older than its retention; returns the number of rows by kind.

    With `dry_run`, rows are only counted.
    """
    now = datetime.now(UTC)
    counts = dict.fromkeys(Retention.__dataclass_fields__, 0)
    for rule in _rules(retention, now):
        counts[rule.name] = _count(engine, rule) if dry_run else _apply(engine, rule)
    return counts


def _rules(retention: Retention, now: datetime) -> Iterator[_Rule]:
    if retention.idempotency_keys is not None:
        old = IDEMPOTENCY_KEYS.c.created_at < now - retention.idempotency_keys
        yield _Rule("idempotency_keys", IDEMPOTENCY_KEYS.c.key, old)
    if retention.abandoned_tables is not None:
        empty = _is_old_table(ABANDONED, now - retention.abandoned_tables) & ~_has_result()
        yield _Rule("abandoned_tables", GAMES.c.id, empty)
    if retention.open_tables is not None:
        yield _open_tables(now - retention.open_tables)
    if retention.games is not None:
        yield _Rule("games", GAMES.c.id, _is_old_game(now - retention.games))
    if retention.decisions is not None:
        old = DECISIONS.c.created_at < now - retention.decisions
        yield _Rule("decisions", DECISIONS.c.id, old)
    if retention.reviews is not None:
        # Version 0.1 stored no times: its reviews are old.
        old = func.coalesce(REVIEWS.c.created_at < now - retention.reviews, True)
        yield _Rule("reviews", REVIEWS.c.game_id, old)


def _open_tables(before: datetime) -> _Rule:
    """Tables that wait for people, or pause, and that nobody has looked at."""
    unwatched = GAMES.c.watched_at.is_(None) | (GAMES.c.watched_at < before)
    idle = _is_old_table(OPEN, before) & unwatched & GAMES.c.engine_to_move.is_(False)
    return _Rule("open_tables", GAMES.c.id, idle, {"status": ABANDONED})


def _is_old_table(status: str, before: datetime) -> ColumnElement[bool]:
    # The age by `created_at` follows from the other, and is in the index.
    is_old = (GAMES.c.created_at < before) & (GAMES.c.updated_at < before)
    return (GAMES.c.status == status) & (GAMES.c.kind == TABLE) & is_old


def _is_old_game(before: datetime) -> ColumnElement[bool]:
    is_old = (GAMES.c.created_at < before) & (GAMES.c.updated_at < before)
    return is_old & ((GAMES.c.kind != TABLE) | (GAMES.c.status == FINISHED))


def _has_result() -> ColumnElement[bool]:
    """Whether a hand of a game is finished."""
    return exists().where(HANDS.c.game_id == GAMES.c.id, HANDS.c.finished_at.is_not(None))


def _count(engine: Engine, rule: _Rule) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count(rule.key)).where(rule.condition)) or 0


def _apply(engine: Engine, rule: _Rule) -> int:
    """Change all rows of a rule, one batch per transaction."""
    total = 0
    while True:
        with writing(engine) as connection:
            changed = _change_batch(connection, rule)
        if not changed:
            return total
        total += changed
        time.sleep(PAUSE)


def _change_batch(connection: Connection, rule: _Rule) -> int:
    """Change some rows; the condition is checked again, since they may have changed meanwhile."""
    keys = connection.scalars(select(rule.key).where(rule.condition).distinct().limit(BATCH)).all()
    if not keys:
        return 0
    table = rule.key.table
    these = rule.key.in_(keys) & rule.condition
    if rule.values is None:
        return connection.execute(delete(table).where(these)).rowcount
    return connection.execute(update(table).where(these).values(rule.values)).rowcount
