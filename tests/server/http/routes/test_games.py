"""Games that clients post: whole records, matches, and bad input."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from hearts.game.records import parse_record
from server.http.services import services
from server.storage.schema import EVENTS, GAMES, HANDS, PLAYS, RESULTS, SEATS
from tests.server.api import Api
from tests.server.application import application
from tests.server.http.routes.posting import EMPTY, new_game, posted, shown
from tests.server.storage.played import sample_records


@pytest.fixture
def api(migrated_api: Api) -> Api:
    return migrated_api


def test_a_whole_record_and_a_whole_match(api):
    several = sample_records(3)
    status, one = api.post("/api/games", {"record": several[0].as_object()})
    assert (status, one["events"]) == (201, 57)
    game = shown(api, one["game_id"])
    assert (game["status"], game["target_score"]) == ("finished", None)
    assert game["hands"][0]["record"] == several[0].as_object()
    assert [each["name"] for each in game["players"]] == several[0].extra["players"]
    status, match = api.post("/api/games", {"records": [each.as_object() for each in several]})
    game = shown(api, match["game_id"])
    assert (game["status"], game["hand_count"], game["target_score"]) == ("open", 3, 100)
    assert game["totals"] == [sum(each) for each in zip(*(r.points for r in several), strict=True)]


def test_a_record_that_stops_early_can_be_continued(api):
    (record,) = sample_records(1)
    half = record.as_object()
    half["plays"] = half["plays"][:20]
    del half["points"]
    game_id = new_game(api, {"record": half})
    path = f"/api/games/{game_id}/events"
    status, answer = api.post(path, {"events": posted(record)[25:]})
    assert (status, answer["events"], answer["finished"]) == (201, 57, True)
    assert shown(api, game_id)["hands"][0]["record"] == record.as_object()


def test_games_that_cannot_be_are_refused(api):
    one, other = (record.as_object() for record in sample_records(2))
    cases = [
        ({"record": one, "records": [one]}, "PARSE_ERROR", "either record or records"),
        ({"record": one | {"plays": one["plays"][1:]}}, "INVALID_GAME_STATE", "record.plays[0]"),
        ({"record": {"id": "x"}}, "INVALID_GAME_STATE", "record.rules: missing"),
        ({"records": [one | {"rules": 2465}, other]}, None, "records[1].rules: differ"),
        ({"records": [one, other], "target_score": 1}, None, "records[0]: the match is over"),
        ({"players": ["a", "b", "c"]}, "PARSE_ERROR", "players: 3 entries"),
        ({"players": ["a", "b", "c", ""]}, None, "players[3].name: is missing"),
        ({"players": ["a", "b", "c", {"name": "d", "kind": "god"}]}, None, "players[3].kind"),
        ({"players": ["a", "b", "c", {"name": 5}]}, None, "players[3].name: must be a text"),
        ({"source": "a\x00b"}, None, "source: has characters"),
        ({"source": "x" * 101}, None, "source: has more than 100"),
        ({"rules": 99999}, None, "rules: 99999"),
        ({"target_score": 0}, None, "target_score: 0"),
        ({"records": []}, "PARSE_ERROR", "records"),
    ]  # fmt: skip
    for body, code, message in cases:
        status, answer = api.post("/api/games", body)
        assert status == 400, body
        assert answer["error_code"] == (code or "INVALID_GAME_STATE"), answer
        assert message in answer["message"]
    assert api.client.get("/api/games").json["games"] == []


@pytest.mark.parametrize("path", ["", "/export", "/events"])
def test_a_game_that_is_not_there(api, path):
    for game_id in ("nothere", "%00", "x" * 50):
        url = f"/api/games/{game_id}{path}"
        answer = api.send(url, {"kind": "deal"}) if path == "/events" else api.client.get(url)
        assert (answer.status_code, answer.json["error_code"]) == (404, "NOT_FOUND")


def test_a_database_that_is_gone_is_said_in_the_envelope(api, monkeypatch):
    def gone(*_, **__):
        from sqlalchemy.exc import OperationalError

        raise OperationalError("SELECT", {}, Exception("gone"))

    monkeypatch.setattr("server.storage.games.game", gone)
    answer = api.client.get("/api/games/abc")
    assert (answer.status_code, answer.json["error_code"]) == (503, "NOT_READY")
    assert answer.headers["Retry-After"] == "1"


def test_pages_may_send_and_read_the_headers(migrated_url, tmp_path):
    origin = "http://a.example"
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "idempotency-key, if-none-match, x-seat-token",
    }
    with application(tmp_path, database_url=migrated_url, cors_origins=origin) as app:
        client = app.test_client()
        allowed = client.options("/api/games", headers=asked).headers
        for header in ("idempotency-key", "if-none-match", "x-seat-token"):
            assert header in allowed["Access-Control-Allow-Headers"].lower()
        shown_to_pages = client.get("/api/games", headers={"Origin": origin}).headers
        assert "ETag" in shown_to_pages["Access-Control-Expose-Headers"]


def test_what_no_answer_could_say_is_not_kept(api):
    body = b'{"players": [{"name": "p", "config": {"x": -1e400}}, "b", "c", "d"]}'
    status, answer = api.post("/api/games", body)
    assert (status, answer["error_code"]) == (400, "PARSE_ERROR")
    assert answer["message"] == "the body has a number that is too large: -1e400"
    assert api.client.get("/api/games").status_code == 200


def test_a_long_match_is_kept_as_its_events_would_be(api):
    several = sample_records(3)
    half = several[2].as_object()
    half["plays"] = half["plays"][:20]
    del half["points"]
    given = [*(record.as_object() for record in several[:2]), half]
    for target, records in ((200, given), (26, given[:1]), (200, given[:2])):
        body = {"target_score": target, "rules": records[0]["rules"], "players": EMPTY["players"]}
        by_events = new_game(api, body)
        happened = [each for record in records for each in posted(parse_record(record))]
        for events in (happened[:57], happened[57:114], happened[114:]):
            if events:
                assert api.post(f"/api/games/{by_events}/events", {"events": events})[0] == 201
        at_once = new_game(api, {**body, "records": records})
        assert rows_of(api, at_once) == rows_of(api, by_events)


def rows_of(api: Api, game_id: str) -> list[list[dict[str, Any]]]:
    """All that is kept of a game, without times and what a record says of itself."""
    own = ("game_id", "id", "played_at", "started_at", "finished_at", "at", "created_at",
           "updated_at", "label", "extra", "source", "body", "first_player")  # fmt: skip
    found = []
    with services(api.app).engine.connect() as connection:
        for table in (GAMES, SEATS, EVENTS, HANDS, PLAYS, RESULTS):
            key = table.c.id if table is GAMES else table.c.game_id
            stored = connection.execute(sa.select(table).where(key == game_id)).mappings()
            kept = [{key: row[key] for key in row if key not in own} for row in stored]
            found.append(sorted(kept, key=str))
    return found


def test_a_long_match_is_written_with_few_statements(api):
    statements: list[str] = []
    engine = services(api.app).engine
    sa.event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    given = [record.as_object() for record in sample_records(20)]
    new_game(api, {"records": given, "target_score": 10_000})
    assert len(statements) < 30  # and not one for each of the 1,140 events
