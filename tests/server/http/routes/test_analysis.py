"""Answers to /api/analysis."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.server.api import FAST, SHORT, trick

ROOT = Path(__file__).parents[4]


def first_record() -> dict:
    with gzip.open(ROOT / "tests/data/xinxin-10k-dev.jsonl.gz", "rt") as lines:
        return json.loads(lines.readline())


def test_a_whole_hand_is_analysed_decision_by_decision(api):
    record = first_record()
    config = {"simulations": 40, "worlds": 4, "seed": 1, "explain": False}
    status, answer = api.post("/api/analysis", {"record": record, "ai_config": config})
    decisions = answer["decisions"]
    assert (status, answer["complete"], len(decisions)) == (200, True, 56)
    assert [each["kind"] for each in decisions] == ["pass"] * 4 + ["play"] * 52
    played = [(each["player"], each["played"].replace("10", "T")) for each in decisions[4:]]
    assert played == [(play["player"], play["card"]) for play in record["plays"]]
    for each in decisions[4:]:
        assert each["cost"] == 0 or each["played"] != each["best"]
    assert all(each["cost"] is not None for each in decisions)
    for seat in range(4):
        spent = sum(each["cost"] for each in decisions if each["player"] == seat)
        assert answer["cost_by_player"][seat] == pytest.approx(spent, abs=0.01)


def test_a_blunder_costs_points(api):
    """The queen of spades is led; the king takes her, the three does not."""
    state = {
        "player_hand": ["KS", "3S", "9D", "8D", "2H", "10C", "6C"],
        "current_trick": trick(3, "QS"), "rules": 2465,
    }  # fmt: skip
    body = {"states": [state | {"played": "KS"}, state | {"played": "3S"}, state]}
    answer = api.post("/api/analysis", body | {"ai_config": {"simulations": 600, "seed": 1}})[1]
    king, three, unknown = answer["decisions"]
    assert king["best"] == three["best"] == "3S"
    assert king["cost"] > 8
    assert three["cost"] == 0
    assert (unknown["played"], unknown["cost"]) == (None, None)
    assert {move["card"] for move in king["analysis"]} == {"KS", "3S"}


def test_what_a_card_costs_that_was_never_tried_is_unknown(api):
    state = {"player_hand": SHORT, "played": "AS"}
    config = {"simulations": 1, "worlds": 1, "seed": 1}
    answer = api.post("/api/analysis", {"states": [state], "ai_config": config})[1]
    (decision,) = answer["decisions"]
    tried = [move["card"] for move in decision["analysis"] if move["visits"]]
    assert tried == [decision["best"]] != ["AS"]
    assert decision["cost"] is None
    assert answer["cost_by_player"] == [0, 0, 0, 0]


def test_an_analysis_is_for_the_match_where_every_state_knows_it(api):
    def reward(*states: dict) -> str:
        config = FAST | {"player_type": "global"}
        return api.post("/api/analysis", {"states": states, "ai_config": config})[1]["config"][
            "reward"
        ]

    known = {"player_hand": SHORT, "match_scores": [0, 0, 0, 0]}
    assert reward(known) == reward(known, known) == "match"
    assert reward({"player_hand": SHORT}) == reward(known, {"player_hand": SHORT}) == "difference"


def test_fields_of_a_record_that_nobody_reads_are_named(api):
    record = first_record() | {"plays": [], "points": None, "mood": 1}
    answer = api.post("/api/analysis", {"record": record, "ai_config": FAST})[1]
    assert answer["warnings"] == ["record.mood: unknown, ignored", "record.seed: unknown, ignored"]


BAD_ANALYSES = {
    "neither": ({}, "PARSE_ERROR", "send either states or record"),
    "both": ({"states": [{"player_hand": SHORT}], "record": {}}, "PARSE_ERROR", "send either"),
    "no states": ({"states": []}, "PARSE_ERROR", "states: must be 1 to 64 states"),
    "65 states": (
        {"states": [{"player_hand": SHORT}] * 65},
        "PARSE_ERROR",
        "states: must be 1 to 64 states",
    ),
    "a bad state": (
        {"states": [{"player_hand": SHORT}, {"player_hand": ["ZZ"]}]},
        "INVALID_GAME_STATE",
        "states[1].player_hand[0]: 'ZZ' is not a card",
    ),
    "an empty hand": (
        {"states": [{"player_hand": []}]},
        "NO_LEGAL_MOVES",
        "states[0].player_hand: no cards",
    ),
    "a card that may not be played": (
        {"states": [{"player_hand": SHORT, "current_trick": trick(3, "9D"), "played": "AS"}]},
        "INVALID_GAME_STATE",
        "states[0].played: AS is not legal here; legal cards: 8D",
    ),
    "an empty record": ({"record": {}}, "INVALID_GAME_STATE", "record.rules: missing"),
    "a record without a direction": (
        {"record": {"rules": 4001}},
        "INVALID_GAME_STATE",
        "record.pass_direction: missing",
    ),
    "a record without a hand": (
        {"record": {"rules": 4001, "pass_direction": "hold", "dealt": [None] * 4}},
        "INVALID_GAME_STATE",
        "record.dealt[0]: must be a list of cards",
    ),
    "a record list": ({"record": []}, "PARSE_ERROR", "record: must be an object, not a list"),
}


@pytest.mark.parametrize("case", BAD_ANALYSES)
def test_an_analysis_that_cannot_be(api, case):
    body, code, message = BAD_ANALYSES[case]
    status, answer = api.post("/api/analysis", body)
    assert (status, answer["error_code"]) == (400, code)
    assert answer["message"].startswith(message)


def test_an_illegal_play_in_a_record_is_named(api):
    record = first_record()
    record["plays"][0]["card"] = "3C"
    status, answer = api.post("/api/analysis", {"record": record})
    assert (status, answer["error_code"]) == (400, "INVALID_GAME_STATE")
    assert answer["message"].startswith("record.plays[0]: seat ")
