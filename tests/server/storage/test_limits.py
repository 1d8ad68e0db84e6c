"""A database that is full, locked or out of connections."""

from __future__ import annotations

import time
from contextlib import ExitStack

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from server.runtime.errors import Busy, NotReady
from server.storage import api_keys, database
from server.storage.database import make_engine, problem_of
from tests.server.application import application
from tests.server.service import AT_ONCE, wait_until


def limit_pages(connection, _record):
    """Leave a database no room to grow, as a full disk does."""
    connection.execute("PRAGMA max_page_count=1").close()


def test_a_full_disk_is_called_full(tmp_path):
    with application(tmp_path) as app:
        engine = app.extensions["hearts"].engine
        engine.dispose()
        event.listen(engine, "connect", limit_pages)
        client = app.test_client()
        answer = client.post("/api/games", json={})
        while answer.status_code == 201:
            answer = client.post("/api/games", json={})
    assert answer.status_code == 503
    assert answer.json["message"] == "the disk of the database is full"


def test_a_full_disk_of_postgresql_is_called_full(postgres_url):
    engine = make_engine(postgres_url)
    with pytest.raises(OperationalError) as caught, engine.begin() as connection:
        connection.execute(text("DO $$ BEGIN RAISE SQLSTATE '53100'; END $$"))
    engine.dispose()
    assert problem_of(caught.value) == "the disk of the database is full"


def test_a_service_gives_up_on_locks_and_connections(postgres_url, monkeypatch):
    monkeypatch.setattr(database, "LOCK_MILLISECONDS", 50)
    monkeypatch.setattr(database, "POOL_SECONDS", 0.05)
    engine, other = make_engine(postgres_url, bounded=True), make_engine(postgres_url)
    with ExitStack() as stack:
        for _ in range(15):
            connection = stack.enter_context(engine.connect())
        with pytest.raises(PoolTimeout) as caught:
            engine.connect()
        assert problem_of(caught.value) == "all connections to the database are in use"
        with other.begin() as holder:
            holder.execute(text("SELECT pg_advisory_xact_lock(1)"))
            with pytest.raises(OperationalError, match="lock timeout"):
                connection.execute(text("SELECT pg_advisory_xact_lock(1)"))
        connection.rollback()
        assert connection.scalar(text("SHOW statement_timeout")) == "10s"
    for each in (engine, other):
        each.dispose()


def test_a_known_key_does_not_wait_for_a_locked_table(migrated_postgres, monkeypatch):
    engine = make_engine(migrated_postgres, bounded=True)
    ring, key = api_keys.KeyRing(engine), api_keys.create(engine, f"me at {time.time()}")
    monkeypatch.setattr(api_keys, "CACHE_SECONDS", 0.0)
    known = ring.find(key)
    monkeypatch.setattr(api_keys, "LOOKUP_SECONDS", 0.2)
    monkeypatch.setattr(api_keys, "MAX_ASKED", 3)
    with engine.begin() as connection:
        connection.execute(text("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE"))
        begun = time.monotonic()
        assert [ring.find(key) for _ in range(200)] == [known] * 200
        for number in range(2):
            with pytest.raises(NotReady):
                ring.find(f"unknown {number}")
        with pytest.raises(Busy):
            ring.find("one too many")
        assert ring.find(key) == known
        assert time.monotonic() - begun < AT_ONCE
    wait_until(lambda: not ring._asked)
    engine.dispose()
