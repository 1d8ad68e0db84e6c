"""API keys, rate limits, and no public service without keys by mistake."""

from __future__ import annotations

import time
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import OperationalError

from server.http.access.callers import current_caller
from server.http.access.guard import check_exposure
from server.http.routes.docs import VERSION
from server.http.services import services
from server.runtime.caller import Caller
from server.runtime.errors import ApiKeyError, Busy, SettingsError
from server.runtime.settings import PUBLIC_RATE, Settings
from server.storage import api_keys as keys
from server.storage.database import make_engine, upgrade
from server.storage.schema import API_KEYS
from tests.server.application import application
from tests.server.service import hearts

BODY = {"game_state": {"player_hand": ["5H"]}}


@contextmanager
def served(folder, **options):
    """A client of an application with some settings, and its engine."""
    with application(folder, **options) as app:
        yield app.test_client(), services(app).engine


def ask(client, **headers):
    answer = client.post("/api/move", json=BODY, headers=headers)
    return answer.status_code, answer.json.get("error_code")


def test_only_a_hash_of_a_key_is_stored(database_url):
    engine = make_engine(database_url)
    upgrade(engine)
    key = keys.create(engine, "me")
    with engine.connect() as connection:
        (row,) = connection.execute(select(API_KEYS))
    assert key not in str(row)
    assert keys.KeyRing(engine).find(key) == (row.id, "me")
    assert keys.KeyRing(engine).find(key + "x") is None
    with pytest.raises(ApiKeyError, match="there is a key named 'me' already"):
        keys.create(engine, "me")
    keys.revoke(engine, "me")
    assert keys.KeyRing(engine).find(key) is None
    with pytest.raises(ApiKeyError, match="there is no valid key named 'me'"):
        keys.revoke(engine, "me")
    (entry,) = keys.entries(engine)
    assert entry.revoked_at is not None
    engine.dispose()


def test_without_keys_everybody_may_ask(tmp_path):
    with served(tmp_path) as (client, _):
        assert ask(client) == (200, None)


def test_where_keys_are_required_a_valid_one_is(tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "CACHE_SECONDS", 0.0)
    with served(tmp_path, require_keys=True) as (client, engine):
        key = keys.create(engine, "me")
        assert ask(client) == (401, "API_KEY_ERROR")
        assert ask(client, **{"X-API-Key": "hearts_guess"}) == (401, "API_KEY_ERROR")
        assert ask(client, **{"X-API-Key": key}) == (200, None)
        assert ask(client, Authorization=f"Bearer {key}") == (200, None)
        keys.revoke(engine, "me")
        assert ask(client, **{"X-API-Key": key}) == (401, "API_KEY_ERROR")
        refused = client.post("/api/move", json=BODY)
        assert refused.json["message"] == "X-API-Key: missing"
        assert refused.headers["WWW-Authenticate"] == "Bearer"


def test_a_valid_key_is_remembered_for_seconds_only(tmp_path):
    with served(tmp_path, require_keys=True) as (_, engine):
        ring, key = keys.KeyRing(engine), keys.create(engine, "me")
        assert ring.find(key).name == "me"
        keys.revoke(engine, "me")
        assert ring.find(key).name == "me"
        ring._known = {digest: known._replace(until=0.0) for digest, known in ring._known.items()}
        assert ring.find(key) is None


def test_a_flood_of_guesses_does_not_keep_a_revoked_key_valid(tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "CACHE_SECONDS", 0.0)
    monkeypatch.setattr(keys, "REFRESH_SECONDS", 60.0)  # however busy the machine is
    with served(tmp_path, require_keys=True) as (_, engine):
        ring, key = keys.KeyRing(engine), keys.create(engine, "me")
        assert ring.find(key).name == "me"
        ring._asked = {str(n): Future() for n in range(keys.MAX_ASKED)}  # queries that hang
        with pytest.raises(Busy, match="too many API keys are being looked up"):
            ring.find("hearts_guess")
        assert ring.find(key).name == "me"
        keys.revoke(engine, "me")
        assert ring.find(key) is None


def test_without_the_database_a_key_stays_valid_for_a_while_only(tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "CACHE_SECONDS", 0.0)
    with served(tmp_path, require_keys=True) as (_, engine):
        ring, key, now = keys.KeyRing(engine), keys.create(engine, "me"), time.monotonic
        assert ring.find(key).name == "me"
        keys.revoke(engine, "me")

        def hang(digest: str) -> None:
            raise OperationalError("", {}, Exception())

        monkeypatch.setattr(ring, "_stored", hang)
        for later, is_valid in ((60, True), (800, True), (901, False)):
            monkeypatch.setattr(time, "monotonic", lambda later=later: now() + later)
            assert ring.knows(key) == is_valid
            if is_valid:
                assert ring.find(key).name == "me"
        with pytest.raises(OperationalError):
            ring.find(key)


def test_who_was_known_goes_on_while_the_database_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "CACHE_SECONDS", 0.0)
    with served(tmp_path, require_keys=True) as (client, engine):
        mine, yours = keys.create(engine, "me"), keys.create(engine, "you")
        assert ask(client, **{"X-API-Key": mine}) == (200, None)
        engine.dispose()
        for file in tmp_path.glob("hearts.db*"):
            file.unlink()
        (tmp_path / "hearts.db").mkdir()
        assert ask(client, **{"X-API-Key": mine}) == (200, None)
        assert ask(client, **{"X-API-Key": yours}) == (503, "NOT_READY")


