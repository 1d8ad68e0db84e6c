"""Requests of pages from other origins, and wrong paths and methods."""

from __future__ import annotations

import pytest

from server import version


@pytest.mark.parametrize("path", ["/api/health", "/healthz"])
def test_health(api, path):
    assert api.client.get(path).json == {"status": "ok", "version": version()}


def test_errors_have_one_shape(api):
    status, answer = api.post("/api/move", {})
    assert status == 400
    assert answer == {
        "status": "error", "error_code": "PARSE_ERROR", "message": "game_state: is missing",
    }  # fmt: skip


@pytest.mark.parametrize(("method", "path", "status"), [
    ("get", "/api/nowhere", 404), ("post", "/nowhere", 404), ("post", "/", 405),
    ("get", "/api/move", 405), ("delete", "/api/move", 405),
    ("post", "/api/health", 405), ("put", "/api/play-one", 405),
])  # fmt: skip
def test_wrong_paths_and_methods(api, method, path, status):
    answer = getattr(api.client, method)(path)
    assert (answer.status_code, answer.json["error_code"]) == (status, "HTTP_ERROR")
    assert answer.json["message"].startswith(f"{path}: ")
    assert (status == 405) == ("Allow" in answer.headers)


def test_a_wrong_method_is_told_the_right_ones(api):
    message = api.client.put("/api/move").json["message"]
    assert message == "/api/move: PUT is not answered here; choose OPTIONS, POST"
    assert api.client.get("/nowhere").json["message"] == "/nowhere: there is no such path"


@pytest.mark.parametrize("path", ["/api/health", "/api/move", "/api/play-one", "/api/pass"])
def test_pages_of_any_origin_may_call(api, path):
    asked = {"Origin": "http://a.example", "Access-Control-Request-Method": "POST",
             "Access-Control-Request-Headers": "content-type"}  # fmt: skip
    answer = api.client.options(path, headers=asked)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "content-type" in answer.headers["Access-Control-Allow-Headers"]


@pytest.mark.parametrize("path", ["/api/move", "/api/health", "/api/nowhere", "/", "*"])
def test_a_plain_options_is_answered_everywhere(api, path):
    answer = api.client.options(path)
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")
    assert answer.headers["Access-Control-Allow-Methods"] == "DELETE, GET, HEAD, OPTIONS, POST"
    assert "Content-Type" in answer.headers["Access-Control-Allow-Headers"]


def test_even_errors_carry_the_cors_headers(api):
    for answer in (api.send("/api/move", b"{"), api.client.get("/nowhere")):
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
