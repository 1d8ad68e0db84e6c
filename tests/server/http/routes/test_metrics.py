"""What /metrics counts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from server.http.access.guard import check_exposure
from server.http.services import services
from server.runtime.errors import SettingsError
from server.runtime.settings import Settings
from server.storage import api_keys as keys
from tests.server.api import SHORT
from tests.server.application import OPERATOR, application


def read(api) -> str:
    """The metrics, as operators read them."""
    found: str = api.client.get("/metrics", headers=OPERATOR).text
    return found


def test_metrics_count_requests_searches_and_simulations(api):
    def value(line: str) -> float:
        found = [row for row in read(api).splitlines() if row.startswith(line)]
        return float(found[0].split()[-1]) if found else 0.0

    lines = (
        'hearts_requests_total{endpoint="/api/move",method="POST",status="200"}',
        'hearts_request_seconds_count{endpoint="/api/move"}',
        'hearts_search_seconds_count{endpoint="/api/move"}',
        "hearts_simulations_total",
    )
    before = [value(line) for line in lines]
    api.move({"player_hand": SHORT}, simulations=70)
    after = [value(line) for line in lines]
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, 1, 70]
    api.client.get("/a/path/that/a/stranger/made/up")
    assert "stranger" not in read(api)
    for name_ in ("hearts_queue_waiting", "hearts_busy_refusals_total", "hearts_slots"):
        assert f"\n{name_} " in read(api)


def counted(api, endpoint: str, method: str, status: int) -> bool:
    """Whether a request has been counted under these names."""
    labels = f'{{endpoint="{endpoint}",method="{method}",status="{status}"}}'
    return f"hearts_requests_total{labels}" in read(api)


def test_strangers_make_no_metrics_of_their_own(api):
    api.client.open("/api/legal", method="BREW")
    assert counted(api, "/api/legal", "other", 405)
    assert "BREW" not in read(api)
    api.client.put("/api/legal")
    assert counted(api, "/api/legal", "PUT", 405)
    api.client.get("/nowhere")
    assert counted(api, "unknown", "GET", 404)


def test_players_read_no_metrics(tmp_path):
    with application(tmp_path, metrics_token="none") as app:
        refused = app.test_client().get("/metrics")
        assert (refused.status_code, refused.json["error_code"]) == (403, "FORBIDDEN")
    with application(tmp_path, require_keys=True, rate_limit="4 per minute") as app:
        client, key = app.test_client(), keys.create(services(app).engine, "me")
        for headers in ({}, {"X-API-Key": key}, {"Authorization": "Bearer guess"}):
            assert client.get("/metrics", headers=headers).status_code == 401
        assert client.get("/metrics", headers=OPERATOR).status_code == 200
        assert client.get("/metrics", headers=OPERATOR).status_code == 429  # guesses are counted


@pytest.mark.parametrize("origins", ["auto", "*"])
def test_web_pages_read_no_metrics(tmp_path, origins):
    settings = {"metrics_token": "none", "metrics_port": 9001, "cors_origins": origins}
    with application(tmp_path, **settings) as app:
        client, page = app.test_client(), {"Origin": "https://evil.example"}
        read = client.get("/metrics", base_url="http://127.0.0.1:9001", headers=page)
        assert read.status_code == 200
        assert "Access-Control-Allow-Origin" not in read.headers
        # A name that its owner lets point to 127.0.0.1.
        rebound = client.get("/metrics", base_url="http://evil.example:9001")
        assert (rebound.status_code, rebound.json["error_code"]) == (403, "FORBIDDEN")
        assert "hearts_" not in rebound.text


def test_with_a_token_metrics_are_read_by_any_name(tmp_path):
    with application(tmp_path, metrics_port=9001, allowed_hosts="hearts.example") as app:
        read = app.test_client().get("/metrics", base_url="http://hearts-1:9001", headers=OPERATOR)
        assert read.status_code == 200


def test_a_port_for_metrics_has_nothing_else(tmp_path):
    with application(tmp_path, metrics_token="none", metrics_port=9001) as app:
        client, there = app.test_client(), "http://127.0.0.1:9001"
        assert "hearts_requests_total" in client.get("/metrics", base_url=there).text
        for path in ("/api/models", "/", "/docs", "/healthz", "/nowhere"):
            assert client.get(path, base_url=there).status_code == 403
        assert client.get("/metrics").status_code == 403
        assert client.get("/api/models").status_code == 200


@pytest.mark.parametrize(("host", "token"), [("127.0.0.1", "none"), ("0.0.0.0", "x" * 16)])
def test_metrics_are_not_public_by_mistake(host, token):
    check_exposure(Settings(metrics_port=9001, metrics_host=host, metrics_token=token))
    with pytest.raises(
        SettingsError, match=r"on 0\.0\.0\.0 other machines can read metrics: set HEA"
    ):
        check_exposure(Settings(metrics_port=9001, metrics_host="0.0.0.0"))


WORKER = """
import sys
from server.runtime.metrics import Metrics, forget_process
metrics = Metrics()
metrics.gauge("hearts_slots", "Slots", lambda: 2)
metrics.gauge("hearts_spool_bytes", "Bytes", lambda: float(sys.argv[1]), common=True)
metrics.count_request("GET", "/api/models", 200, 0.01)
if len(sys.argv) > 2:
    forget_process(int(sys.argv[2]))
print(metrics.text().decode())
"""


def values(text: str) -> list[str]:
    """Two counts and two gauges of a text of metrics."""
    lines = dict(line.rsplit(" ", 1) for line in text.split("\n") if line and line[0] != "#")
    requests = 'hearts_requests_total{endpoint="/api/models",method="GET",status="200"}'
    seconds = 'hearts_request_seconds_count{endpoint="/api/models"}'
    return [lines[name] for name in (requests, seconds, "hearts_slots", "hearts_spool_bytes")]


def test_workers_count_together(tmp_path):
    def run(*arguments: object) -> tuple[int, str]:
        command = [sys.executable, "-c", WORKER, *map(str, arguments)]
        environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as done:
            text, _ = done.communicate(timeout=60)
            assert done.returncode == 0
            return done.pid, text

    first, alone = run(10)
    _, both = run(5)
    _, after = run(5, first)  # the first has ended
    assert values(alone) == ["1.0", "1.0", "2.0", "10.0"]
    assert values(both) == ["2.0", "2.0", "4.0", "5.0"]
    assert values(after) == ["3.0", "3.0", "4.0", "5.0"]
