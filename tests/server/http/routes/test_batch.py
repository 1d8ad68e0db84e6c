"""Answers to /api/moves: every state is answered or rejected on its own."""

from __future__ import annotations

import json

import pytest

from hearts.game.deal import Deal, moments
from hearts.game.records import read_records
from hearts.views.codec import encode_state
from hearts.views.view import View
from server.http.bodies import MAX_BATCH_BODY, MAX_BODY
from tests.golden.make_hands import PATH as HANDS
from tests.server.api import FAST, SHORT, Api, trick
from tests.server.application import application

GOOD = {"player_hand": SHORT}


def post(api, states, **config):
    status, answer = api.post("/api/moves", {"states": states, "ai_config": FAST | config})
    assert status == 200, answer
    return answer


def test_each_answer_is_that_of_a_single_request(api):
    states = [GOOD, {"player_hand": ["5H"]}, GOOD | {"current_trick": trick(3, "9D")}]
    answer = post(api, states)
    assert (answer["answered"], answer["rejected"], answer["warnings"]) == (3, 0, [])
    for number, (state, result) in enumerate(zip(states, answer["results"], strict=True)):
        assert (result.pop("index"), result.pop("http_status")) == (number, 200)
        alone = api.move(state)
        for each in (alone, result):
            del each["computation_time_ms"]
        assert result == alone


def test_a_state_that_is_wrong_is_rejected_alone(api):
    answer = post(api, [
        {"player_hand": []}, GOOD, {"player_hand": ["ZZ"]}, {"player_hand": 5}, {},
        GOOD | {"current_trick": trick(2, "9D")}, GOOD | {"mood": 1},
    ])  # fmt: skip
    found = [
        (each["http_status"], each.get("error_code"), each.get("message", "").split(":")[0])
        for each in answer["results"]
    ]
    assert found == [
        (400, "NO_LEGAL_MOVES", "states[0].player_hand"),
        (200, None, ""),
        (400, "INVALID_GAME_STATE", "states[2].player_hand[0]"),
        (400, "PARSE_ERROR", "states[3].player_hand"),
        (400, "PARSE_ERROR", "states[4].player_hand"),
        (400, "INVALID_GAME_STATE", "states[5].current_trick"),
        (200, None, ""),
    ]
    assert (answer["answered"], answer["rejected"]) == (2, 5)
    assert answer["results"][6]["warnings"] == ["states[6].mood: unknown, ignored"]


@pytest.mark.parametrize(("body", "code", "message"), [
    ({}, "PARSE_ERROR", "states: "),
    ({"states": []}, "PARSE_ERROR", "states: must be 1 to 256 states"),
    ({"states": [GOOD] * 257}, "PARSE_ERROR", "states: must be 1 to 256 states"),
    ({"states": [1]}, "PARSE_ERROR", "states[0]: must be an object"),
    ({"states": [GOOD], "ai_config": {"worlds": 0}}, "AI_CONFIG_ERROR", "ai_config.worlds: "),
    ({"states": [GOOD], "level": "hard"}, "AI_CONFIG_ERROR", "level: is misplaced"),
])  # fmt: skip
def test_the_request_itself_may_be_wrong(api, body, code, message):
    status, answer = api.post("/api/moves", body)
    assert (status, answer["error_code"]) == (400, code)
    assert answer["message"].startswith(message)


def late_states() -> list[dict[str, object]]:
    """Full states of the last tricks, which are the longest."""
    deals = [record.deal for record in read_records(HANDS)]
    found: list[dict[str, object]] = []
    while len(found) < 256:
        found += [encode_state(View.of(now, seat)) for now, seat in _ends(deals[len(found) % 20])]
    return found[:256]


def _ends(deal: Deal) -> list[tuple[Deal, int]]:
    return [(now, seat) for now, seat, _ in moments(deal) if len(now.tricks) == 12]


def test_256_full_states_fit_into_a_body_and_one_byte_too_many_does_not(api):
    states = late_states()
    sent = json.dumps({"states": states, "ai_config": FAST | {"explain": False}}).encode()
    assert MAX_BODY < len(sent) < MAX_BATCH_BODY
    answer = api.post("/api/moves", sent)[1]
    assert answer["answered"] == 256
    assert api.send("/api/moves", sent.ljust(MAX_BATCH_BODY + 1)).status_code == 413
    assert api.send("/api/move", sent).status_code == 413


def test_states_after_the_deadline_are_busy_and_others_get_slots_between(tmp_path):
    with application(tmp_path, request_seconds=1) as app:
        api = Api(app)
        answer = post(api, [GOOD] * 64, time_ms=100)
        codes = [each["http_status"] for each in answer["results"]]
        assert codes == sorted(codes)
        assert {*codes} == {200, 503}
        assert answer["results"][-1]["error_code"] == "BUSY"
        assert answer["answered"] == codes.count(200)
        assert api.move(GOOD)["move"]
