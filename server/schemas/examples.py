"""Requests that work, for the OpenAPI document and its page; the tests send every one of them."""

from __future__ import annotations

from typing import Any

_FOLLOWING: dict[str, Any] = {
    "player_hand": ["2C", "5C", "9C", "8D", "JH", "4S", "AS"],
    "current_trick": {"cards": [{"card": "QS", "player": 3}], "lead_player": 3},
    "scores": [0, 4, 0, 0],
    "hearts_broken": True,
    "rules": 2465,
}
_DEALT = ["2C", "5C", "9C", "QC", "3D", "8D", "KD", "4S", "QS", "2H", "6H", "9H", "AH"]

MOVE = {"game_state": _FOLLOWING, "ai_config": {"simulations": 1000, "seed": 1}}
PLAY_ONE = {"game_state": _FOLLOWING, "simulations": 500, "player_type": "safe_simple"}
LEGAL = {"game_state": _FOLLOWING}
PASS = {"game_state": {"player_hand": _DEALT, "pass_direction": 1}, "ai_config": {"seed": 1}}
BELIEFS = {"game_state": _FOLLOWING, "model": "OM-1", "worlds": 2, "seed": 1}
ANALYSIS = {
    "states": [{**_FOLLOWING, "played": "AS"}],
    "ai_config": {"simulations": 1000, "seed": 1, "explain": False},
}
