"""The engine at tables: whole matches, pace, restarts, faults, and tables that nobody watches."""

from __future__ import annotations

import threading
import time

from sqlalchemy import select, update

from hearts.engine.config import published
from server.games.events.state_machine import FINISHED
from server.storage.decisions import decisions
from server.storage.games import writing
from server.storage.schema import GAMES
from server.tables import leases, runner
from server.tables.registry import TableRegistry
from server.tables.setup import OWN_PACE_MS
from tests.server.application import OPERATOR
from tests.server.service import AT_ONCE, wait_until
from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK, Lobby


def test_one_person_and_three_bots_play_a_match(lobby):
    table_id, seats = lobby.make("human", QUICK, "easy", QUICK, target_score=20, name="ours")
    assert [seat.token is not None for seat in seats] == [True, False, False, False]
    me = seats[0]
    view = me.until("finished")
    while view["phase"] != "finished":
        if view["hand"]["claimable"]:
            view = me.do("claim")
            assert view["phase"] in ("hand_over", "finished")
            assert view["hand"]["claimed_by"] == 0
        else:
            view = me.play_on(view)
        view = me.until("finished", "hand_over") if view["phase"] != "hand_over" else view
    assert max(view["totals"]) >= 20
    best = min(view["totals"])
    assert view["result"]["winners"] == [s for s in range(4) if view["totals"][s] == best]
    easy = {"seat": 2, "kind": "engine", "name": "easy", "level": "easy", "joined": True}
    assert view["players"][2] == easy
    assert me.refused("next") == (409, "CONFLICT", "the match is over")
    listed = lobby.client.get("/api/tables?status=finished").json["tables"]
    assert table_id in [each["table_id"] for each in listed]
    assert "hand" not in listed[0]


def test_four_bots_play_on_by_themselves_with_their_thoughts_open(lobby):
    table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, target_score=10, open=True, pace_ms=0)
    anybody = lobby.anybody(table_id)
    view, seen = anybody.get(), 0
    while view["phase"] != "finished":
        hand = view["hand"]
        seen += any(thought["explanation"] for thought in hand["thoughts"])
        if view["phase"] == "playing":
            assert [len(cards) for cards in hand["hands"]] == hand["counts"]
        view = anybody.get(f"?after={view['version']}&wait=5")
    assert seen
    assert view["game_state"] is None
    assert lobby.services.tables.find(table_id).table.phase == FINISHED
    decisions = lobby.client.get("/metrics", headers=OPERATOR).text
    assert 'hearts_search_seconds_count{endpoint="/api/tables"}' in decisions


def test_the_pace_of_bots_is_kept(lobby):
    table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, rules=2465, pace_ms=60)
    anybody, begun = lobby.anybody(table_id), time.monotonic()
    view = anybody.get()
    while view["version"] < 9:
        view = anybody.get(f"?after={view['version']}&wait=5")
    assert time.monotonic() - begun > 0.06 * 7
    other = lobby.make("easy", "easy", "easy", "easy")[0]
    assert lobby.anybody(other).get()["pace_ms"] == OWN_PACE_MS


def played_by_bots(lobby: Lobby, table_id: str) -> list[dict]:
    view = lobby.anybody(table_id).get()
    while view["phase"] != "finished":
        view = lobby.anybody(table_id).get(f"?after={view['version']}&wait=5")
    return [{key: hand["record"][key] for key in ("dealt", "passed", "plays")}
            for hand in view["hands"]]  # fmt: skip


def test_a_service_that_was_stopped_goes_on_as_it_would_have(tmp_path):
    setup = {"target_score": 5, "seed": 11, "pace_ms": 0}
    with opened(tmp_path) as lobby:
        straight, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, **setup)
        expected = played_by_bots(lobby, straight)
    stopped = None
    for _ in range(60):
        with opened(tmp_path) as lobby:
            if stopped is None:
                stopped, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, **setup)
            else:
                lobby.services.runner.start()
            anybody = lobby.anybody(stopped)
            view, begun = anybody.get(), anybody.get()["version"]
            while view["phase"] != "finished" and view["version"] < begun + 9:
                view = anybody.get(f"?after={view['version']}&wait=5")
            if view["phase"] == "finished":
                break
    with opened(tmp_path) as lobby:
        lobby.services.runner.start()
        assert played_by_bots(lobby, stopped) == expected
        assert lobby.anybody(stopped).get()["seeded"] is True


def test_a_table_of_another_version_goes_on_as_it_would_have(tmp_path):
    """Its seats search by the options that are known; those of version 0.1 have other names."""
    patient = {"request_seconds": 600}  # no deadline ends a search, however busy the machine is
    setup = {"target_score": 1, "seed": 12, "pace_ms": 0}
    bots = [QUICK | {"ai_config": QUICK["ai_config"] | {"algorithm": "rollouts", "counsel": 20}}]
    with opened(tmp_path, **patient) as lobby:
        straight, _ = lobby.make(*bots * 4, **setup)
        expected = played_by_bots(lobby, straight)
        other, _ = lobby.make(*bots * 4, **setup | {"pace_ms": 60_000})
        with writing(lobby.services.engine) as connection:
            here = GAMES.c.id == other
            stored = connection.scalar(select(GAMES.c.setup).where(here))
            seats = [
                seat | {"config": published(seat["config"]) | {"luck": 1.0}}
                for seat in stored["seats"]
            ]
            later = stored | {"seats": seats, "pace_ms": 0}
            connection.execute(update(GAMES).where(here).values(setup=later))
    with opened(tmp_path, **patient) as lobby:
        lobby.services.runner.start()
        assert played_by_bots(lobby, other) == expected


