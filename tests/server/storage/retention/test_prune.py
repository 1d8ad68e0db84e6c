"""Retention: what is deleted, what is abandoned, and what stays, on both databases."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import pytest
from sqlalchemy import Engine, Table, delete, event, func, select, update

from server.jobs import maintenance
from server.runtime.settings import Settings
from server.storage import decisions
from server.storage.cluster import instances
from server.storage.cluster.leases import mark_watched, take_orphans
from server.storage.games import append, create_game, game, player_ids, table_ids, writing
from server.storage.idempotency import ScopedKey, game_of_key, remember_key
from server.storage.jobs.queue import add_job
from server.storage.jobs.values import BACKGROUND, NewJob
from server.storage.retention import prune as module
from server.storage.retention.prune import Retention, prune
from server.storage.reviews import KEPT, store_review, stored_reviews
from server.storage.schema import (
    DECISIONS,
    EVENTS,
    GAMES,
    IDEMPOTENCY_KEYS,
    JOBS,
    METADATA,
    PLAYERS,
    PLAYS,
    REVIEWS,
)
from server.storage.values import ABANDONED, OPEN, Player, Seat
from tests.server.service import hearts
from tests.server.storage.played import a_game, events_of, keep, sample_records

OLD = datetime.now(UTC) - timedelta(days=1000)
YEAR = timedelta(days=365)
DEFAULTS = Retention.of(Settings())
NOTHING = dict.fromkeys(module.KINDS, 0)


def age(engine: Engine, game_id: str, **more: Any) -> str:
    """Make a game old."""
    with writing(engine) as connection:
        here = update(GAMES).where(GAMES.c.id == game_id)
        connection.execute(here.values(created_at=OLD, updated_at=OLD, **more))
    return game_id


def table_in_play(engine: Engine, **columns: Any) -> str:
    """A table whose first hand has begun."""
    (record,) = sample_records(1)
    new = a_game(record.deal.rules, kind="table", target_score=100)
    with writing(engine) as connection:
        create_game(connection, new)
        for number, event in enumerate(list(events_of(record))[:9]):
            append(connection, new.id, number, event)
        if columns:
            connection.execute(update(GAMES).where(GAMES.c.id == new.id).values(columns))
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
        mark_watched(connection, left)
    assert status(engine, left) == OPEN


def test_a_table_of_bots_that_ran_at_a_crash_is_abandoned(engine):
    """It still wants a driver, but nobody watches, so that it gets none."""
    left = age(engine, table_in_play(engine), watched_at=OLD, engine_to_move=True, driver="dead")
    assert prune(engine, DEFAULTS) == NOTHING | {"open_tables": 1}
    with engine.connect() as connection:
        row = connection.execute(select(GAMES).where(GAMES.c.id == left)).one()
    assert (row.status, row.engine_to_move, row.driver) == (ABANDONED, False, None)
    with writing(engine) as connection:
        mark_watched(connection, left)
    assert status(engine, left) == OPEN


def test_a_table_of_bots_that_ran_at_a_crash_pauses_within_an_hour(engine):
    """Every instance looks for tables that want a driver twice a second."""
    recently = datetime.now(UTC) - timedelta(seconds=2 * maintenance.UNWATCHED)
    lost = table_in_play(engine, watched_at=recently, driver="dead")
    driven = table_in_play(engine, watched_at=recently, driver="alive")
    watched = table_in_play(engine, watched_at=datetime.now(UTC), driver="dead")
    of_people = table_in_play(engine, driver="dead")
    with writing(engine) as connection:
        connection.execute(update(GAMES).values(engine_to_move=True))
        instances.beat(connection, "alive")
    maintenance.prune(engine, {})
    with engine.connect() as connection:
        found = dict(connection.execute(select(GAMES.c.id, GAMES.c.engine_to_move)).all())
        assert found == {lost: False, driven: True, watched: True, of_people: True}
    with writing(engine) as connection:
        taken = take_orphans(connection, "alive", maintenance.UNWATCHED)
    assert {each.table_id for each in taken} == {watched, of_people}


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
    assert prune(engine, Retention(games=YEAR)) == NOTHING | {"games": 1, "players": 4}
    assert status(engine, with_result) is None


def test_games_stay_for_ever_unless_a_setting_says_otherwise(engine):
    finished = [age(engine, keep(engine, [record])) for record in sample_records(3)]
    new = keep(engine, sample_records(1))
    assert prune(engine, DEFAULTS) == NOTHING
    assert prune(engine, Retention(games=YEAR)) == NOTHING | {"games": 3}  # the players still play
    assert [status(engine, each) for each in finished] == [None] * 3
    assert status(engine, new) is not None
    assert row_count(engine, PLAYS) == 52


def test_decisions_and_reviews_have_their_own_retention(engine, decided):
    game_id = keep(engine, sample_records(1))
    with writing(engine) as connection:
        made = [decisions.entry_of(decision, game_id, 0) for _, decision in decided[:3]]
        decisions.write(connection, made)
        newest = connection.scalar(select(func.max(DECISIONS.c.id)))
        old = update(DECISIONS).where(DECISIONS.c.id < newest)
        connection.execute(old.values(created_at=OLD))
        store_review(connection, game_id, 0, "a", {"number": 0})
        connection.execute(update(REVIEWS).values(created_at=None))  # as version 0.1 stored it
        store_review(connection, game_id, 0, "b", {"number": 0})
    pruned = prune(engine, Retention(reviews=YEAR, decisions=YEAR))
    assert pruned == NOTHING | {"reviews": 1, "decisions": 2}
    assert (row_count(engine, REVIEWS), row_count(engine, DECISIONS)) == (1, 1)


def test_players_go_with_their_last_game(engine):
    for _ in range(2):
        age(engine, keep(engine, sample_records(1)))
    stays = keep(engine, sample_records(1), seats=(Seat(Player("client", "ann")),) * 4)
    assert prune(engine, Retention(games=YEAR)) == NOTHING | {"games": 2, "players": 3}
    assert status(engine, stays) is not None
    assert row_count(engine, PLAYERS) == 1


@pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)
def test_a_player_who_is_about_to_play_stays(engine):
    """Retention neither waits for a game that is being created, nor takes its players."""
    with writing(engine) as connection:
        create_game(connection, a_game(sample_records(1)[0].deal.rules))
        connection.execute(delete(GAMES))
    new = a_game(sample_records(1)[0].deal.rules)
    with writing(engine) as connection:
        player_ids(connection, [seat.player for seat in new.seats])
        assert prune(engine, Retention()) == NOTHING
        create_game(connection, new)
    assert row_count(engine, PLAYERS) == 4


def test_jobs_do_not_need_a_worker_to_be_deleted(engine):
    with writing(engine) as connection:
        for key in ("old", "new"):
            add_job(connection, NewJob("beliefs", key, {}, BACKGROUND))
        old = update(JOBS).where(JOBS.c.key == "old")
        connection.execute(old.values(created_at=OLD))
    assert prune(engine, Retention(), dry_run=True) == NOTHING | {"jobs": 1}
    assert prune(engine, Retention()) == NOTHING | {"jobs": 1}
    assert row_count(engine, JOBS) == 1


def test_nobody_waits_long_for_the_write_lock(engine, monkeypatch):
    """Few games per transaction, nothing is searched in one, and others come in after each."""
    number = 2 * module.GAMES_BATCH + 1
    for record in sample_records(number):
        age(engine, keep(engine, [record]))
    pauses, writes, seconds = [], [], 0.02
    monkeypatch.setattr(module.time, "sleep", pauses.append)

    def note(connection, _cursor, statement, *_):
        if "sqlite_begin" in connection.get_execution_options():
            writes.append(statement.split()[0])

    def take_long(connection):
        if "sqlite_begin" in connection.get_execution_options():
            deadline = monotonic() + seconds
            while monotonic() < deadline:
                pass

    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", take_long)
    assert prune(engine, Retention(games=YEAR))["games"] == number
    assert set(writes) <= {"BEGIN", "DELETE"}
    assert writes.count("DELETE") == len(pauses) == 3 + 1  # of games, and of players
    assert min(pauses) >= seconds


def test_retention_searches_by_index():
    """A deleted game finds the rows that go with it, and old rows are found by age."""
    for table in METADATA.tables.values():
        indexed = {next(iter(key.columns)).name for key in (*table.indexes, table.primary_key)}
        to_games = {key.parent.name for key in table.foreign_keys if key.column is GAMES.c.id}
        assert to_games <= indexed, table.name
    for table in (GAMES, DECISIONS, REVIEWS, IDEMPOTENCY_KEYS):
        assert "created_at" in {next(iter(index.columns)).name for index in table.indexes}


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
    told = hearts("database", "prune", "--dry-run", cwd=tmp_path, **settings)
    assert "        0  open tables to be abandoned\n" in told.stdout
    told = hearts("database", "prune", "--dry-run", "--json", cwd=tmp_path, **settings)
    assert json.loads(told.stdout) == {"dry_run": True} | NOTHING | {"games": 1}
    assert hearts("database", "prune", cwd=tmp_path, **here).stdout.split()[0] == "0"
    told = hearts("database", "prune", cwd=tmp_path, **settings)
    assert "        1  posted games, finished tables, " in told.stdout
    assert row_count(engine, GAMES) == 0
