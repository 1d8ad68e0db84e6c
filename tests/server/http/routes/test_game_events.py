"""Events that clients append to a game: order, repetition, versions, rules."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from hearts.game.records import parse_record
from tests.server.api import Api
from tests.server.http.routes.posting import EMPTY, new_game, posted, shown
from tests.server.storage.played import sample_records


@pytest.fixture
def api(migrated_api: Api) -> Api:
    return migrated_api


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
    assert refused(deal)[2] == "kind: hand 0 is not over: 52 cards are still to be played"
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
    assert refused({**plays[0], "points": [0, 0, 0, 0]})[2].startswith("points: allowed only")
    assert refused({**plays[0], "hand": 1})[:2] == (409, "CONFLICT")
    assert refused({"number": 9, **plays[0]})[2] == "number: 9: the next is 5"
    assert refused({})[1] == "PARSE_ERROR"


def test_a_game_that_is_over_takes_nothing_more(api):
    one, other = sample_records(2)
    game_id = new_game(api, {"record": one.as_object()})
    status, answer = api.post(f"/api/games/{game_id}/events", posted(other)[0])
    assert (status, answer["message"]) == (409, "the game is over")
