"""Answers to /api/pass."""

from __future__ import annotations

import pytest

from tests.server.api import FAST, OPENING, trick

PASS = {"player_hand": OPENING, "pass_direction": 1, "rules": 4001}


@pytest.mark.parametrize("direction", [1, -1, 2, "left", "across"])
def test_three_cards_of_the_hand_are_passed(api, direction):
    body = {"game_state": PASS | {"pass_direction": direction}, "ai_config": {"simulations": 600}}
    status, answer = api.post("/api/pass", body)
    assert (status, answer["status"]) == (200, "success")
    assert len(set(answer["pass"]) & set(OPENING)) == 3
    assert answer["candidates"][0]["cards"] == answer["pass"]
    assert answer["simulations"] == sum(each["playouts"] for each in answer["candidates"])


def test_a_pass_by_rule_needs_no_playouts(api):
    body = {"game_state": PASS, "ai_config": {"passing": "rule"}}
    answer = api.post("/api/pass", body)[1]
    assert (len(answer["pass"]), answer["candidates"], answer["simulations"]) == (3, [], 0)


@pytest.mark.parametrize("field", ["scores", "match_scores"])
def test_a_match_at_its_beginning_is_known_too(api, field):
    body = {"game_state": PASS | {field: [0] * 4}, "ai_config": FAST | {"player_type": "global"}}
    assert api.post("/api/pass", body)[1]["config"]["reward"] == "match"


def test_before_the_first_card_scores_are_the_match_s(api):
    hashes = [
        api.post("/api/pass", {"game_state": PASS | more, "ai_config": FAST})[1]["view_hash"]
        for more in ({"scores": [90, 0, 0, 0]}, {"match_scores": [90, 0, 0, 0]}, {})
    ]
    assert hashes[0] == hashes[1] != hashes[2]


BAD_PASSES = {
    "12 cards": (
        {"player_hand": OPENING[:12], "pass_direction": 1},
        "player_hand: 12 cards: a pass is made from 13",
    ),
    "no cards": (
        {"player_hand": [], "pass_direction": 1},
        "player_hand: 0 cards: a pass is made from 13",
    ),
    "no direction": (
        {"player_hand": OPENING},
        "pass_direction: is missing: say who gets the cards (1, -1 or 2)",
    ),
    "hold": (
        {"player_hand": OPENING, "pass_direction": 0},
        "pass_direction: no cards are passed when the direction is hold",
    ),
    "a trick": (
        PASS | {"current_trick": trick(3, "3C")},
        "pass_direction: cards are passed before the first is played, from 13",
    ),
    "twice": (PASS | {"player_hand": [*OPENING[1:], "AH"]}, "player_hand[12]: AH is named twice"),
}


@pytest.mark.parametrize("case", BAD_PASSES)
def test_a_pass_that_cannot_be(api, case):
    state, message = BAD_PASSES[case]
    assert api.refused(state, "/api/pass") == ("INVALID_GAME_STATE", f"game_state.{message}")