def test_probes_and_preflights_need_no_key(tmp_path):
    with served(tmp_path, require_keys=True) as (client, _):
        pages = ("/", "/watch", "/review", "/stats", "/beliefs")
        docs = ("/openapi.json", "/docs", f"/docs/{VERSION}/swagger-ui.css")
        for path in ("/api/health", "/healthz", *docs, *pages):
            assert client.get(path).status_code == 200
        assert client.options("/api/move", headers={"Origin": "http://a"}).status_code == 200
        assert client.get("/metrics").status_code == 401
        assert "security" in client.get("/openapi.json").json


def test_a_rate_holds_for_each_key_and_each_address(tmp_path):
    with served(tmp_path, require_keys=True, rate_limit="3 per minute") as (client, engine):
        mine, yours = keys.create(engine, "me"), keys.create(engine, "you")
        found = [ask(client, **{"X-API-Key": mine})[0] for _ in range(5)]
        assert found == [200, 200, 200, 429, 429]
        assert ask(client, **{"X-API-Key": yours}) == (200, None)
        refused = client.post("/api/move", json=BODY, headers={"X-API-Key": mine})
        assert refused.json["error_code"] == "RATE_LIMITED"
        assert 55 <= int(refused.headers["Retry-After"]) <= 60
        assert refused.headers["Access-Control-Allow-Origin"] == "*"
        assert client.get("/healthz").status_code == 200
    with served(tmp_path, rate_limit="1 per minute") as (client, _):
        assert [ask(client)[0] for _ in range(2)] == [200, 429]


def test_wrong_keys_are_limited_by_address_and_then_cost_no_query(tmp_path):
    with served(tmp_path, require_keys=True, rate_limit="2 per minute") as (client, engine):
        mine = {"X-API-Key": keys.create(engine, "me")}
        assert ask(client, **mine) == (200, None)
        queries: list[str] = []
        event.listen(engine, "before_cursor_execute", lambda *given: queries.append(given[2]))
        found = [ask(client, **{"X-API-Key": f"hearts_guess{i}"})[0] for i in range(5)]
        assert found == [401, 401, 429, 429, 429]
        assert sum("FROM api_keys" in query for query in queries) == 2
        assert ask(client) == (429, "RATE_LIMITED")
        assert ask(client, **mine) == (200, None)  # a known key has a limit of its own


def test_preflights_count_for_nobody(tmp_path):
    with served(tmp_path, rate_limit="1 per minute") as (client, _):
        asked = {"Origin": "http://a", "Access-Control-Request-Method": "POST"}
        for _ in range(3):
            assert client.options("/api/move", headers=asked).status_code == 200
        assert ask(client) == (200, None)


def test_retry_after_is_what_is_left_of_the_window(tmp_path):
    with served(tmp_path, rate_limit="1 per 60 seconds") as (client, _):
        assert ask(client) == (200, None)
        time.sleep(1.1)
        assert 1 <= int(client.post("/api/move", json=BODY).headers["Retry-After"]) <= 59


def test_answers_within_the_rate_have_no_retry_after(tmp_path):
    with served(tmp_path, rate_limit="100 per minute") as (client, _):
        assert "Retry-After" not in client.post("/api/move", json=BODY).headers


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "hearts.example"])
def test_it_is_not_open_on_a_public_address_by_mistake(host):
    settings = Settings(host=host)
    with pytest.raises(SettingsError, match="other machines can call: require keys"):
        check_exposure(settings)
    check_exposure(replace(settings, require_keys=True))
    check_exposure(replace(settings, allow_open=True))
    assert settings.enforced_rate == PUBLIC_RATE


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
def test_on_loopback_it_is_open_and_without_a_rate(host):
    check_exposure(Settings(host=host))
    assert Settings(host=host).enforced_rate is None


def test_serve_refuses_a_public_address(tmp_path):
    result = hearts("serve", "--host", "0.0.0.0", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith("Error: on 0.0.0.0 other machines can call: ")


def test_keys_on_the_command_line(tmp_path):
    key = hearts("keys", "create", "me", cwd=tmp_path).stdout.strip()
    assert key.startswith("hearts_")
    assert hearts("keys", "list", cwd=tmp_path).stdout.startswith("me  created 2")
    assert hearts("keys", "revoke", "me", cwd=tmp_path).stdout == "the key of me is revoked\n"
    assert " revoked 2" in hearts("keys", "list", cwd=tmp_path).stdout
    again = hearts("keys", "revoke", "me", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (1, "Error: there is no valid key named 'me'\n")


def test_every_request_has_a_caller(tmp_path):
    with application(tmp_path, require_keys=True) as app:
        app.add_url_rule("/who", view_func=lambda: vars(current_caller()))
        client, key = app.test_client(), keys.create(services(app).engine, "me")
        found = client.get("/who", headers={"X-API-Key": key}).json
        assert found == {"key_id": 1, "name": "me", "address": "127.0.0.1", "visitor": False}
    with application(tmp_path) as app:
        app.add_url_rule("/who", view_func=lambda: vars(current_caller()))
        found = app.test_client().get("/who", headers={"X-API-Key": key}).json
        assert found == {"key_id": None, "name": None, "address": "127.0.0.1", "visitor": False}


def test_limits_count_per_key_or_address():
    assert Caller(7, "me", "192.0.2.1").identity == Caller(7, "me", "192.0.2.2").identity
    assert Caller(7, "me", "192.0.2.1").identity != Caller(8, "you", "192.0.2.1").identity
    assert Caller(None, None, "192.0.2.1").identity == "192.0.2.1"
