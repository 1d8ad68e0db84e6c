"""Two instances on one database: who plays for the bots, and who hears of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import event, func, select, text, update

from hearts.game.cards import count
from hearts.game.deal import Deal
from server.storage.cluster.instances import DEAD_SECONDS
from server.storage.decisions import decisions
from server.storage.schema import GAMES
from server.tables import leases, registry
from tests.hearts.warmup import compile_kernels
from tests.server.service import AT_ONCE, wait_until
from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK, Lobby, Seat, passed

BOTS = {"pace_ms": 5, "target_score": 1000}


@pytest.fixture
def pair(tmp_path, migrated_url) -> Iterator[tuple[Lobby, Lobby]]:
    """Two applications on one database, both looking for tables without a driver."""
    compile_kernels()
    shared = {"database_url": migrated_url, "max_table_time_ms": 10_000}
    with opened(tmp_path / "one", **shared) as one, opened(tmp_path / "two", **shared) as two:
        for each in (one, two):
            each.services.runner.start()
        yield one, two


def searches(lobby: Lobby) -> int:
    """How often the engine has searched for tables here."""
    name = "hearts_search_seconds_count"
    here = {"endpoint": "/api/tables"}
    return int(lobby.services.metrics.registry.get_sample_value(name, here) or 0)


def needed(lobby: Lobby, table_id: str) -> int:
    """How many decisions of a match of bots needed a search: forced cards do not."""
    (hand,) = lobby.services.tables.find(table_id).table.done
    with lobby.services.engine.connect() as connection:
        logged = decisions(connection, game_id=table_id, limit=None)
    assert len({(each.number, each.seat) for each in logged}) == len(logged)
    deal, total = Deal.of(hand.deal.rules, hand.deal.dealt, hand.deal.direction), 0
    for seat, cards in enumerate(hand.deal.passes):
        deal, total = deal.give(seat, cards), total + 1
    for _, card in list(hand.deal.plays)[: len(logged) - total]:  # the rest follows from a claim
        total, deal = total + (count(deal.legal) > 1), deal.play(card)
    return total


def test_bots_that_are_watched_at_two_instances_are_searched_for_once(pair):
    one, _ = pair
    table_id, _ = one.make(QUICK, QUICK, QUICK, QUICK, pace_ms=5, target_score=1)
    with ThreadPoolExecutor(2) as pool:
        views = list(pool.map(lambda each: each.anybody(table_id).until("finished"), pair))
    assert views[0] == views[1]
    wait_until(lambda: len(one.services.leases) == 0)
    for each in pair:
        each.services.decisions.close()  # writes what waits in the spool
    assert [searches(each) for each in pair] == [needed(one, table_id), 0]


def test_an_open_table_shows_its_decisions_at_every_instance(pair):
    one, two = pair
    table_id, _ = one.make(QUICK, QUICK, QUICK, QUICK, open=True, **BOTS)
    for each in pair:
        anybody = each.anybody(table_id)
        wait_until(lambda look=anybody: bool(look.get()["hand"]["thoughts"]))
        thought = anybody.get()["hand"]["thoughts"][-1]
        assert {"player", "card", "cards", "explanation", "analysis"} == thought.keys()
    assert searches(two) == 0


def test_whoever_takes_a_persons_move_plays_for_the_bots(pair):
    one, two = pair
    _, (me, *_) = one.make("human", QUICK, QUICK, QUICK, target_score=1)
    there = Seat(two.app, me.table_id, me.token)
    view = me.until()
    while view["phase"] == "passing" or len(view["hand"]["tricks"]) < 4:
        place = there if len(view["hand"]["tricks"]) % 2 else me
        place.play_on(view)
        other = me if place is there else there
        view = other.until("finished", "hand_over")  # with what the other instance has stored
    assert searches(one) > 0
    assert searches(two) > 0


def hung(lobby: Lobby) -> tuple[threading.Event, threading.Event]:
    """Let the next search of an instance hang, with its heartbeat, until the second event."""
    begun, resume = threading.Event(), threading.Event()
    moves, search = lobby.services.runner.moves, lobby.services.runner.moves.search

    def hanging(*given):
        begun.set()
        assert resume.wait(60)
        moves.search = search
        return search(*given)

    moves.search = hanging
    return begun, resume


def test_a_paused_instance_loses_its_table_and_its_late_move_is_rejected(pair):
    one, two = pair
    one.services.leases._keep = lambda: 0.1  # as if the process were stopped
    begun, resume = hung(one)
    table_id, _ = one.make(QUICK, QUICK, QUICK, QUICK, **BOTS)
    assert begun.wait(60)
    paused = time.monotonic()
    known = two.anybody(table_id).get()["version"]
    taken = two.anybody(table_id).changed(known)["version"]
    assert time.monotonic() - paused > DEAD_SECONDS / 2
    wait_until(lambda: two.services.leases.of(table_id) is not None)
    lease = one.services.leases.of(table_id)
    resume.set()
    wait_until(lambda: one.services.leases.of(table_id) is None)  # its event was rejected
    assert lease.is_over
    assert two.services.leases.of(table_id).fence == lease.fence + 1
    assert two.anybody(table_id).changed(taken)["version"] > taken
    assert searches(one) <= 1


def test_a_search_stops_once_its_lease_is_lost(pair):
    one, _ = pair
    slow = {"ai_config": {"time_ms": 10_000, "passing": "rule"}}
    table_id, _ = one.make(slow, slow, slow, slow, rules=2465, **BOTS)
    here = one.services
    wait_until(lambda: here.leases.of(table_id) is not None and here.slots.running)
    slots = list(here.slots.running)
    with here.engine.begin() as connection:
        taken = {"driver": None, "fence": GAMES.c.fence + 1, "engine_to_move": False}
        connection.execute(update(GAMES).where(GAMES.c.id == table_id).values(taken))
    begun = time.monotonic()
    wait_until(lambda: slots[0] not in here.slots.running)
    assert time.monotonic() - begun < AT_ONCE
    assert here.leases.of(table_id) is None


def test_an_instance_that_stops_hands_its_tables_over_at_once(pair):
    one, two = pair
    tables = [one.make(QUICK, QUICK, QUICK, QUICK, **BOTS)[0] for _ in range(3)]
    wait_until(lambda: len(one.services.leases) == 3)
    one.services.tables.close()
    one.services.runner.close()
    known = {each: two.anybody(each).get()["version"] for each in tables}
    for each in tables:
        assert two.anybody(each).changed(known[each])["version"] > known[each]
    assert len(two.services.leases) == 3


def test_an_instance_that_begins_to_stop_hands_its_tables_over_at_once(pair, monkeypatch):
    """Its requests may take long to end."""
    monkeypatch.setattr(leases, "DEAD_SECONDS", 60.0)
    one, two = pair
    tables = [one.make(QUICK, QUICK, QUICK, QUICK, **BOTS)[0] for _ in range(3)]
    wait_until(lambda: len(one.services.leases) == 3)
    one.services.runner.stop()
    wait_until(lambda: len(two.services.leases) == 3)
    assert len(one.services.leases) == 0
    known = {each: two.anybody(each).get()["version"] for each in tables}
    for each in tables:
        assert two.anybody(each).changed(known[each])["version"] > known[each]
    _, (me, *_) = one.make("human", QUICK, QUICK, QUICK)  # a request that was under way
    there = Seat(two.app, me.table_id, me.token)
    assert there.changed(1)["version"] > 1
    assert len(one.services.leases) == 0


def test_a_heartbeat_wakes_nobody_up_for_another_one(tmp_path):
    with opened(tmp_path) as lobby:
        here, written = lobby.services, []

        def note(connection: object) -> None:
            written.append(connection)

        lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=60_000)
        here.runner.start()
        wait_until(lambda: len(here.leases) == 1 and here.leases._beaten_at > 0)
        event.listen(here.leases.engine, "commit", note)
        time.sleep(2.0)
        event.remove(here.leases.engine, "commit", note)
    assert 1 <= len(written) <= 8  # a heartbeat every half second, and no look at a table


def test_a_move_wakes_those_who_wait_at_another_instance(pair, monkeypatch):
    monkeypatch.setattr(registry, "SYNC_SECONDS", 50.0)  # only a wake-up comes in time
    one, two = pair
    _, seats = one.people()
    passed(seats)
    there = [Seat(two.app, seat.table_id, seat.token) for seat in seats]
    view = there[0].get()
    with ThreadPoolExecutor(1) as pool:
        for number in range(8):
            known, turn = view["version"], view["hand"]["turn"]
            waiting = pool.submit(there[0].get, f"?after={known}&wait=25")
            if number % 2:
                wait_until(lambda: two.services.watchers.taken > 0)
            begun = time.monotonic()
            card = seats[turn].get()["hand"]["legal"][0]
            seats[turn].do("play", card=card, version=known)
            view = waiting.result(60)
            assert view["version"] == known + 1
            assert time.monotonic() - begun < AT_ONCE


def test_a_stream_never_goes_back_behind_its_last_event(pair, monkeypatch):
    monkeypatch.setattr(registry, "SYNC_SECONDS", 50.0)
    one, two = pair
    _, seats = one.people()
    there = Seat(two.app, seats[0].table_id, seats[0].token)
    there.get()
    monkeypatch.setattr(two.services.tables, "heard", lambda *_: None)  # it is late
    version = passed(seats)["version"]
    assert two.services.tables.find(there.table_id).table.version < version
    path = f"/api/tables/{there.table_id}/events"
    stream = there.client.get(path, headers={**there.headers, "Last-Event-ID": str(version)})
    first = next(iter(stream.response))
    stream.close()
    assert first.startswith(b"event: view\nid: %d\n" % version)


def test_a_long_poll_sends_no_empty_notification(tmp_path, postgres_url):
    sent = []

    def note(_: object, __: object, statement: str, given: dict[str, Any], *___: object) -> None:
        if "pg_notify" in statement:
            sent.append(given["p"])

    with opened(tmp_path, database_url=postgres_url) as lobby:
        event.listen(lobby.services.leases.engine, "before_cursor_execute", note)
        _, seats = lobby.people()
        for _ in range(5):
            seats[0].get(f"?after={seats[0].get()['version']}&wait=0.05")
        seats[0].do("pass", cards=seats[0].get()["hand"]["cards"][:3])
        revision = lobby.services.tables.find(seats[0].table_id).table.revision
        wait_until(lambda: any(str(revision) in each for given in sent for each in given))
    assert all(sent)


def test_wake_ups_come_again_after_a_listener_lost_its_connection(
    tmp_path, postgres_url, monkeypatch
):
    monkeypatch.setattr(registry, "SYNC_SECONDS", 50.0)  # only a wake-up comes in time
    shared = {"database_url": postgres_url}
    listeners = text(
        "SELECT pid FROM pg_stat_activity"
        " WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    )
    with opened(tmp_path / "one", **shared) as one, opened(tmp_path / "two", **shared) as two:
        one.services.runner.start()
        two.services.runner.start()
        with one.services.engine.connect() as connection:

            def listening() -> set[int]:
                found = set(connection.scalars(listeners))
                connection.rollback()
                return found

            wait_until(lambda: len(listening()) == 2)
            before = listening()
            for pid in before:
                connection.execute(select(func.pg_terminate_backend(pid)))
            connection.rollback()
            cut = time.monotonic()
            wait_until(lambda: len(listening() - before) == 2)
            assert time.monotonic() - cut < AT_ONCE  # half a second on a machine that is not busy
        _, seats = one.people()
        there = Seat(two.app, seats[0].table_id, seats[0].token)
        with ThreadPoolExecutor(1) as pool:
            version = there.get()["version"]
            waiting = pool.submit(there.get, f"?after={version}&wait=25")
            wait_until(lambda: two.services.watchers.taken > 0)
            begun = time.monotonic()
            seats[1].do("pass", cards=seats[1].get()["hand"]["cards"][:3])
            assert waiting.result(60)["version"] == version + 1
            assert time.monotonic() - begun < AT_ONCE


def test_abandoned_tables_are_not_loaded(pair, monkeypatch):
    one, two = pair
    idle = [one.people()[0] for _ in range(3)]
    monkeypatch.setattr(leases, "UNWATCHED", 0.0)
    alone, _ = one.make(QUICK, QUICK, QUICK, QUICK, **BOTS)
    wait_until(lambda: one.services.leases.of(alone) is None)
    time.sleep(3 * leases.SCAN_SECONDS)
    assert not {*idle, alone} & set(two.services.tables.in_memory())
