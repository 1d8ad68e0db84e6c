"""Owners of games on a real service with PostgreSQL: two keys, a restart, a link."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.server.service import Service, hearts, serving
from tests.server.storage.played import sample_records

pytestmark = pytest.mark.thorough


def ask(service: Service, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
    """Status and JSON of an answer."""
    data = None if body is None else json.dumps(body).encode()
    headers |= {"Content-Type": "application/json"}
    request = urllib.request.Request(service.base + path, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_game_stays_its_owners(postgres_url, tmp_path):
    settings = {"HEARTS_DATABASE_URL": postgres_url, "HEARTS_REQUIRE_KEYS": "true"}

    def new_key(name: str) -> dict[str, str]:
        made = hearts("keys", "create", name, cwd=tmp_path, HEARTS_DATABASE_URL=postgres_url)
        return {"X-API-Key": made.stdout.strip()}

    ann, bob = new_key("ann"), new_key("bob")
    first, second = (record.as_object() for record in sample_records(2))
    match = {"records": [first, second | {"plays": second["plays"][:9], "points": None}]}
    with serving(tmp_path, **settings) as service:
        status, made = ask(service, "/api/games", match, **ann)
        assert status == 201
        path = f"/api/games/{made['game_id']}"
    with serving(tmp_path, **settings) as service:
        for suffix in ("", "/export", "/review", "/review?plot=1&hand=1"):
            assert ask(service, path + suffix, **bob)[0] == 404
        event = {"kind": "play", "player": 0, "card": "2C"}
        assert ask(service, f"{path}/events", event, **bob)[0] == 404
        assert ask(service, path)[0] == 401
        assert len(ask(service, path, **ann)[1]["game"]["hands"]) == 2
        link = {"X-Share-Token": ask(service, f"{path}/shares", {}, **ann)[1]["share_token"]}
        assert len(ask(service, path, **link)[1]["game"]["hands"]) == 1
        here = {"cwd": tmp_path, "HEARTS_DATABASE_URL": postgres_url}
        hearts("keys", "revoke", "ann", **here)
        again = new_key("ann")
        assert ask(service, path, **again)[0] == 404
        assert hearts("keys", "adopt", "ann", "--revoked", **here).stdout.startswith("1 games")
        assert ask(service, path, **again)[0] == 200
