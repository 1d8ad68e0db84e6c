"""Lists, exports and ETags of stored games."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from dataclasses import replace
from typing import Any

import pytest

from server.http.services import services
from server.storage.games import append, writing
from tests.server.api import Api
from tests.server.http.routes.posting import EMPTY, new_game, posted
from tests.server.storage.played import events_of, keep, sample_records


@pytest.fixture
def api(migrated_api: Api) -> Api:
    return migrated_api


def test_a_game_that_has_not_changed_is_not_sent_again(api):
    (record,) = sample_records(1)
    game_id = new_game(api)
    path = f"/api/games/{game_id}"
    first = api.client.get(path)
    seen = {"If-None-Match": first.headers["ETag"]}
    again = api.client.get(path, headers=seen)
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    api.post(f"{path}/events", posted(record)[0])
    changed = api.client.get(path, headers=seen)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != first.headers["ETag"]


def test_a_list_that_has_not_changed_is_not_sent_again(api):
    new_game(api)
    first = api.client.get("/api/games?limit=1")
    seen = {"If-None-Match": first.headers["ETag"]}
    again = api.client.get("/api/games?limit=1", headers=seen)
    assert (again.status_code, again.data) == (304, b"")
    new_game(api)
    assert api.client.get("/api/games?limit=1", headers=seen).status_code == 200


def test_what_a_query_does_not_mean_is_warned_of(api):
    for path in ("/api/games?playr=ann", "/api/stats?playr=ann", "/api/tables?playr=ann"):
        answer = api.client.get(path).json
        assert answer["warnings"] == ["playr: unknown, ignored"], path


def test_lists_have_filters_and_pages(api):
    ids = [new_game(api, EMPTY | {"source": f"s{i % 2}"}) for i in range(7)]
    ids.append(new_game(api, {"record": sample_records(1)[0].as_object()}))

    def listed(**query: Any) -> list[str]:
        found, cursor = [], None
        while True:
            more = {"cursor": cursor} if cursor else {}
            answer = api.client.get("/api/games", query_string=query | more).json
            found += [game["game_id"] for game in answer["games"]]
            cursor = answer["next"]
            if cursor is None:
                return found

    newest_first = ids[::-1]
    assert listed() == listed(limit=3) == listed(limit=8) == listed(limit=1) == newest_first
    assert listed(source="s1", limit=2) == [ids[5], ids[3], ids[1]]
    assert listed(status="finished") == ids[-1:]
    assert listed(player="ann", limit=4) == newest_first[1:]
    assert listed(player="nobody") == []
    assert listed(since="2000-01-01", until="2100-01-01T00:00:00Z") == newest_first
    assert listed(since="2100-01-01") == listed(until="2000-01-01") == []
    game = api.client.get("/api/games?limit=1").json["games"][0]
    assert (game["hand_count"], len(game["totals"]), game["kind"]) == (1, 4, "log")
    places = ('["0001-01-01T00:00:00+14:00","abc"]', '["9999-12-31T23:59:59-14:00","abc"]')
    cursors = [f"cursor={urlsafe_b64encode(place.encode()).decode()}" for place in places]
    deep = f"cursor={urlsafe_b64encode(b'[' * 2900).decode()}"
    others = ("cursor=bm8", "cursor=%C3%A9", "limit=0", "limit=a", "since=now", "status=lost")
    for query in (*cursors, deep, *others):
        answer = api.client.get(f"/api/games?{query}")
        assert (answer.status_code, answer.json["error_code"]) == (400, "PARSE_ERROR"), query
        assert query.partition("=")[0] in answer.json["message"]


def test_exports_of_a_game(api):
    several = sample_records(2)
    game_id = new_game(api, {"records": [each.as_object() for each in several]})
    path = f"/api/games/{game_id}/export"
    records = api.client.get(path)
    assert records.mimetype == "application/x-ndjson"
    assert [json.loads(line) for line in records.text.splitlines()] == [
        each.as_object()
        | {
            "game": game_id,
            "hand": number,
            "players": [{"kind": "client", "name": name} for name in several[0].extra["players"]],
            "target_score": 100,
        }
        for number, each in enumerate(several)
    ]
    table = api.client.get(f"{path}?format=csv")
    assert (table.mimetype, len(table.text.splitlines())) == ("text/csv", 1 + 2 * 52)
    text = api.client.get(f"{path}?format=text").text
    assert text.count("[Game ") == 2
    assert "takes it" in text


def test_a_table_shows_nothing_of_a_hand_that_is_not_over(api):
    one, other = sample_records(2)
    engine = services(api.app).engine
    secret = {"kind": "table", "secret": "s3cret", "target_score": 100}
    game_id = keep(engine, [one], **secret)
    first = list(events_of(other, 1))
    sealed = {"commitment": "c" * 64, "nonce": "n" * 64}
    with writing(engine) as connection:
        version = 57
        for event in (replace(first[0], **sealed), *first[1:8]):
            version = append(connection, game_id, version, event)
    answer = api.client.get(f"/api/games/{game_id}")
    over, running = answer.json["game"]["hands"]
    assert over["record"]["dealt"] == one.as_object()["dealt"]
    assert (running["record"], running["nonce"]) == (None, None)
    assert running["commitment"] == "c" * 64
    assert [play["card"] for play in running["plays"]] == [e.body["card"] for e in first[5:8]]
    assert "s3cret" not in answer.text
    assert "n" * 64 not in answer.text
    for form in ("jsonl", "csv", "text"):
        text = api.client.get(f"/api/games/{game_id}/export?format={form}").text
        assert text == "" or text.count(game_id) == {"jsonl": 2, "csv": 52, "text": 2}[form]
    status, error = api.post(
        f"/api/games/{game_id}/events", {"kind": "play", "player": 0, "card": "2C"}
    )
    assert (status, error["error_code"]) == (409, "CONFLICT")
