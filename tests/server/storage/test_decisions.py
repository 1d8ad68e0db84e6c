"""Decisions that are logged: kept, found, repeated, and never at the cost of a move."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import OperationalError

from hearts.engine.config import SearchConfig, published
from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.engine.passing.choose import choose_pass
from hearts.game.cards import names, parse_cards
from hearts.game.deal import Deal
from hearts.views.view import View
from server.http.services import Services
from server.runtime.settings import Settings
from server.storage import decisions as store
from server.storage.database import make_engine
from server.storage.decision_log import log as decision_log
from server.storage.decision_log.log import DecisionLog
from server.storage.decision_log.spool import Spool
from server.storage.games import create_game, writing
from server.storage.schema import DECISIONS, RESULTS
from tests.server.service import wait_until
from tests.server.storage.played import a_game, keep, play, sample_records

CONFIG = SearchConfig(simulations=60, worlds=4, seed=2**64 - 1)


def moments(n: int = 52) -> list[tuple[Deal, Decision]]:
    """The first plays of a recorded hand: everything, and what was decided by who knew less."""
    (record,) = sample_records(1)
    deal = Deal.of(record.deal.rules, record.deal.dealt, record.deal.direction)
    for seat, cards in enumerate(record.deal.passes):
        deal = deal.give(seat, cards)
    found = []
    for seat, card in list(record.deal.plays)[:n]:
        found.append((deal, decide(View.of(deal, seat), CONFIG)))
        deal = deal.play(card)
    return found


@pytest.fixture(scope="module")
def decided() -> list[tuple[Deal, Decision]]:
    return moments()


@pytest.fixture
def log(migrated_url: str, engine, tmp_path) -> Iterator[DecisionLog]:
    spool = Spool(tmp_path / "spool", 2**20)
    made = DecisionLog(make_engine(migrated_url, durable=False), spool, patience=60)
    yield made
    made.close()


def kept(engine) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(DECISIONS))


def test_a_decision_is_kept_with_all_that_is_needed_to_search_again(engine, log, decided):
    game_id = keep(engine, sample_records(1))
    for _, decision in decided[:8]:
        assert log.log(decision, game_id) == []
    wait_until(lambda: kept(engine) == 8)
    with engine.connect() as connection:
        stored = store.decisions(connection, game_id=game_id)[::-1]
        again = store.decision(connection, stored[3].id)
    assert [row.number for row in stored] == list(range(8))
    assert again == stored[3]
    for row, (_, decision) in zip(stored, decided, strict=False):
        assert (row.view, row.config) == (decision.view, decision.config)
        repeated = decide(row.view, row.config)
        assert store.chosen(repeated) == row.chosen == store.chosen(decision)
        assert store.statistics_of(repeated) == list(row.statistics)
        assert (row.hand, row.seat, row.simulations) == (
            0,
            decision.view.seat,
            decision.simulations,
        )


def test_options_of_another_version_keep_no_decision_from_being_repeated(engine, log, decided):
    """Its spool has the names of version 0.1; its rows may have options that nobody knows here."""
    game_id, decision = keep(engine, sample_records(1)), decided[0][1]
    spooled = store.entry_of(decision, game_id, 0)
    log.spool.add(spooled | {"config": published(spooled["config"])})
    log.start()
    wait_until(lambda: kept(engine) == 1)
    with engine.begin() as connection:
        config = connection.scalar(select(DECISIONS.c.config))
        assert config == vars(decision.config)
        connection.execute(update(DECISIONS).values(config=config | {"luck": 1.0}))
        (row,) = store.decisions(connection)
    assert row.config == decision.config
    repeated = decide(row.view, row.config)
    assert store.chosen(repeated) == row.chosen
    assert store.statistics_of(repeated) == list(row.statistics)


def test_a_pass_is_kept_too(engine, log):
    (record,) = sample_records(1)
    new = a_game(record.deal.rules)
    with writing(engine) as connection:
        create_game(connection, new)
    before = Deal.of(record.deal.rules, record.deal.dealt, record.deal.direction)
    decision = choose_pass(View.of(before, 2), CONFIG)
    assert log.log(decision, new.id) == []
    wait_until(lambda: kept(engine) == 1)
    with engine.connect() as connection:
        (row,) = store.decisions(connection)
    assert (row.kind, row.number, row.seat, row.hand) == ("pass", None, 2, None)
    assert parse_cards(row.chosen) == decision.cards
    assert store.statistics_of(choose_pass(row.view, row.config)) == list(row.statistics)


def test_no_hidden_card_is_in_a_log(decided):
    for deal, decision in decided:
        seat = decision.view.seat
        entry = store.entry_of(decision, "game", 0)
        told = set(re.findall(r"\b(?:10|[2-9JQKA])[CDSH]\b", json.dumps(entry)))
        others = sum(deal.hands[other] for other in range(4) if other != seat)
        given = deal.passes[seat]  # who gave a card knows it
        assert told.isdisjoint(names(others & ~given))
        assert told >= set(names(deal.hands[seat]))


def test_results_count_decisions_whenever_they_are_written(engine, log, decided):
    (record,) = sample_records(1)
    new = a_game(record.deal.rules)
    with writing(engine) as connection:
        create_game(connection, new)
    log.log(decided[0][1], new.id, 0)
    wait_until(lambda: kept(engine) == 1)
    with writing(engine) as connection:
        play(connection, new.id, record)
    for _, decision in decided[1:]:
        log.log(decision, new.id)
    wait_until(lambda: kept(engine) == 52)
    with engine.connect() as connection:
        counted = dict(connection.execute(select(RESULTS.c.seat, RESULTS.c.moves)).all())
        took = connection.scalar(select(func.sum(RESULTS.c.ms)))
    assert counted == dict.fromkeys(range(4), 13)
    assert took == pytest.approx(sum(round(each.seconds * 1000, 3) for _, each in decided))


def test_a_game_that_is_not_there_is_a_warning(engine, log, decided):
    decision = decided[0][1]
    for game_id in ("nothere", "", "a\x00b", "\ud800", "x" * 100):
        (warning,) = log.log(decision, game_id)
        assert warning.startswith("game_id: there is no game")
    assert log.problem is None
    wait_until(lambda: log.spool.size == 0)
    assert kept(engine) == 0


def test_a_live_table_takes_its_own_decisions_alone_and_each_once(engine, log, decided):
    table_id = keep(engine, sample_records(1), kind="table")
    for _ in range(2):
        log.log_of_table(decided[0][1], table_id, 0, "first")
    wait_until(lambda: kept(engine) == 1)
    wait_until(lambda: log.spool.size == 0)
    for _ in range(2):
        (warning,) = log.log(decided[0][1], table_id)
        assert warning.endswith("is a live table, which logs its own decisions: "
                                "the decision is not kept")  # fmt: skip
    wait_until(lambda: log.spool.size == 0)
    assert kept(engine) == 1
    assert not log.spool.rejects.exists()


def test_what_nobody_is_told_of_is_put_aside(engine, log, decided, capfd):
    """As after a restart with another database."""
    entry = store.entry_of(decided[0][1], "elsewhere", 0)
    log.spool.add(entry)
    log.start()
    wait_until(lambda: log.spool.size == 0)
    assert json.loads(log.spool.rejects.read_text()) == entry
    assert kept(engine) == 0
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
    assert kept(engine) == 3
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


def test_a_late_decision_belongs_to_the_hand_that_was_played(engine, decided):
    first, second = sample_records(2)
    new = a_game(first.deal.rules, target_score=1000)
    with writing(engine) as connection:
        create_game(connection, new)
        before = store.entry_of(decided[0][1], new.id, None)
        version = play(connection, new.id, first)
        during = store.entry_of(decided[1][1], new.id, None)
        play(connection, new.id, second, 1, version)
        after = store.entry_of(decided[2][1], new.id, None)
        assert store.write(connection, [before, during, after]) == {}
        hands = connection.scalars(select(DECISIONS.c.hand).order_by(DECISIONS.c.id))
        assert list(hands) == [None, 0, 1]


def test_a_database_that_is_down_costs_nothing_and_loses_nothing(engine, log, decided, monkeypatch):
    game_id = keep(engine, sample_records(1))
    assert log.log(decided[0][1], game_id) == []
    wait_until(lambda: kept(engine) == 1)
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
    assert kept(engine) == 1
    down = False
    wait_until(lambda: kept(engine) == 6)
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
    assert kept(engine) == 0
    assert warning == "the database is slow: the decision is kept on disk for later"
    go_on.set()
    wait_until(lambda: kept(engine) == 2)


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
    assert kept(engine) == 5


def test_the_spool_is_bounded(tmp_path, decided):
    entry = store.entry_of(decided[0][1], "game", 0)
    size = len(json.dumps(entry, separators=(",", ":"))) + 1
    spool = Spool(tmp_path / "spool", 3 * size + size // 2)
    assert [spool.add(entry) for _ in range(5)] == [True, True, True, False, False]
    assert spool.size == 3 * size
    seen: list[store.Entry] = []
    assert spool.empty(seen.extend) == 3
    assert seen == [entry] * 3
    assert spool.add(entry)


def test_a_spool_that_fails_to_hand_over_keeps_everything(tmp_path, decided):
    spool = Spool(tmp_path / "spool", 2**20)
    entries = [store.entry_of(decision, "game", 0) for _, decision in decided[:3]]
    for entry in entries:
        spool.add(entry)

    def fail(_):
        raise OSError("no")

    for _ in range(2):
        with pytest.raises(OSError, match="no"):
            spool.empty(fail)
    spool.add(entries[0])
    seen: list[store.Entry] = []
    spool.empty(seen.extend)
    assert sorted(each["uid"] for each in seen) == sorted(
        each["uid"] for each in [*entries, entries[0]]
    )


def test_without_a_place_for_the_spool_memory_serves(migrated_url, engine, tmp_path, decided):
    (tmp_path / "file").touch()
    spool = Spool(tmp_path / "file" / "spool", 2**20)
    log = DecisionLog(make_engine(migrated_url, durable=False), spool)
    game_id = keep(engine, sample_records(1))
    (warning,) = log.log(decided[0][1], game_id)
    assert "cannot be written: the decision is kept in memory for now" in warning
    wait_until(lambda: kept(engine) == 1)
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
    wait_until(lambda: kept(engine) == 80)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(DISTINCT uid) FROM decisions")) == 80
