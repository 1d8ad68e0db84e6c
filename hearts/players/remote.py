"""A player behind an HTTP address: any service that answers `POST /api/move` with a card.

Requests have the format of Hearts clients: the asking player is seat 0, and the other seats are
renumbered accordingly. The query of the address becomes `ai_config`:
`http://127.0.0.1:8080?simulations=1000&worlds=30`. If the service has no `/api/pass` (it answers
404 or 405), the rule-based pass is used.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from hearts.client.errors import DeadlineExceeded, Unreachable
from hearts.client.transport import Limits, Request, Transport
from hearts.game.cards import Card, CardSet, parse_card, parse_cards
from hearts.game.errors import InvalidConfig
from hearts.players.passing import rule_pass
from hearts.players.player import (
    LONGEST_ANSWER,
    Player,
    PlayerFailure,
    PlayerTimeout,
    simulations_in,
)
from hearts.views.codec import encode_state
from hearts.views.view import View

NO_SUCH_PATH = (404, 405)
HEADERS = {"Content-Type": "application/json"}


class RemotePlayer(Player):
    """Asks a service over one connection that is kept open."""

    def __init__(self, url: str, name: str = "", limit: float = 30.0) -> None:
        try:
            self.transport = Transport(url, Limits(timeout=limit, size=LONGEST_ANSWER))
        except ValueError as error:
            raise InvalidConfig("player", str(error)) from None
        self.name = name or url
        self.options = {key: _value(text) for key, text in parse_qsl(urlsplit(url).query)}

    def choose_card(self, view: View, seed: int) -> Card:
        """The card of the service's answer."""
        status, answer = self._post("/api/move", view, seed)
        move = answer.get("move")
        if status != 200 or not isinstance(move, dict):
            raise PlayerFailure(f"{self.name}: {status} {answer.get('message', '')}")
        self.simulations += simulations_in(answer)
        return parse_card(move.get("card"))

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """The three cards of the service's answer, or the rule-based pass if it has none."""
        status, answer = self._post("/api/pass", view, seed)
        if status in NO_SUCH_PATH:
            return rule_pass(view.hand, view.direction, view.rules)
        cards = answer.get("pass")
        if status != 200 or not isinstance(cards, list):
            raise PlayerFailure(f"{self.name}: {status} {answer.get('message', '')}")
        self.simulations += simulations_in(answer)
        return parse_cards(cards)

    def check_reachable(self) -> None:
        """Raise InvalidConfig unless something answers at the address, whatever it answers."""
        try:
            self.transport.send(Request("GET", "/api/health"))
        except (DeadlineExceeded, Unreachable) as error:
            raise InvalidConfig("player", f"{self.name} does not answer: {error}") from None

    def close(self) -> None:
        """Close the connection; the next question opens it again."""
        self.transport.close()

    def _post(self, path: str, view: View, seed: int) -> tuple[int, Mapping[str, Any]]:
        # The public C++ server reads numbers as 32-bit integers.
        config = {"seed": seed & 0x7FFFFFFF} | self.options
        body = json.dumps({"game_state": encode_state(view, 0), "ai_config": config}).encode()
        try:
            response = self.transport.send(Request("POST", path, body, HEADERS))
        except DeadlineExceeded as error:
            raise PlayerTimeout(self.name) from error
        except Unreachable as error:
            raise PlayerFailure(f"{self.name}: {error}") from error
        answer = _value(response.body)
        return response.status, answer if isinstance(answer, dict) else {}


def _value(text: str | bytes) -> Any:
    """The value of a JSON text, or the text itself if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
