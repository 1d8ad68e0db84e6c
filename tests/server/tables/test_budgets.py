"""What one client may use at tables, so that something is left for the others."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from server.runtime.caller import Caller
from server.runtime.errors import Busy
from server.runtime.settings import Settings
from server.search.budgets import SearchBudget
from server.tables.creators import Creators
from tests.server.http.access.clients import Client
from tests.server.service import AT_ONCE, Service, serving
from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK

SLOW = {"ai_config": {"time_ms": 1000, "passing": "rule"}}
BOTS = {"seats": [SLOW] * 4, "pace_ms": 0}
STATE = {"player_hand": ["3C", "9C", "8D", "KD", "4S", "QS", "2H", "7H", "9H"]}
MOVE = {"game_state": STATE, "ai_config": {"simulations": 20, "worlds": 2}}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    settings = {"HEARTS_SLOTS": "1", "HEARTS_WATCHERS_PER_CLIENT": "8"}
    with serving(tmp_path_factory.mktemp("budgets"), **settings) as running:
        yield running


def test_64_streams_of_one_client_leave_places_for_others(service):
    greedy, other = Client(service.base, "127.6.0.1"), Client(service.base, "127.6.0.2")
    _, made, _ = greedy.ask("/api/tables", {"public": True})
    path, token = f"/api/tables/{made['table_id']}/events", made["tokens"][0]

    def stream(stack: ExitStack, client: Client, **headers: str) -> int:
        place = urlsplit(service.base)
        given = {"source_address": (client.address, 0), "timeout": 60}
        connection = HTTPConnection(place.hostname or "", place.port, **given)
        stack.callback(connection.close)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        stack.callback(answer.close)
        return answer.status

    with ExitStack() as stack:
        found = [stream(stack, greedy) for _ in range(64)]
        assert found == [200] * 8 + [503] * 56
        assert stream(stack, other) == 200
        assert stream(stack, greedy, **{"X-Seat-Token": token}) == 200  # a seat has its own places


def test_bots_of_one_client_stall_no_move_of_another(service):
    greedy, other = Client(service.base, "127.7.0.1"), Client(service.base, "127.7.0.2")
    long = {"seats": [{"ai_config": {"time_ms": 10_000}}] * 4}
    status, refused, _ = greedy.ask("/api/tables", long)
    assert (status, refused["error_code"]) == (400, "AI_CONFIG_ERROR")
    assert refused["message"].startswith("seats[0].ai_config.time_ms: ")
    assert "1000" in refused["message"]
    for _ in range(3):
        assert greedy.ask("/api/tables", BOTS)[0] == 201
    begun = time.monotonic()
    assert [other.ask("/api/move", MOVE)[0] for _ in range(5)] == [200] * 5
    assert time.monotonic() - begun < AT_ONCE


def test_one_client_plays_a_part_of_all_tables(tmp_path):
    with opened(tmp_path, tables_per_creator=2) as lobby:

        def create(address: str) -> int:
            bots = {"seats": [QUICK] * 4, "pace_ms": 60_000}
            place = {"REMOTE_ADDR": address}
            answer = lobby.client.post("/api/tables", json=bots, environ_base=place)
            return int(answer.status_code)

        assert [create("192.0.2.1") for _ in range(3)] == [201, 201, 503]
        assert create("192.0.2.2") == 201
        assert lobby.client.post("/api/tables", json={}).status_code == 201  # people are no bots


def test_bots_of_a_creator_who_has_spent_the_budget_pause(tmp_path):
    with opened(tmp_path, table_search_percent=1, slots=1) as lobby:
        creators = lobby.services.runner.creators
        creators.budget.spend("127.0.0.1", 100.0)  # of 0.6 s in a minute
        table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=0)
        time.sleep(0.5)
        known = lobby.anybody(table_id).get()["version"]
        assert known <= 2  # one move may have begun already
        creators.budget._debts.clear()
        lobby.services.runner.schedule(table_id)
        assert lobby.anybody(table_id).changed(known)["version"] > known
        assert creators.budget._debts["127.0.0.1"][0] > 0


def test_a_table_of_another_process_counts_for_itself():
    creators = Creators(1, SearchBudget(60))
    creators.add("a", "me")
    assert (creators.of("a"), creators.of("b")) == ("me", "table b")
    with pytest.raises(Busy, match="1 of your tables without people are being played"):
        creators.check("me", ["a", "b"])
    creators.check("you", ["a", "b"])
    creators.learn("c", 7)
    assert creators.of("c") == Caller(7, "you", "192.0.2.1").identity


def test_one_client_on_loopback_never_takes_all_places():
    assert Settings(watchers=40).enforced_watchers == 30
    assert Settings(watchers=40, host="0.0.0.0").enforced_watchers == 8
    assert Settings(watchers=40, trusted_proxies="127.0.0.1").enforced_watchers == 8
    assert Settings(watchers_per_client="3").enforced_watchers == 3
