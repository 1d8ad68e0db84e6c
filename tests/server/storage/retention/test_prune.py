"""Retention: what is deleted, what is abandoned, and what stays, on both databases."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, Table, func, select, update

from server.jobs import maintenance
from server.runtime.settings import Settings
from server.storage.cluster.leases import mark_watched
from server.storage.games import append, create_game, game, table_ids, writing
from server.storage.idempotency import ScopedKey, game_of_key, remember_key
from server.storage.retention import prune as module
from server.storage.retention.prune import Retention, prune
from server.storage.reviews import KEPT, store_review, stored_reviews
from server.storage.schema import DECISIONS, EVENTS, GAMES, IDEMPOTENCY_KEYS, PLAYS, REVIEWS
from server.storage.values import ABANDONED, OPEN
from tests.server.service import hearts
from tests.server.storage.played import a_game, events_of, keep, sample_records

OLD = datetime.now(UTC) - timedelta(days=1000)
YEAR = timedelta(days=365)
DEFAULTS = Retention.of(Settings())
NOTHING = dict.fromkeys(Retention.__dataclass_fields__, 0)


def age(engine: Engine, game_id: str, **more: Any) -> str:
    """Make a game old."""
    with writing(engine) as connection:
        here = update(GAMES).where(GAMES.c.id == game_id)
        connection.execute(here.values(created_at=OLD, updated_at=OLD, **more))
    return game_id


def table_in_play(engine: Engine, **more: Any) -> str:
    """A table whose first hand has begun."""
    (record,) = sample_records(1)
    new = a_game(record.deal.rules, kind="table", target_score=100, **more)
    with writing(engine) as connection:
        create_game(connection, new)
        for number, event in enumerate(list(events_of(record))[:9]):
            append(connection, new.id, number, event)
    return new.id


def row_count(engine: Engine, table: Table) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0


def status(engine: Engine, game_id: str) -> str | None:
    with engine.connect() as connection:
        found = game(connection, game_id)
    return found and found.status


def test_idempotency_keys_expire(engine):
    game_id = keep(engine, sample_records(1))
    with writing(engine) as connection:
        for number in range(2 * module.BATCH + 3):
            remember_key(connection, ScopedKey(f"key {number}"), {}, game_id)
        connection.execute(update(IDEMPOTENCY_KEYS).values(created_at=OLD))
        remember_key(connection, ScopedKey("new"), {}, game_id)
    counted = prune(engine, DEFAULTS, dry_run=True)
    assert counted == NOTHING | {"idempotency_keys": 2 * module.BATCH + 3}
    assert row_count(engine, IDEMPOTENCY_KEYS) == 2 * module.BATCH + 4
    assert prune(engine, DEFAULTS) == counted
    assert prune(engine, DEFAULTS) == NOTHING
    with engine.connect() as connection:
        assert game_of_key(connection, ScopedKey("new"), {}) == game_id
        assert game_of_key(connection, ScopedKey("key 1"), {}) is None


def test_a_table_is_abandoned_and_opened_again_by_a_move(engine):
    left, new = age(engine, table_in_play(engine)), table_in_play(engine)
    assert prune(engine, DEFAULTS) == NOTHING | {"open_tables": 1}
    assert (status(engine, left), status(engine, new)) == (ABANDONED, OPEN)
    with engine.connect() as connection:
        assert table_ids(connection, OPEN, 10) == [new]
    with writing(engine) as connection:
        append(connection, left, 9, list(events_of(sample_records(1)[0]))[9])
    assert status(engine, left) == OPEN
    assert prune(engine, DEFAULTS) == NOTHING


def test_a_table_of_bots_is_opened_again_by_a_look(engine):
    left = age(engine, table_in_play(engine), watched_at=OLD)
    assert prune(engine, DEFAULTS)["open_tables"] == 1
    with writing(engine) as connection:
        mark_watched(connection, left, datetime.now(UTC))
    assert status(engine, left) == OPEN


@pytest.mark.parametrize(
    "in_play", [{"engine_to_move": True}, {"watched_at": datetime.now(UTC)}, {}]
)
def test_a_table_in_play_is_never_deleted(engine, in_play):
    """The engine is to move, somebody looks, or it waits for people."""
    table = age(engine, table_in_play(engine), **in_play)
    short = Retention(*[timedelta(days=1)] * len(Retention.__dataclass_fields__))
    assert prune(engine, short)["games"] == 0
    assert status(engine, table) == (OPEN if in_play else ABANDONED)
    if not in_play:
        assert prune(engine, short)["abandoned_tables"] == 1
        assert row_count(engine, EVENTS) == 0


def test_abandoned_tables_with_results_stay(engine):
    with_result = keep(engine, sample_records(1), kind="table", target_score=100)
    empty = table_in_play(engine)
    for table in (with_result, empty):
        age(engine, table)
    assert prune(engine, DEFAULTS)["open_tables"] == 2
    assert prune(engine, DEFAULTS) == NOTHING | {"abandoned_tables": 1}
    assert status(engine, with_result) == ABANDONED
    assert status(engine, empty) is None


def test_games_stay_for_ever_unless_a_setting_says_otherwise(engine):
    finished = [age(engine, keep(engine, [record])) for record in sample_records(3)]
    new = keep(engine, sample_records(1))
    assert prune(engine, DEFAULTS) == NOTHING
    assert prune(engine, Retention(games=YEAR)) == NOTHING | {"games": 3}
    assert [status(engine, each) for each in finished] == [None] * 3
    assert status(engine, new) is not None
    assert row_count(engine, PLAYS) == 52


def test_decisions_and_reviews_have_their_own_retention(engine):
    game_id = keep(engine, sample_records(1))
    with writing(engine) as connection:
        store_review(connection, game_id, 0, "a", {"number": 0})
        connection.execute(update(REVIEWS).values(created_at=None))  # as version 0.1 stored it
        store_review(connection, game_id, 0, "b", {"number": 0})
    assert prune(engine, Retention(reviews=YEAR, decisions=YEAR)) == NOTHING | {"reviews": 1}
    assert (row_count(engine, REVIEWS), row_count(engine, DECISIONS)) == (1, 0)


def test_a_hand_has_few_stored_reviews(engine):
    game_id = keep(engine, sample_records(2), target_score=100)
    with writing(engine) as connection:
        for seed in range(KEPT + 3):
            store_review(connection, game_id, 0, f"seed {seed}", {"number": 0})
            store_review(connection, game_id, 0, f"seed {seed}", {"number": 0})
        store_review(connection, game_id, 1, "seed 0", {"number": 1})
    assert row_count(engine, REVIEWS) == KEPT + 1
    with engine.connect() as connection:
        assert stored_reviews(connection, game_id, f"seed {KEPT + 2}")
        assert 0 not in stored_reviews(connection, game_id, "seed 0")


def test_the_worker_prunes(engine, monkeypatch):
    left = age(engine, table_in_play(engine))
    monkeypatch.delenv("HEARTS_RETAIN_OPEN_TABLES_DAYS", raising=False)
    maintenance.prune(engine, {})
    assert status(engine, left) == ABANDONED


def test_prune_on_the_command_line(engine, migrated_url, tmp_path):
    age(engine, keep(engine, sample_records(1)))
    here = {"HEARTS_DATABASE_URL": engine.url.render_as_string(hide_password=False)}
    settings = here | {"HEARTS_RETAIN_GAMES_DAYS": "30"}
    told = hearts("database", "prune", "--dry-run", "--json", cwd=tmp_path, **settings)
    assert json.loads(told.stdout) == {"dry_run": True} | NOTHING | {"games": 1}
    assert hearts("database", "prune", cwd=tmp_path, **here).stdout.split()[0] == "0"
    told = hearts("database", "prune", cwd=tmp_path, **settings)
    assert "        1  posted games and finished tables\n" in told.stdout
    assert row_count(engine, GAMES) == 0