def test_whoever_looks_at_a_table_makes_it_go_on(tmp_path):
    """Also where the service could not do so when it started."""
    with opened(tmp_path) as lobby:
        table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=1, target_score=1000)
    with opened(tmp_path) as lobby:
        known = lobby.anybody(table_id).get()["version"]
        assert lobby.anybody(table_id).changed(known)["version"] > known


def test_a_table_that_cannot_be_read_keeps_no_other_from_going_on(tmp_path, capfd):
    with opened(tmp_path) as lobby:
        made = [lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=1)[0] for _ in range(2)]
        with writing(lobby.services.engine) as connection:
            spoilt = update(GAMES).where(GAMES.c.id == made[0])
            connection.execute(spoilt.values(setup={"seats": 5}))
    with opened(tmp_path) as lobby:
        lobby.services.runner.start()
        table = lobby.services.tables.find(made[1])
        assert lobby.services.watchers.wait(table, table.table.version, 10).version > 1
    assert "a table cannot be served" in "".join(capfd.readouterr())


def logged(lobby: Lobby, table_id: str) -> int:
    with lobby.services.engine.connect() as connection:
        return len(decisions(connection, game_id=table_id))


def test_a_database_that_is_away_for_a_while_costs_bots_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "RETRY", 0.05)
    with opened(tmp_path) as lobby:
        away, tried, write = threading.Event(), [], TableRegistry._store
        away.set()

        def failing(self, *given):
            if away.is_set():
                tried.append(given)
                raise OSError("no database")
            return write(self, *given)

        monkeypatch.setattr(TableRegistry, "_store", failing)
        table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=0)
        wait_until(lambda: len(tried) > 3)
        wait_until(lambda: logged(lobby, table_id) == 1)  # tried again and again, logged once
        assert lobby.anybody(table_id).get()["version"] == 1
        away.clear()
        assert lobby.anybody(table_id).changed(1)["version"] > 1


def test_bots_wait_for_a_slot_and_are_never_refused(tmp_path):
    with opened(tmp_path, slots=1, queue=0) as lobby:
        with lobby.services.slots.taken():
            table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=0)
            assert lobby.anybody(table_id).get("?after=1&wait=0.3")["version"] == 1
            assert lobby.services.slots.waiting == 0  # bots are not in the requests' way
        assert lobby.anybody(table_id).changed(1)["version"] > 1


def test_bots_that_search_for_long_keep_no_request_waiting(tmp_path):
    state = {"player_hand": ["3C", "9C", "8D", "KD", "4S", "QS", "2H", "7H", "9H"]}
    with opened(tmp_path, slots=1, max_table_time_ms=10_000) as lobby:
        slow = {"ai_config": {"time_ms": 10_000, "passing": "rule"}}
        for _ in range(3):
            lobby.make(slow, slow, slow, slow, pace_ms=0)
        wait_until(lambda: any(slot.in_background for slot in lobby.services.slots.running))
        begun = time.monotonic()
        for _ in range(3):
            lobby.post("/api/move", {"game_state": state, "ai_config": {"simulations": 20}})
        assert time.monotonic() - begun < AT_ONCE
        for slot in lobby.services.slots.running:
            slot.stop[0] = 1


def test_too_many_tables_that_play_by_themselves_are_refused_and_never_people(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(runner, "MAX_TABLES", 2)
    bots = {"seats": [QUICK] * 4, "pace_ms": 60_000}
    with opened(tmp_path) as lobby:
        for _ in range(2):
            assert lobby.client.post("/api/tables", json=bots).status_code == 201
        answer = lobby.client.post("/api/tables", json=bots)
        assert (answer.status_code, answer.json["error_code"]) == (503, "BUSY")
        assert answer.headers["Retry-After"] == "5"
        assert lobby.client.post("/api/tables", json={}).status_code == 201


def test_bots_that_nobody_looks_at_stop_until_somebody_does(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "MAX_TABLES", 1)
    monkeypatch.setattr(leases, "UNWATCHED", 0.2)
    monkeypatch.setattr(runner, "MARK", 0.05)
    bots = {"pace_ms": 20, "target_score": 1000}
    with opened(tmp_path) as lobby:
        table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, **bots)
        wait_until(lambda: lobby.services.leases.of(table_id) is None)  # it is left alone
        known = lobby.services.tables.find(table_id).table.version
        assert known > 1
        watched, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, **bots)  # there is room again
        assert lobby.services.tables.find(table_id).table.version == known
        assert lobby.anybody(table_id).changed(known)["version"] > known
        with lobby.client.get(f"/api/tables/{watched}/events") as stream:
            begun = time.monotonic()
            for line in stream.iter_encoded():
                assert b"nothing new" not in line
                if b"id: " in line and time.monotonic() - begun > 5 * leases.UNWATCHED:
                    break  # a stream is a look that lasts
