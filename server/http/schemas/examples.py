"""Example requests for the OpenAPI document; the tests send every one of them."""

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
MOVES = {
    "states": [_FOLLOWING, {"player_hand": ["5H"]}],
    "ai_config": {"simulations": 500, "seed": 1},
}
PLAY_ONE = {"game_state": _FOLLOWING, "simulations": 500, "player_type": "safe_simple"}
LEGAL = {"game_state": _FOLLOWING}
PASS = {"game_state": {"player_hand": _DEALT, "pass_direction": 1}, "ai_config": {"seed": 1}}
BELIEFS = {"game_state": _FOLLOWING, "model": "OM-1", "worlds": 2, "seed": 1}
ANALYSIS = {
    "states": [{**_FOLLOWING, "played": "AS"}],
    "ai_config": {"simulations": 1000, "seed": 1, "explain": False},
}
TABLE = {"seats": ["human", "easy", "medium", "hard"], "target_score": 50, "name": "Friday"}
TABLE_JOIN = {"invitation": "kQ1f…", "name": "Ann"}
TABLE_PASS = {"cards": ["QS", "KH", "AH"]}
TABLE_PLAY = {"card": "2C"}
_RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
_DECK = [rank + suit for suit in "CDSH" for rank in _RANKS]
REVIEW = {
    "record": {
        "rules": 2465,
        "pass_direction": "hold",
        "dealt": [_DECK[seat::4] for seat in range(4)],
        "passed": [],
        "plays": [
            {"player": seat, "card": card} for seat, card in enumerate(("2C", "3C", "4C", "KC"))
        ],
    },
    "ai_config": {"simulations": 200, "worlds": 10, "seed": 1},
}
GAME = {"source": "my bots", "players": ["ann", "bob", "cid", "dora"], "rules": 2465}
GAME_EVENT = {
    "number": 0,
    "kind": "deal",
    "pass_direction": "hold",
    "dealt": [
        ["2C", "6C", "10C", "AC", "5D", "9D", "KD", "4S", "8S", "QS", "3H", "7H", "JH"],
        ["3C", "7C", "JC", "2D", "6D", "10D", "AD", "5S", "9S", "KS", "4H", "8H", "QH"],
        ["4C", "8C", "QC", "3D", "7D", "JD", "2S", "6S", "10S", "AS", "5H", "9H", "KH"],
        ["5C", "9C", "KC", "4D", "8D", "QD", "3S", "7S", "JS", "2H", "6H", "10H", "AH"],
    ],
}
