"""Values of the wrong JSON type, each with the exact message."""

from __future__ import annotations

import pytest

from tests.server.api import SHORT, play, trick

HAND = {"player_hand": SHORT}
SHAPES = {
    "nothing": ({}, "game_state: is missing"),
    "null": (None, "the body: must be an object"),
    "list": ([], "the body: must be an object"),
    "number": (5, "the body: must be an object"),
    "text": ("game_state", "the body: must be an object"),
    "game_state null": ({"game_state": None}, "game_state: must not be null"),
    "game_state list": ({"game_state": []}, "game_state: must be an object"),
    "game_state text": ({"game_state": "x"}, "game_state: must be an object"),
    "no hand": ({"game_state": {}}, "game_state.player_hand: is missing"),
    "hand null": (
        {"game_state": {"player_hand": None}},
        "game_state.player_hand: must not be null",
    ),
    "hand text": ({"game_state": {"player_hand": "2C"}}, "game_state.player_hand: must be a list"),
    "hand of numbers": (
        {"game_state": {"player_hand": [2, "3C"]}},
        "game_state.player_hand[0]: must be a text, not 2",
    ),
    "hand of null": (
        {"game_state": {"player_hand": ["3C", None]}},
        "game_state.player_hand[1]: must not be null",
    ),
    "player text": (
        {"game_state": HAND | {"current_player": "0"}},
        "game_state.current_player: must be a whole number, not '0'",
    ),
    "player half": (
        {"game_state": HAND | {"current_player": 0.5}},
        "game_state.current_player: must be a whole number, not 0.5",
    ),
    "player true": (
        {"game_state": HAND | {"current_player": True}},
        "game_state.current_player: must be a whole number, not true",
    ),
    "trick list": (
        {"game_state": HAND | {"current_trick": []}},
        "game_state.current_trick: must be an object",
    ),
    "trick cards object": (
        {"game_state": HAND | {"current_trick": {"cards": {}}}},
        "game_state.current_trick.cards: must be a list",
    ),
    "trick cards as texts": (
        {"game_state": HAND | {"current_trick": {"cards": ["6D"]}}},
        "game_state.current_trick.cards[0]: must be an object",
    ),
    "trick card without player": (
        {"game_state": HAND | {"current_trick": {"cards": [{"card": "6D"}]}}},
        "game_state.current_trick.cards[0].player: is missing",
    ),
    "trick card without card": (
        {"game_state": HAND | {"current_trick": {"cards": [{"player": 3}]}}},
        "game_state.current_trick.cards[0].card: is missing",
    ),
    "trick player text": (
        {"game_state": HAND | {"current_trick": {"cards": [play("6D", "3")]}}},
        "game_state.current_trick.cards[0].player: must be a whole number, not '3'",
    ),
    "history object": (
        {"game_state": HAND | {"trick_history": {}}},
        "game_state.trick_history: must be a list",
    ),
    "history of lists": (
        {"game_state": HAND | {"trick_history": [[]]}},
        "game_state.trick_history[0]: must be an object",
    ),
    "winner text": (
        {"game_state": HAND | {"trick_history": [trick(0, "", winner="me")]}},
        "game_state.trick_history[0].winner: must be a whole number, not 'me'",
    ),
    "scores of texts": (
        {"game_state": HAND | {"scores": ["1", 0, 0, 0]}},
        "game_state.scores[0]: must be a whole number, not '1'",
    ),
    "scores object": (
        {"game_state": HAND | {"scores": {}}},
        "game_state.scores: must be a list",
    ),
    "broken text": (
        {"game_state": HAND | {"hearts_broken": "yes"}},
        "game_state.hearts_broken: must be true or false, not 'yes'",
    ),
    "rules text": (
        {"game_state": HAND | {"rules": "standard"}},
        "game_state.rules: must be a bit mask or an object of named flags, not 'standard'",
    ),
    "rules true": (
        {"game_state": HAND | {"rules": True}},
        "game_state.rules: must be a bit mask or an object of named flags, not true",
    ),
    "direction list": (
        {"game_state": HAND | {"pass_direction": []}},
        "game_state.pass_direction: must be 1, -1, 2 or 0, not a list",
    ),
    "config list": (
        {"game_state": HAND, "ai_config": []},
        "ai_config: must be an object",
    ),
    "simulations text": (
        {"game_state": HAND, "ai_config": {"simulations": "many"}},
        "ai_config.simulations: must be a whole number, not 'many'",
    ),
    "simulations half": (
        {"game_state": HAND, "ai_config": {"simulations": 10.5}},
        "ai_config.simulations: must be a whole number, not 10.5",
    ),
    "epsilon text": (
        {"game_state": HAND, "ai_config": {"epsilon": "a"}},
        "ai_config.epsilon: must be a number, not 'a'",
    ),
    "epsilon of 400 digits": (
        {"game_state": HAND, "ai_config": {"epsilon": 10**400}},
        f"ai_config.epsilon: must be a number, not 1{'0' * 39}…",
    ),
    "c of 400 digits": (
        {"game_state": HAND, "ai_config": {"c": -(10**400)}},
        f"ai_config.c: must be a number, not -1{'0' * 38}…",
    ),
    "time of 400 digits": (
        {"game_state": HAND, "ai_config": {"time_ms": 10**400}},
        f"ai_config.time_ms: must be a number, not 1{'0' * 39}…",
    ),
    "lambda of 400 digits": (
        {"game_state": HAND, "ai_config": {"belief": "mixture", "lambda": 10**400}},
        f"ai_config.lambda: must be a number, not 1{'0' * 39}…",
    ),
    "threads flag number": (
        {"game_state": HAND, "ai_config": {"use_threads": 1}},
        "ai_config.use_threads: must be true or false, not 1",
    ),
    "player type number": (
        {"game_state": HAND, "ai_config": {"player_type": 3}},
        "ai_config.player_type: must be a text, not 3",
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_a_body_of_the_wrong_shape(api, case):
    body, message = SHAPES[case]
    status, answer = api.post("/api/move", body)
    assert (status, answer["error_code"], answer["message"]) == (400, "PARSE_ERROR", message)
