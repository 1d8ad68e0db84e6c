"""Games logged over HTTP, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest
import sqlalchemy as sa

from hearts.game.cards import name, names
from hearts.game.records import Record, parse_record
from server.http.services import services
from server.storage.games import append, writing
from server.storage.schema import EVENTS, GAMES, HANDS, PLAYS, RESULTS, SEATS
from tests.server.api import Api
from tests.server.application import application
from tests.server.storage.played import events_of, keep, sample_records

EMPTY = {"source": "bots", "players": ["ann", "bob", "cid", "dora"], "rules": 4001}


@pytest.fixture
def api(migrated_url: str, tmp_path) -> Iterator[Api]:
    with application(tmp_path, database_url=migrated_url) as app:
        yield Api(app)


def posted(record: Record) -> list[dict[str, Any]]:
    """The events of a hand as a client posts them."""
    deal = record.deal
    dealt = [names(cards) for cards in deal.dealt]
    happened = [{"kind": "deal", "dealt": dealt, "pass_direction": deal.direction.label}]
    happened += [
        {"kind": "pass", "player": seat, "cards": names(cards)}
        for seat, cards in enumerate(deal.passes)
        if cards
    ]
    return happened + [
        {"kind": "play", "player": seat, "card": name(card)} for seat, card in deal.plays
    ]


def new_game(api: Api, body: object = EMPTY, **headers: str) -> str:
    answer = api.send("/api/games", body, **headers)
    assert answer.status_code == 201, answer.text
    assert answer.headers["Location"] == f"/api/games/{answer.json['game_id']}"
    return answer.json["game_id"]


def shown(api: Api, game_id: str) -> dict[str, Any]:
    answer = api.client.get(f"/api/games/{game_id}")
    assert answer.status_code == 200, answer.text
    return answer.json["game"]


def test_a_game_that_is_filled_event_by_event(api):
    (record,) = sample_records(1)
    game_id = new_game(api)
    for number, event in enumerate(posted(record)):
        status, answer = api.post(f"/api/games/{game_id}/events", {"number": number, **event})
        assert (status, answer["events"], answer["finished"]) == (201, number + 1, False)
        assert answer["warnings"] == []
    game = shown(api, game_id)
    (hand,) = game["hands"]
    assert parse_record(hand["record"]).deal == record.deal
    assert tuple(hand["points"]) == record.points
    times = [hand["started_at"], *(play["at"] for play in hand["plays"]), hand["finished_at"]]
    assert times == sorted(times)
    assert times[-2] == times[-1]  # the last card ends the hand
    assert [each["name"] for each in game["players"]] == EMPTY["players"]
    assert (game["status"], game["source"], game["totals"]) == ("open", "bots", hand["points"])


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


def test_events_that_come_again_change_nothing(api):
    (record,) = sample_records(1)
    happened = posted(record)
    game_id = new_game(api)
    path = f"/api/games/{game_id}/events"
    assert api.post(path, {"number": 0, "events": happened[:10]})[0] == 201
    for body in ({"number": 0, "events": happened[:10]}, {"number": 7, **happened[7]}):
        status, answer = api.post(path, body)
        assert (status, answer["events"]) == (200, 10)
    # what is new of a list that overlaps is kept
    status, answer = api.post(path, {"number": 8, "events": happened[8:12]})
    assert (status, answer["events"]) == (201, 12)
    # the same card under another name is the same card
    card = happened[5]["card"].lower().replace("10", "t")
    assert api.post(path, {"number": 5, **happened[5], "card": card})[0] == 200


def test_a_key_stands_for_one_request(api):
    (record,) = sample_records(1)
    happened = posted(record)
    game_id, other = new_game(api), new_game(api)
    path = f"/api/games/{game_id}/events"
    api.post(path, {"events": happened[:3]})
    for key, body in (
        ("one", happened[3]),
        ("several", {"events": happened[4:6]}),
        ("old", {"number": 0, **happened[0]}),  # which was kept before, without a key
    ):
        assert api.post(path, body, **{"Idempotency-Key": key})[0] == (200 if key == "old" else 201)
        status, answer = api.post(path, body, **{"Idempotency-Key": key})
        assert (status, answer["events"]) == (200, shown(api, game_id)["events"])
    before = shown(api, game_id)
    for key, body in (
        ("one", happened[6]),
        ("one", {"number": 3, **happened[3]}),
        ("several", {"events": happened[4:7]}),
        ("several", happened[4]),
        ("old", happened[6]),
    ):
        status, answer = api.post(path, body, **{"Idempotency-Key": key})
        assert (status, answer["error_code"]) == (409, "CONFLICT")
        assert answer["message"] == "Idempotency-Key: was sent with another body"
    assert shown(api, game_id) == before
    # what is sent to another game, or makes one, is another thing
    keyed = {"Idempotency-Key": "one"}
    assert api.post(f"/api/games/{other}/events", happened[0], **keyed)[0] == 201
    assert api.post("/api/games", EMPTY, **keyed)[0] == 201


def test_events_for_another_version_of_the_game_are_refused(api):
    (record,) = sample_records(1)
    happened = posted(record)
    game_id = new_game(api)
    path = f"/api/games/{game_id}/events"
    seen = {"If-Match": api.client.get(f"/api/games/{game_id}").headers["ETag"]}
    keyed = seen | {"Idempotency-Key": "k"}
    assert api.post(path, happened[0], **keyed)[0] == 201
    assert api.post(path, happened[0], **keyed)[0] == 200  # done already, whatever was there then
    for wrong in (seen, {"If-Match": '"nothing"'}):
        status, answer = api.post(path, happened[1], **wrong)
        assert (status, answer["error_code"], answer["events"]) == (412, "PRECONDITION_FAILED", 1)
        assert answer["message"] == "If-Match: the game is at version 1"
    now = {"If-Match": api.client.get(f"/api/games/{game_id}").headers["ETag"]}
    assert api.post(path, happened[1], **now)[0] == 201
    assert api.post(path, happened[2], **{"If-Match": "*"})[0] == 201


def test_two_writers_of_one_number_get_one_yes_and_one_no(api):
    (record,) = sample_records(1)
    happened = posted(record)
    game_id = new_game(api)
    path = f"/api/games/{game_id}/events"
    api.post(path, {"events": happened[:1]})
    others = [
        {"kind": "pass", "player": seat, "cards": happened[1 + seat]["cards"]} for seat in (0, 1)
    ]
    together = Barrier(2)

    def write(event):
        together.wait()
        answer = api.app.test_client().post(path, json={"number": 1, **event})
        return answer.status_code, answer.json

    with ThreadPoolExecutor(2) as pool:
        answers = sorted(pool.map(write, others), key=lambda answer: answer[0])
    assert [status for status, _ in answers] == [201, 409]
    lost = answers[1][1]
    assert (lost["error_code"], lost["events"]) == ("CONFLICT", 2)
    assert lost["message"].startswith("event 1 is taken: pass by seat ")


def test_one_key_makes_one_game(api):
    keyed = {"Idempotency-Key": "made once"}
    refused = api.send("/api/games", EMPTY, **keyed)
    assert refused.status_code == 400  # a blank is not visible
    keyed = {"Idempotency-Key": "made-once"}
    together = Barrier(4)

    def make(_):
        together.wait()
        answer = api.app.test_client().post("/api/games", json=EMPTY, headers=keyed)
        return answer.status_code, answer.json["game_id"]

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(make, range(4)))
    assert sorted(status for status, _ in made) == [200, 200, 200, 201]
    assert len({game_id for _, game_id in made}) == 1
    status, answer = api.post("/api/games", EMPTY | {"source": "other"}, **keyed)
    assert (status, answer["error_code"]) == (409, "CONFLICT")
    assert "was sent with another body" in answer["message"]


def test_what_the_rules_forbid_is_refused_with_the_reason(api):
    (record,) = sample_records(1)
    happened = posted(record)
    deal, passes, plays = happened[0], happened[1:5], happened[5:]
    game_id = new_game(api)
    path = f"/api/games/{game_id}/events"

    def refused(body: dict[str, Any]) -> tuple[int, str, str]:
        status, answer = api.post(path, body)
        return status, answer["error_code"], answer["message"]

    assert refused(plays[0]) == (400, "ILLEGAL_MOVE", "kind: no hand has been dealt yet")
    twice = {**deal, "dealt": [deal["dealt"][0]] * 4}
    assert re.fullmatch(r"dealt\[1\]: .*: dealt to another seat too", refused(twice)[2])
    assert refused({"kind": "play", "player": 0})[1:] == (
        "PARSE_ERROR",
        "card: is missing: a play has one",
    )
    assert api.post(path, deal)[0] == 201
    assert refused(deal)[2] == "kind: hand 0 is not over: 52 cards are to be played"
    assert refused(plays[0])[2].endswith("the cards are to be passed first")
    assert refused({**passes[0], "player": 4})[2] == "player: 4: seats are 0 to 3"
    foreign = passes[0] | {"cards": passes[1]["cards"]}
    assert "not in the hand" in refused(foreign)[2]
    assert api.post(path, {"events": passes})[0] == 201
    wrong = next(each for each in plays[1:] if each["player"] == plays[0]["player"])
    status, code, message = refused({"events": [plays[0], wrong]})
    assert (status, code) == (400, "ILLEGAL_MOVE")
    assert message.startswith("events[1].seat")
    assert "is to play" in message
    assert shown(api, game_id)["events"] == 5  # nothing of a list that is refused is kept
    assert refused({**plays[0], "points": [0, 0, 0, 0]})[2].startswith("points: only the last")
    assert refused({**plays[0], "hand": 1})[:2] == (409, "CONFLICT")
    assert refused({"number": 9, **plays[0]})[2] == "number: 9: the next is 5"
    assert refused({})[1] == "PARSE_ERROR"


def test_a_game_that_is_over_takes_nothing_more(api):
    one, other = sample_records(2)
    game_id = new_game(api, {"record": one.as_object()})
    status, answer = api.post(f"/api/games/{game_id}/events", posted(other)[0])
    assert (status, answer["message"]) == (409, "the game is over")


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
    game_id = new_game(api, {"record": sample_records(1)[0].as_object()})
    for path in (
        "/api/games?playr=ann",
        "/api/stats?playr=ann",
        "/api/tables?playr=ann",
        f"/api/games/{game_id}/review?simulations=20&worlds=2&playr=ann",
    ):
        answer = api.client.get(path).json
        assert answer["warnings"] == ["playr: unknown, ignored"], path


@pytest.mark.parametrize("path", ["", "/export", "/events"])
def test_a_game_that_is_not_there(api, path):
    for game_id in ("nothere", "%00", "x" * 50):
        url = f"/api/games/{game_id}{path}"
        answer = api.send(url, {"kind": "deal"}) if path == "/events" else api.client.get(url)
        assert (answer.status_code, answer.json["error_code"]) == (404, "NOT_FOUND")


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


def test_a_database_that_is_gone_is_said_in_the_envelope(api, monkeypatch):
    def gone(*_, **__):
        from sqlalchemy.exc import OperationalError

        raise OperationalError("SELECT", {}, Exception("gone"))

    monkeypatch.setattr("server.storage.games.game", gone)
    answer = api.client.get("/api/games/abc")
    assert (answer.status_code, answer.json["error_code"]) == (503, "NOT_READY")
    assert answer.headers["Retry-After"] == "1"


def test_pages_may_send_and_read_the_headers(api):
    asked = {
        "Origin": "http://a.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "idempotency-key, if-none-match, x-seat-token",
    }
    allowed = api.client.options("/api/games", headers=asked).headers
    for header in ("idempotency-key", "if-none-match", "x-seat-token"):
        assert header in allowed["Access-Control-Allow-Headers"].lower()
    shown_to_pages = api.client.get("/api/games", headers={"Origin": "http://a.example"}).headers
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
