"""Pages of other origins, and names that are not the service's."""

from __future__ import annotations

import pytest

from server.http.access.guard import exposure_warning
from server.http.access.hosts import Hosts
from server.http.services import services
from server.runtime.settings import Settings
from server.storage import api_keys as keys
from tests.server.application import application

EVIL = "https://evil.example"
FORCED = {"game_state": {"player_hand": ["5H"]}}
TABLE = b'{"seats": [{}, {}, {}, {}]}'


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with application(tmp_path_factory.mktemp("origins")) as app:
        yield app.test_client()


def create(client, content_type="application/json", **headers):
    """The answer to a request for a table."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post("/api/tables", data=TABLE, content_type=content_type, headers=given)


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded", "text/plain", None]
)
def test_pages_of_other_origins_create_no_tables(client, content_type):
    refused = create(client, content_type, Origin=EVIL)
    assert (refused.status_code, refused.json["error_code"]) == (403, "FORBIDDEN")
    assert refused.json["message"] == (
        "Origin: pages of https://evil.example may use stateless endpoints only: "
        "list their origin in HEARTS_CORS_ORIGINS"
    )
    assert "Access-Control-Allow-Origin" not in refused.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://["},
        {"Origin": "http://localhost:1234"},  # another port is another origin
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site", "Origin": "http://localhost"},
    ],
)
def test_no_page_but_its_own_is_same_origin(client, headers):
    assert create(client, **headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},  # a program
        {"Origin": "http://localhost"},
        {"Sec_Fetch_Site": "same-origin", "Origin": "https://proxy.example"},
    ],
)
def test_programs_and_its_own_pages_create_tables(client, headers):
    assert create(client, **headers).status_code == 201


def test_programs_may_omit_the_type_of_a_body(client):
    assert create(client, None).status_code == 201
    assert create(client, "application/x-www-form-urlencoded").status_code == 201


STORED = ("/api/games", "/api/tables", "/api/stats", "/api/games/x/review", "/api/jobs/x")


@pytest.mark.parametrize("path", STORED)
def test_pages_of_other_origins_do_not_read_what_is_stored(client, path):
    for headers in (
        {"Origin": EVIL},  # an old browser
        {"Origin": EVIL, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},  # such as an image
        {"Origin": "http://localhost:3000", "Sec-Fetch-Site": "same-site"},
    ):
        for ask in (client.get, client.head):
            answer = ask(path, headers=headers)
            assert answer.status_code == 403
            assert "Access-Control-Allow-Origin" not in answer.headers
    preflight = {"Origin": EVIL, "Access-Control-Request-Method": "GET"}
    assert "Access-Control-Allow-Origin" not in client.options(path, headers=preflight).headers


def test_links_from_other_pages_work(client):
    person = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    answer = client.get("/api/games", headers=person)
    assert answer.status_code == 200
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert client.post("/api/games", json={}, headers=person).status_code == 403  # a form


@pytest.mark.parametrize("path", ["/api/models", "/api/ladder", "/healthz", "/openapi.json"])
def test_pages_of_any_origin_may_read_what_is_the_same_for_everybody(client, path):
    answer = client.get(path, headers={"Origin": EVIL, "Sec-Fetch-Site": "cross-site"})
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")


def test_reading_can_be_forbidden(tmp_path):
    with application(tmp_path, cors_origins="none") as app:
        for path in ("/api/games", "/api/models"):
            answer = app.test_client().get(path, headers={"Origin": EVIL})
            assert "Access-Control-Allow-Origin" not in answer.headers


def test_pages_of_any_origin_may_ask_for_moves(client):
    answer = client.post("/api/move", json=FORCED, headers={"Origin": EVIL})
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")
    # but not without a preflight
    for content_type in ("application/x-www-form-urlencoded", "text/plain", None):
        refused = client.post(
            "/api/move", data=b"{}", content_type=content_type, headers={"Origin": EVIL}
        )
        assert refused.json["message"].startswith("Content-Type: ")


def test_listed_origins_may_do_everything(tmp_path):
    listed = "https://a.example,https://b.example"
    with application(tmp_path, cors_origins=listed) as app:
        client = app.test_client()
        answer = create(client, Origin="https://b.example")
        assert answer.status_code == 201
        assert answer.headers["Access-Control-Allow-Origin"] == "https://b.example"
        assert create(client, Origin=EVIL).status_code == 403
        asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "DELETE"}
        preflight = client.options("/api/games/x/shares", headers=asked)
        assert "DELETE" in preflight.headers["Access-Control-Allow-Methods"]
        assert "Access-Control-Allow-Origin" not in client.post(
            "/api/move", json=FORCED, headers={"Origin": EVIL}
        ).headers  # fmt: skip
        assert "Origin" in client.get("/api/games").headers["Vary"]


@pytest.mark.parametrize(
    ("listed", "origin", "may"),
    [
        ("https://a.example", "https://a.example", True),
        ("https://a.example", "https://axexample", False),
        ("https://a.example", "https://a.example.evil.example", False),
        ("https://a.example", "https://evil.example/https://a.example", False),
        ("http://[::1]:3000", "http://[::1]:3000", True),
        ("http://[::1]:3000", "http://1:3000", False),
        ("null", "null", True),
    ],
)
def test_listed_origins_are_compared_as_they_are(tmp_path, listed, origin, may):
    with application(tmp_path, cors_origins=listed) as app:
        answer = app.test_client().get("/api/games", headers={"Origin": origin})
        assert answer.headers.get("Access-Control-Allow-Origin") == (origin if may else None)
        assert answer.status_code == (200 if may else 403)


def test_all_origins_may_be_allowed(tmp_path):
    with application(tmp_path, cors_origins="*") as app:
        assert create(app.test_client(), Origin=EVIL).status_code == 201


def test_with_keys_any_origin_may_call(tmp_path):
    with application(tmp_path, require_keys=True) as app:
        client, key = app.test_client(), keys.create(services(app).engine, "me")
        assert create(client, Origin=EVIL).status_code == 401
        answer = create(client, Origin=EVIL, X_API_Key=key)
        assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (201, "*")


def test_behind_a_proxy_its_own_pages_have_the_name_of_the_proxy(tmp_path):
    with application(tmp_path, trusted_proxies="127.0.0.1", allow_open=True) as app:
        client, page = app.test_client(), {"Origin": "https://hearts.example"}
        assert create(client, X_Forwarded_Host="hearts.example", **page).status_code == 201
        assert create(client, X_Forwarded_Host="other.example", **page).status_code == 403


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost:8080", True),
        ("127.0.0.1:8080", True),
        ("127.9.9.9", True),
        ("[::1]:8080", True),
        ("hearts.localhost", True),
        ("workstation:8080", True),
        ("evil.example:8080", False),
        ("evil.example.:8080", False),
        ("192.168.1.5", False),
        ("127.0.0.1.evil.example", False),
        ("[2001:db8::1]:8080", False),
        ("[", False),
    ],
)
def test_a_service_for_this_machine_has_only_its_names(client, host, allowed):
    assert Hosts(Settings(), is_local=True).allows(host) == allowed
    answer = client.get("/api/models", headers={"Host": host})
    assert answer.status_code == (200 if allowed else 403)
    assert allowed or " is not a name of this service: " in answer.json["message"]


@pytest.mark.parametrize(
    ("given", "is_warned"),
    [
        ({}, False),
        ({"host": "0.0.0.0", "allow_open": True}, True),
        ({"allow_open": True}, True),
        ({"trusted_proxies": "127.0.0.1", "allow_open": True}, True),
        ({"host": "0.0.0.0", "allow_open": True, "allowed_hosts": "hearts.example"}, False),
        ({"host": "0.0.0.0", "require_keys": True}, False),
    ],
)
def test_operators_are_warned_of_names_that_are_not_checked(given, is_warned):
    assert (exposure_warning(Settings(**given)) is not None) == is_warned


def test_names_of_hosts_can_be_listed(tmp_path):
    given = {"allowed_hosts": "hearts.example,.example.org", "host": "0.0.0.0", "allow_open": True}
    with application(tmp_path, **given) as app:
        client = app.test_client()
        for host in ("hearts.example", "hearts.example:8080", "www.example.org", "127.0.0.1"):
            assert client.get("/api/models", headers={"Host": host}).status_code == 200
        for host in ("evil.example", "workstation"):
            assert client.get("/api/models", headers={"Host": host}).status_code == 403
    with application(tmp_path, host="0.0.0.0", allow_open=True) as app:
        answer = app.test_client().get("/api/models", headers={"Host": "hearts.example"})
        assert answer.status_code == 200
