"""An analysis as server-sent events, over a real connection."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from hearts.client import HeartsClient, ServiceError
from tests.server.api import SHORT, trick
from tests.server.application import OPERATOR, application
from tests.server.service import Service, serving, wait_until

STATE = {"player_hand": SHORT}
LED = {"player_hand": SHORT, "current_trick": trick(3, "9D")}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("stream"), HEARTS_SLOTS="1", HEARTS_QUEUE="0") as running:
        yield running


@pytest.fixture
def client(service: Service) -> Iterator[HeartsClient]:
    with HeartsClient(service.base, patience=0) as made:
        yield made
    wait_until(lambda: service.searches() == 0)  # there is one slot for all tests


def test_partial_figures_come_while_it_thinks(client):
    states = [STATE | {"played": "AS"}, LED]
    events = list(client.follow(states, time_ms=900, seed=1, threads=1))
    kinds = [kind for kind, _ in events]
    assert kinds[-1] == "done"
    assert kinds.count("decision") == 2
    assert kinds.count("partial") >= 1
    partial = [data for kind, data in events if kind == "partial"]
    simulations = [data["simulations"] for data in partial]
    assert simulations == sorted(simulations)
    assert {move["card"] for move in partial[0]["analysis"]} == set(SHORT) - {"JH"}
    first, second = (data for kind, data in events if kind == "decision")
    assert first["simulations"] >= simulations[-1]
    assert first["cost"] is not None
    assert second["forced"]
    assert events[-1][1]["complete"]


def test_a_stream_says_what_the_plain_answer_says(client):
    config = {"simulations": 500, "seed": 4, "threads": 1}
    events = list(client.follow([STATE], **config))
    body = {"states": [STATE], "ai_config": config}
    plain = client._post("/api/analysis", body)
    assert [data for kind, data in events if kind == "decision"] == plain["decisions"]


def test_hanging_up_ends_the_search(client, service):
    begun = time.monotonic()
    for kind, _ in client.follow([STATE] * 64, time_ms=10_000, threads=1):
        if kind == "partial":
            break
    client.close()
    wait_until(lambda: service.searches() == 0)
    assert time.monotonic() - begun < 15  # of 20, after which any request is over
    assert client.move(STATE, simulations=50).card in SHORT


def test_a_stream_needs_a_slot_too(client, service):
    with HeartsClient(service.base, patience=0) as other:
        for kind, _ in client.follow([STATE], time_ms=5_000, threads=1):
            if kind == "partial":
                with pytest.raises(ServiceError) as caught:
                    list(other.follow([STATE], time_ms=10))
                assert caught.value.code == "BUSY"
                break


def test_the_stream_is_declared_and_errors_come_before_it(api):
    answer = api.send("/api/analysis?stream=1", {"states": [{"player_hand": ["ZZ"]}]})
    assert (answer.status_code, answer.json["error_code"]) == (400, "INVALID_GAME_STATE")
    bad = api.send("/api/analysis?stream=yes", {"states": [STATE]})
    assert (bad.status_code, bad.json["message"]) == (400, "stream: must be 0 or 1")
    good = api.send("/api/analysis?stream=1", {"states": [LED]})
    assert good.content_type == "text/event-stream; charset=utf-8"
    assert json.loads(good.text.rsplit("data: ", 1)[1])["complete"]


def test_a_surrogate_in_a_warning_does_not_break_a_stream(api):
    body = {"states": [LED], "\ud800": 1}
    stream = api.send("/api/analysis?stream=1", body)
    done = json.loads(stream.text.rsplit("data: ", 1)[1])
    assert done["warnings"] == ["\ud800: unknown, ignored"]


def test_a_stream_that_meets_its_deadline_says_so(tmp_path):
    body = {"states": [STATE] * 64, "ai_config": {"time_ms": 300}}
    with application(tmp_path, request_seconds=1) as app:
        stream = app.test_client().post("/api/analysis?stream=1", json=body)
        done = json.loads(stream.text.rsplit("data: ", 1)[1])
        stream.close()
    assert not done["complete"]
    assert done["warnings"] == ["the deadline of 1 s ended the search early"]


def test_a_stream_is_counted_with_the_time_until_its_end(api):
    def total() -> float:
        line = 'hearts_request_seconds_sum{endpoint="/api/analysis"} '
        lines = api.client.get("/metrics", headers=OPERATOR).text.splitlines()
        return sum(float(each.split()[1]) for each in lines if each.startswith(line))

    before = total()
    body = {"states": [STATE], "ai_config": {"time_ms": 700, "threads": 1}}
    stream = api.send("/api/analysis?stream=1", body)
    assert "event: done" in stream.text
    stream.close()
    assert total() - before > 0.7
