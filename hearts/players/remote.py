"""A player behind an HTTP address: any service that answers `POST /api/move` with a card.

The request is the one that Hearts clients send: the asking player sits at 0, everybody else is
renumbered with it. What the address has behind `?` goes into `ai_config`:
`http://127.0.0.1:8080?simulations=1000&worlds=30`. A service without `/api/pass` (it answers 404 or
405) passes by our rules of thumb.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import SHUT_RDWR, socket
from threading import Timer
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from hearts.game.cards import SEATS, Card, CardSet, name, names, parse_card, parse_cards
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PassDirection
from hearts.game.trick import Trick
from hearts.players.passing import rule_pass
from hearts.players.player import (
    LONGEST_ANSWER,
    Player,
    PlayerFailure,
    PlayerTimeout,
    simulations_in,
)
from hearts.views.view import View

NO_SUCH_PLACE = (404, 405)


class RemotePlayer(Player):
    """Asks a service over one connection that is kept open."""

    def __init__(self, url: str, name: str = "", limit: float = 30.0) -> None:
        place, port = urlsplit(url), None
        with suppress(ValueError):  # 80 and 443 are the ports of who names none
            port = place.port or {"http": 80, "https": 443}.get(place.scheme)
        if port is None or not place.hostname:
            raise InvalidConfig("player", f"{url!r} is no address: write http://host:port")
        self.name = name or url
        self.base = place.path.rstrip("/")
        self.options = {key: _value(text) for key, text in parse_qsl(place.query)}
        self.limit = limit
        kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
        self.connection = kind(place.hostname, port, timeout=limit)

    def choose_card(self, view: View, seed: int) -> Card:
        """The card of the service's answer."""
        status, answer = self._post("/api/move", game_state(view), seed)
        move = answer.get("move")
        if status != 200 or not isinstance(move, dict):
            raise PlayerFailure(f"{self.name}: {status} {answer.get('message', '')}")
        self.simulations += simulations_in(answer)
        return parse_card(move.get("card"))

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """The three cards of the service's answer, or ours where it knows no passing."""
        status, answer = self._post("/api/pass", game_state(view), seed)
        if status in NO_SUCH_PLACE:
            return rule_pass(view.hand, view.direction, view.rules)
        cards = answer.get("pass")
        if status != 200 or not isinstance(cards, list):
            raise PlayerFailure(f"{self.name}: {status} {answer.get('message', '')}")
        self.simulations += simulations_in(answer)
        return parse_cards(cards)

    def close(self) -> None:
        """Close the connection; the next question opens it again."""
        self.connection.close()

    def _post(self, path: str, state: dict[str, Any], seed: int) -> tuple[int, dict[str, Any]]:
        # The public C++ server reads numbers as 32-bit integers.
        config = {"seed": seed & 0x7FFFFFFF} | self.options
        body = json.dumps({"game_state": state, "ai_config": config})
        deadline = monotonic() + self.limit
        try:
            status, text = self._exchange(path, body, deadline)
        except PlayerFailure:
            # A server may drop an idle connection; a new one settles whether it is there at all.
            status, text = self._exchange(path, body, deadline)
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {}
        return status, answer if isinstance(answer, dict) else {}

    def _exchange(self, path: str, body: str, deadline: float) -> tuple[int, bytes]:
        try:
            status, text = self._talk(path, body, deadline)
            if len(text) > LONGEST_ANSWER:
                raise HTTPException(f"an answer of more than {LONGEST_ANSWER} bytes")
            if monotonic() < deadline:  # else it may be half an answer
                return status, text
            raise TimeoutError
        except (OSError, HTTPException) as error:
            self.connection.close()
            if isinstance(error, TimeoutError) or monotonic() >= deadline:
                raise PlayerTimeout(self.name) from error
            raise PlayerFailure(f"{self.name}: {error}") from error

    def _talk(self, path: str, body: str, deadline: float) -> tuple[int, bytes]:
        if self.connection.sock is None:
            self.connection.connect()
        with _cut_off(self.connection.sock, deadline):
            headers = {"Content-Type": "application/json"}
            self.connection.request("POST", self.base + path, body, headers)
            with self.connection.getresponse() as response:
                return response.status, response.read(LONGEST_ANSWER + 1)


@contextmanager
def _cut_off(line: socket, deadline: float) -> Iterator[None]:
    """End a conversation at the deadline: even one with who says a little again and again."""
    timer = Timer(max(0.0, deadline - monotonic()), _hang_up, (line,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _hang_up(line: socket) -> None:
    with suppress(OSError):  # the other side was faster
        line.shutdown(SHUT_RDWR)


def game_state(view: View, seat: int = 0) -> dict[str, Any]:
    """A full view as clients post it, with the asking player at `seat`, everybody else after it."""
    shift = seat - view.seat
    earlier = [_hand(hand, shift) for hand in view.earlier]
    return {
        "player_hand": names(view.hand),
        "current_player": seat,
        "current_trick": _trick(view.trick, shift),
        **_hand(view.tricks, shift),
        "played_cards": [names(cards) for cards in _turned(view.taken, shift)],
        "scores": _turned(view.points, shift),
        "hearts_broken": view.broken,
        "pass_direction": -1 if view.direction is PassDirection.RIGHT else int(view.direction),
        "rules": view.rules.as_value(),
        "match_scores": _turned(view.match_scores, shift),
        "target_score": view.rules.target_score,
        "passed_cards": names(view.passed),
        "received_cards": names(view.received),
        **({"earlier_hands": earlier} if earlier else {}),
    }


def _hand(tricks: Sequence[Trick], shift: int) -> dict[str, Any]:
    return {"trick_history": [_trick(trick, shift) for trick in tricks]}


def _trick(trick: Trick, shift: int) -> dict[str, Any]:
    plays = [{"card": name(card), "player": (seat + shift) % SEATS} for seat, card in trick.plays]
    shown: dict[str, Any] = {"cards": plays, "lead_player": (trick.leader + shift) % SEATS}
    return shown | {"winner": (trick.winner + shift) % SEATS} if trick.complete else shown


def _turned(values: Sequence[int], shift: int) -> list[int]:
    """What belongs to the seats, once everybody has moved on by `shift`."""
    return [values[(seat - shift) % SEATS] for seat in range(SEATS)]


def _value(text: str) -> Any:
    """A number or a flag where the text is one, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
