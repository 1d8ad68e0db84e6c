"""The health endpoints, asked over HTTP of a real `hearts serve`."""

import json
import signal
import urllib.request

import pytest

from server import version
from tests.server.service import serving


@pytest.fixture
def service(shared_service):
    return shared_service()


@pytest.mark.parametrize("path", ["/api/health", "/healthz"])
def test_health_says_ok_and_the_version(service, path):
    status, body, headers = service.get(path)
    assert (status, body) == (200, {"status": "ok", "version": version()})
    assert headers["Content-Type"] == "application/json"


def test_readiness_is_said_when_the_database_is_at_head(service):
    assert service.get("/readyz")[:2] == (200, {"status": "ready"})


def test_an_unknown_path_answers_with_the_envelope(service):
    status, body, _ = service.get("/nowhere")
    assert status == 404
    assert (body["status"], body["error_code"]) == ("error", "HTTP_ERROR")


def test_a_request_keeps_its_id(service):
    assert service.get("/healthz", **{"X-Request-ID": "abc-1"})[2]["X-Request-ID"] == "abc-1"
    odd = service.get("/healthz", **{"X-Request-ID": "a b{}"})[2]["X-Request-ID"]
    assert odd.isalnum()


def test_pages_of_any_origin_may_call(service):
    request = urllib.request.Request(
        service.base + "/api/health", method="OPTIONS", headers={"Origin": "http://a.example"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_and_the_log_is_json(tmp_path, how):
    with serving(tmp_path) as service:
        assert service.stop(how) == 0
    lines = service.log.read_text().splitlines()
    (said,) = [line for line in lines if not line.startswith("{")]
    assert service.base in said
    events = [json.loads(line) for line in lines if line != said]
    assert any(each["event"] == "request" and each["path"] == "/readyz" for each in events)
    assert (tmp_path / "var" / "hearts.db").exists()


def test_it_serves_from_postgresql(tmp_path, postgres_url):
    with serving(tmp_path, HEARTS_DATABASE_URL=postgres_url) as service:
        assert service.get("/readyz")[0] == 200
    assert not (tmp_path / "var").exists()


def test_modules_of_the_working_directory_are_not_picked_up(tmp_path):
    for name in ("models", "server", "hearts"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('picked up a stranger')")
    with serving(tmp_path) as service:
        assert service.get("/healthz")[0] == 200
