"""POST /api/move on a real server."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.service import Service, serving

HAND = ["2C", "5C", "9C", "8D", "JH", "4S", "AS"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One server for all tests of this module."""
    folder: Path = tmp_path_factory.mktemp("move")
    with serving(folder) as running:
        running.wait_until_ready(180)
        yield running


def post(service: Service, body: object) -> tuple[int, dict[str, Any]]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(service.base + "/api/move", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_short_hand_without_history_gets_a_card_of_the_hand(service):
    state = {"player_hand": HAND, "rules": 2465}
    status, answer = post(service, {"game_state": state, "ai_config": {"simulations": 1000}})
    assert status == 200
    assert answer["status"] == "success"
    assert answer["move"]["card"] in HAND
    assert answer["move"]["player"] == 0
    assert answer["simulations"] == 1000
    assert answer["explanation"]


def test_suit_is_followed(service):
    trick = {"cards": [{"card": "9D", "player": 3}], "lead_player": 3}
    state = {"player_hand": HAND, "current_trick": trick, "rules": 0}
    status, answer = post(service, {"game_state": state})
    assert status == 200
    assert answer["move"]["card"] == "8D"


def test_the_same_seed_gives_the_same_answer(service):
    state = {"player_hand": HAND, "hearts_broken": True, "scores": [3, 0, 0, 0]}
    body = {"game_state": state, "ai_config": {"simulations": 500, "seed": 7}}
    answers = [post(service, body)[1] for _ in range(2)]
    assert answers[0]["explanation"] == answers[1]["explanation"]


BAD = [
    (b"{", "PARSE_ERROR", ""),
    ({}, "PARSE_ERROR", "game_state"),
    ({"game_state": 3}, "PARSE_ERROR", "game_state"),
    ({"game_state": {"player_hand": ["2C", "2C"]}}, "INVALID_GAME_STATE", "hand"),
    ({"game_state": {"player_hand": ["ZZ"]}}, "INVALID_GAME_STATE", "ZZ"),
    ({"game_state": {"player_hand": []}}, "INVALID_GAME_STATE", ""),
    ({"game_state": {"player_hand": HAND, "current_player": 7}}, "INVALID_GAME_STATE", "seat"),
    ({"game_state": {"player_hand": HAND, "rules": -1}}, "INVALID_GAME_STATE", "rules"),
    (
        {"game_state": {"player_hand": HAND}, "ai_config": {"simulations": 10**12}},
        "AI_CONFIG_ERROR",
        "simulations",
    ),
]


@pytest.mark.parametrize(("body", "code", "named"), BAD)
def test_bad_input_is_refused_with_the_place(service, body, code, named):
    status, answer = post(service, body)
    assert (status, answer["status"], answer["error_code"]) == (400, "error", code)
    assert named in answer["message"]
