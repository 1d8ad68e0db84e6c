"""The log of decisions: it loses nothing, and never delays a move."""

from __future__ import annotations

import json
import threading
import time

from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from server.http.services import Services
from server.runtime.settings import Settings
from server.storage import decisions as store
from server.storage.database import make_engine
from server.storage.decision_log import log as decision_log
from server.storage.decision_log.log import DecisionLog
from server.storage.decision_log.spool import Spool
from server.storage.games import writing
from tests.server.service import wait_until
from tests.server.storage.played import keep, sample_records, stored_decisions


def test_a_game_that_is_not_there_is_a_warning(engine, log, decided):
    decision = decided[0][1]
    for game_id in ("nothere", "", "a\x00b", "\ud800", "x" * 100):
        (warning,) = log.log(decision, game_id)
        assert warning.startswith("game_id: there is no game")
    assert log.problem is None
    wait_until(lambda: log.spool.size == 0)
    assert stored_decisions(engine) == 0


def test_a_live_table_takes_its_own_decisions_alone_and_each_once(engine, log, decided):
    table_id = keep(engine, sample_records(1), kind="table")
    for _ in range(2):
        log.log_of_table(decided[0][1], table_id, 0, "first")
    wait_until(lambda: stored_decisions(engine) == 1)
    wait_until(lambda: log.spool.size == 0)
    for _ in range(2):
        (warning,) = log.log(decided[0][1], table_id)
        assert warning.endswith("is a live table, which logs its own decisions: "
                                "the decision is not kept")  # fmt: skip
    wait_until(lambda: log.spool.size == 0)
    assert stored_decisions(engine) == 1
    assert not log.spool.rejects.exists()


def test_what_nobody_is_told_of_is_put_aside(engine, log, decided, capfd):
    """As after a restart with another database."""
    entry = store.entry_of(decided[0][1], "elsewhere", 0)
    log.spool.add(entry)
    log.start()
    wait_until(lambda: log.spool.size == 0)
    assert json.loads(log.spool.rejects.read_text()) == entry
    assert stored_decisions(engine) == 0
    said = "".join(capfd.readouterr())
    assert "a decision is not kept" in said
    assert "unknown.jsonl" in said


def test_what_no_database_takes_is_put_aside_and_keeps_nothing_from_being_written(
    engine, log, decided
):
    """As decisions that another version has spooled, and lines that are none."""
    game_id = keep(engine, sample_records(1))
    good = [store.entry_of(decision, game_id, 0) for _, decision in decided[:3]]
    bad = [
        {"uid": "short", "game_id": game_id},
        {"uid": "homeless"},
        {**good[0], "uid": "long", "view_hash": None},
        {**good[0], "uid": "when", "created_at": "soon"},
        {**good[0], "uid": "large", "worlds": 10**30},
        {**good[0], "uid": "odd", "exact": "perhaps"},
    ]
    for entry in (good[0], *bad, good[1]):
        log.spool.add(entry)
    with log.spool.file.open("ab") as stream:
        stream.write(b"5\n[]\n{}\n")
    log.spool.add(good[2] | {"mood": "of a newer version"})
    log.start()
    wait_until(lambda: log.spool.size == 0)
    assert stored_decisions(engine) == 3
    aside = [json.loads(line) for line in log.spool.rejects.read_text().splitlines()]
    assert aside == bad
    assert log.problem is None


def test_every_database_has_a_spool_of_its_own(tmp_path):
    urls = ["sqlite:///a.db", "sqlite:///b.db", "postgresql://u:one@h/a", "postgresql://u:two@h/a"]
    made = [Services.of(Settings(database_url=url, spool=str(tmp_path))) for url in urls]
    one, two, three, four = (each.decisions.spool.folder for each in made)
    assert len({one, two, three}) == 3
    assert three == four  # a password may change
    assert {one.parent, three.parent} == {tmp_path}


def test_a_database_that_is_down_costs_nothing_and_loses_nothing(engine, log, decided, monkeypatch):
    game_id = keep(engine, sample_records(1))
    assert log.log(decided[0][1], game_id) == []
    wait_until(lambda: stored_decisions(engine) == 1)
    monkeypatch.setattr(decision_log, "RETRY", 0.05)
    down = True
    real = store.write

    def write(connection, entries):
        if down:
            raise OperationalError("INSERT", {}, Exception("down"))
        return real(connection, entries)

    monkeypatch.setattr(store, "write", write)
    log.log(decided[1][1], game_id)
    wait_until(lambda: log.problem is not None)
    for _, decision in decided[2:6]:
        begun = time.monotonic()
        (warning,) = log.log(decision, game_id)
        assert time.monotonic() - begun < log.patience
        assert warning == (
            "the database does not answer (OperationalError): "
            "the decision is kept on disk for later"
        )
    assert stored_decisions(engine) == 1
    down = False
    wait_until(lambda: stored_decisions(engine) == 6)
    wait_until(lambda: log.problem is None)
    assert log.spool.size == 0
    assert log.log(decided[6][1], game_id) == []


def test_a_database_that_is_slow_costs_nothing_either(engine, log, decided, monkeypatch):
    game_id = keep(engine, sample_records(1))
    go_on = threading.Event()
    real = store.write
    monkeypatch.setattr(decision_log, "SLOW", 0.05)
    monkeypatch.setattr(log, "patience", 0.1)
    monkeypatch.setattr(store, "write", lambda *both: go_on.wait(120) and real(*both))
    assert log.log(decided[0][1], game_id) == []  # nobody knows yet
    wait_until(lambda: log.problem is not None)
    (warning,) = log.log(decided[1][1], game_id)  # which returns while the database hangs
    assert stored_decisions(engine) == 0
    assert warning == "the database is slow: the decision is kept on disk for later"
    go_on.set()
    wait_until(lambda: stored_decisions(engine) == 2)


def test_what_a_killed_process_left_is_written_by_the_next(engine, log, decided):
    game_id = keep(engine, sample_records(1))
    entries = [store.entry_of(decision, game_id, 0) for _, decision in decided[:5]]
    for entry in entries[:3]:
        log.spool.add(entry)
    left = next(log.spool.folder.glob("decisions.jsonl"))
    left.rename(log.spool.folder / "decisions-0badcafe.jsonl")  # killed while it was emptied
    with writing(engine) as connection:
        store.write(connection, entries[:2])  # of which a part was written
    for entry in entries[3:]:
        log.spool.add(entry)
    with log.spool.file.open("ab") as stream:
        stream.write(b'{"uid": "cut sho')
    log.start()
    wait_until(lambda: log.spool.size == 0)
    assert stored_decisions(engine) == 5


def test_without_a_place_for_the_spool_memory_serves(migrated_url, engine, tmp_path, decided):
    (tmp_path / "file").touch()
    spool = Spool(tmp_path / "file" / "spool", 2**20)
    log = DecisionLog(make_engine(migrated_url, durable=False), spool)
    game_id = keep(engine, sample_records(1))
    (warning,) = log.log(decided[0][1], game_id)
    assert "cannot be written: the decision is kept in memory for now" in warning
    wait_until(lambda: stored_decisions(engine) == 1)
    log.close()


def test_many_threads_may_log_at_once(engine, log, decided):
    game_id = keep(engine, sample_records(1))

    def many() -> None:
        for _, decision in decided[:20]:
            assert log.log(decision, game_id) == []

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_until(lambda: stored_decisions(engine) == 80)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(DISTINCT uid) FROM decisions")) == 80
