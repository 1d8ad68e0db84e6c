"""Questions to an application, and states to ask about."""

from __future__ import annotations

import json
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse


def cards(text: str) -> list[str]:
    """`cards("2C 10D")`: a list as JSON has it."""
    return text.split()


OPENING = cards("2C 5C 9C QC 3D 8D KD 4S QS 2H 6H 9H AH")
SHORT = cards("2C 5C 9C 8D JH 4S AS")
FAST = {"simulations": 60, "worlds": 5, "seed": 1}


class Api:
    """Posts bodies and reads answers."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client = app.test_client()

    def post(self, path: str, body: object, **headers: str) -> tuple[int, dict[str, Any]]:
        """Status and JSON of the answer; bytes are sent as they are."""
        answer = self.send(path, body, **headers)
        assert answer.is_json, answer.text
        return answer.status_code, answer.json

    def send(self, path: str, body: object, **headers: str) -> TestResponse:
        """The whole answer."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | headers
        return self.client.post(path, data=data, headers=headers)

    def move(self, state: dict[str, Any], **config: Any) -> dict[str, Any]:
        """The answer to a state that has a move."""
        status, answer = self.post("/api/move", {"game_state": state, "ai_config": FAST | config})
        assert status == 200, answer
        return answer

    def refused(self, state: object, path: str = "/api/move") -> tuple[str, str]:
        """Error code and message for a state that has none."""
        status, answer = self.post(path, {"game_state": state, "ai_config": FAST})
        assert (status, answer["status"]) == (400, "error"), answer
        return answer["error_code"], answer["message"]


def play(card: str, player: int) -> dict[str, Any]:
    """A card of a trick."""
    return {"card": card, "player": player}


def trick(leader: int, played: str, **more: Any) -> dict[str, Any]:
    """A trick as clients write it: `trick(2, "5C 6C 7C 8C", winner=1)`."""
    plays = [play(card, (leader + i) % 4) for i, card in enumerate(cards(played))]
    return {"cards": plays, "lead_player": leader, **more}
