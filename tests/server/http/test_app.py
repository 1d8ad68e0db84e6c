"""The application without gunicorn: errors, readiness and the OpenAPI document."""

import re
import threading

import pytest

from hearts.engine.beliefs import belief_names, load_belief
from hearts.engine.levels import DEFAULT
from server.http.app import create_app
from server.http.services import services
from server.runtime.settings import Settings
from server.runtime.warmup import WarmUp, ask_belief
from server.storage.database import status, upgrade


@pytest.fixture
def app(tmp_path):
    made = create_app(Settings(database_url=f"sqlite:///{tmp_path / 'hearts.db'}"))
    yield made
    services(made).engine.dispose()


def envelope(answer):
    assert answer.is_json
    assert answer.json["status"] == "error"
    return answer.status_code, answer.json["error_code"]


def test_a_wrong_path_and_a_wrong_method_are_http_errors(app):
    client = app.test_client()
    assert envelope(client.get("/nowhere")) == (404, "HTTP_ERROR")
    refused = client.post("/api/health")
    assert envelope(refused) == (405, "HTTP_ERROR")
    assert "GET" in refused.headers["Allow"]


def test_a_crash_tells_the_client_nothing_about_itself(app):
    app.add_url_rule("/crash", view_func=lambda: 1 / 0)
    answer = app.test_client().get("/crash")
    assert envelope(answer) == (500, "INTERNAL_ERROR")
    assert "division" not in answer.text
    assert "Traceback" not in answer.text


def test_readiness_gives_each_reason_and_then_says_yes(app):
    client = app.test_client()
    answer = client.get("/readyz")
    assert envelope(answer) == (503, "NOT_READY")
    assert answer.json["reasons"] == [
        "warm-up has not begun",
        f"the database is at revision base, this version needs {status(services(app).engine).head}",
    ]
    services(app).warm_up.run()
    upgrade(services(app).engine)
    assert client.get("/readyz").json == {"status": "ready"}


def test_a_database_that_is_gone_makes_it_degraded(app, tmp_path):
    (tmp_path / "hearts.db").mkdir()
    assert app.test_client().get("/readyz").json["reasons"] == ["warm-up has not begun"]
    services(app).warm_up.run()
    answer = app.test_client().get("/readyz")
    reasons = ["the database does not answer (OperationalError)"]
    assert (answer.status_code, answer.json) == (200, {"status": "degraded", "reasons": reasons})


def test_a_database_that_takes_too_long_makes_it_degraded(app, monkeypatch):
    services(app).warm_up.problem = None
    go_on = threading.Event()
    monkeypatch.setattr("server.storage.database._revision", lambda _: go_on.wait(20))
    monkeypatch.setattr("server.storage.database.PROBE_SECONDS", 0.1)
    client = app.test_client()
    for _ in range(2):  # also who asks again while the first question is open
        reasons = client.get("/readyz").json["reasons"]
        assert reasons == ["the database does not answer (not within 0.1 s)"]
    go_on.set()


def test_a_warm_up_that_fails_leaves_it_unready():
    warm_up = WarmUp({"divide": lambda: 1 / 0})
    warm_up.run()
    assert warm_up.problem == "warm-up failed, see the log"


def test_only_the_default_model_must_answer(monkeypatch):
    def load(name):
        if name in broken:
            raise ValueError(name)
        return load_belief(name)

    monkeypatch.setattr("server.runtime.warmup.load_belief", load)
    broken = {name for name in belief_names() if name != DEFAULT.belief}
    for name in belief_names():
        ask_belief(name)
    broken = {DEFAULT.belief}
    with pytest.raises(ValueError, match=DEFAULT.belief):
        ask_belief(DEFAULT.belief)


def test_the_openapi_document_describes_every_path_and_the_envelope(app):
    document = app.test_client().get("/openapi.json").json
    assert document["openapi"] == "3.1.0"
    # the document itself and the pages for people are not in it
    rules = {
        re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(rule))
        for rule in app.url_map.iter_rules()
        if not rule.endpoint.startswith(("api-docs.", "docs.", "pages."))
    }
    assert set(document["paths"]) == rules
    assert set(document["components"]["schemas"]["ErrorReply"]["properties"]) == {
        "status",
        "error_code",
        "message",
    }
