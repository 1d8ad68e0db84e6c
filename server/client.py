"""A client of the service in plain Python: one connection that is kept open, typed answers.

    with HeartsClient("http://127.0.0.1:8080") as client:
        move = client.move({"player_hand": ["2C", "5C", "AS"]}, simulations=1000)
        print(move.card, move.explanation)

It needs nothing but the standard library, and copies well into other projects.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

GameState = Mapping[str, Any]  # as API_SPEC.md describes it


class ServiceError(Exception):
    """The service gave no answer; `code` is its `error_code`."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message = status, code, message


class Unreachable(Exception):
    """Nobody answers there."""


@dataclass(frozen=True)
class Move:
    """A card to play; `answer` is everything that the service said."""

    card: str
    player: int
    legal_cards: tuple[str, ...]
    simulations: int
    seed: int
    explanation: str
    warnings: tuple[str, ...]
    answer: Mapping[str, Any]


@dataclass(frozen=True)
class Pass:
    """Three cards to pass."""

    cards: tuple[str, ...]
    simulations: int
    seed: int
    warnings: tuple[str, ...]
    answer: Mapping[str, Any]


@dataclass(frozen=True)
class Beliefs:
    """Who holds what: `probabilities["QS"][2]` is the chance that seat 2 holds the queen."""

    probabilities: Mapping[str, Sequence[float]]
    voids: Sequence[Sequence[str]]
    worlds: Sequence[Mapping[str, Any]]
    answer: Mapping[str, Any]


class HeartsClient:
    """Asks one service; not for several threads at once."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        api_key: str | None = None,
        timeout: float = 30.0,
        patience: float = 10.0,  # seconds that are waited in all while the service is busy
    ) -> None:
        place = urlsplit(url)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise ValueError(f"{url!r} is no address: write http://host:port")
        kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
        self._connection = kind(place.hostname, place.port, timeout=timeout)
        self._base, self._patience = place.path.rstrip("/"), patience
        self._headers = {"Content-Type": "application/json"}
        if api_key is not None:
            self._headers["X-API-Key"] = api_key

    def __enter__(self) -> HeartsClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next question opens it again."""
        self._connection.close()

    def move(self, state: GameState, **ai_config: Any) -> Move:
        """The card that the service would play."""
        answer = self._ask("/api/move", {"game_state": state, "ai_config": ai_config})
        return Move(
            card=answer["move"]["card"],
            player=answer["move"]["player"],
            legal_cards=tuple(answer["legal_cards"]),
            simulations=answer["simulations"],
            seed=answer["seed"],
            explanation=answer.get("explanation", ""),
            warnings=tuple(answer["warnings"]),
            answer=answer,
        )

    def choose_pass(self, state: GameState, **ai_config: Any) -> Pass:
        """The three cards that the service would pass."""
        answer = self._ask("/api/pass", {"game_state": state, "ai_config": ai_config})
        return Pass(
            cards=tuple(answer["pass"]),
            simulations=answer["simulations"],
            seed=answer["seed"],
            warnings=tuple(answer["warnings"]),
            answer=answer,
        )

    def legal(self, state: GameState) -> tuple[str, ...]:
        """The cards that may be played."""
        return tuple(self._ask("/api/legal", {"game_state": state})["legal_cards"])

    def beliefs(self, state: GameState, model: str | None = None, worlds: int = 0) -> Beliefs:
        """What an opponent model believes."""
        body = {"game_state": state, "model": model, "worlds": worlds}
        answer = self._ask("/api/beliefs", body)
        return Beliefs(answer["probabilities"], answer["voids"], answer["worlds"], answer)

    def analyse(self, record: Mapping[str, Any], **ai_config: Any) -> Mapping[str, Any]:
        """What every decision of a recorded hand cost."""
        return self._ask("/api/analysis", {"record": record, "ai_config": ai_config})

    def follow(
        self, states: Sequence[GameState], **ai_config: Any
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The events of an analysis as they come; leaving the loop ends the search."""
        body = {"states": states, "ai_config": ai_config}
        response = self._send("POST", "/api/analysis?stream=1", body)
        if response.status != 200:
            raise _error(response.status, _decoded(response.read()))
        try:
            yield from _events(response)
        finally:
            self.close()

    def models(self) -> Mapping[str, Any]:
        """Everything that can be chosen, and the ceilings."""
        return self._ask("/api/models", None)

    def ready(self) -> bool:
        """Whether the service wants requests."""
        try:
            response = self._send("GET", "/readyz", None)
            response.read()
        except Unreachable:
            return False
        return response.status == 200

    def _ask(self, path: str, body: object) -> dict[str, Any]:
        """The answer to a question, asked again while the service is busy."""
        give_up = time.monotonic() + self._patience
        while True:
            response = self._send("GET" if body is None else "POST", path, body)
            answer = _decoded(response.read())
            if response.status == 200:
                return answer
            wait = float(response.headers.get("Retry-After") or 0)
            if response.status != 503 or not wait or time.monotonic() + wait > give_up:
                raise _error(response.status, answer)
            time.sleep(wait)

    def _send(self, method: str, path: str, body: object) -> HTTPResponse:
        """Send a request; a connection that the service has closed meanwhile is opened again."""
        data = None if body is None else json.dumps(body)
        for last in (False, True):
            try:
                # A service that refuses a body while it still comes has answered all the same.
                with suppress(BrokenPipeError):
                    self._connection.request(method, self._base + path, data, self._headers)
                return self._connection.getresponse()
            except (OSError, HTTPException) as error:
                self._connection.close()
                if last or isinstance(error, TimeoutError):
                    raise Unreachable(f"{type(error).__name__}: {error}") from error
        raise AssertionError("the loop above returns or raises")


def _events(response: HTTPResponse) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Server-sent events: their name and their JSON."""
    event = "message"
    for line in response:
        field, _, value = line.decode().rstrip("\r\n").partition(": ")
        if field == "event":
            event = value
        elif field == "data":
            yield event, json.loads(value)


def _decoded(data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {}


def _error(status: int, answer: Mapping[str, Any]) -> ServiceError:
    code, message = answer.get("error_code", "HTTP_ERROR"), answer.get("message", "no JSON")
    return ServiceError(status, code, message)
