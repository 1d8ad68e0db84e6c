"""A client of the service in plain Python: one connection that is kept open, typed answers.

    with HeartsClient("http://127.0.0.1:8080") as client:
        move = client.move({"player_hand": ["2C", "5C", "AS"]}, simulations=1000)
        print(move.card, move.explanation)

It needs nothing but the standard library, and copies well into other projects.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

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


@dataclass(frozen=True)
class Table:
    """A live table as one seat sees it, or everybody does; `answer` is the whole view."""

    table_id: str
    version: int
    phase: str  # passing, playing, hand_over or finished
    seat: int | None
    turn: int | None
    waiting_for: tuple[int, ...]
    cards: tuple[str, ...]  # the own ones
    legal: tuple[str, ...]
    totals: tuple[int, ...]
    game_state: GameState | None  # to be asked about: `move`, `choose_pass`, `beliefs`
    answer: Mapping[str, Any]

    @property
    def is_my_turn(self) -> bool:
        """Whether this seat is to pass or to play."""
        return self.seat in self.waiting_for


@dataclass(frozen=True)
class NewTable:
    """A table that was made, and the tokens that prove its seats (None: the service plays it)."""

    table_id: str
    tokens: tuple[str | None, ...]
    table: Table


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

    def move(
        self,
        state: GameState,
        *,
        game_id: str | None = None,
        hand: int | None = None,
        **ai_config: Any,
    ) -> Move:
        """The card that the service would play; `game_id` logs the decision with a game."""
        body = {"game_state": state, "ai_config": ai_config, "game_id": game_id, "hand": hand}
        answer = self._ask("/api/move", body)
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

    def choose_pass(
        self,
        state: GameState,
        *,
        game_id: str | None = None,
        hand: int | None = None,
        **ai_config: Any,
    ) -> Pass:
        """The three cards that the service would pass."""
        body = {"game_state": state, "ai_config": ai_config, "game_id": game_id, "hand": hand}
        answer = self._ask("/api/pass", body)
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

    def review(self, record: Mapping[str, Any], **ai_config: Any) -> Mapping[str, Any]:
        """A recorded hand after the fact: costs with their errors, mistakes in words, chances."""
        return self._ask("/api/review", {"record": record, "ai_config": ai_config})

    def review_game(self, game_id: str, **query: Any) -> Mapping[str, Any]:
        """The finished hands of a game that the service keeps, after the fact."""
        return self._ask(f"/api/games/{quote(game_id, safe='')}/review?{urlencode(query)}", None)

    def stats(self, group: str = "player", **query: Any) -> Sequence[Mapping[str, Any]]:
        """How players, levels or configs did in the hands that the service keeps."""
        rows = self._ask(f"/api/stats?{urlencode({'group': group, **query})}", None)["rows"]
        return tuple(rows)

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

    def new_table(self, **setup: Any) -> NewTable:
        """Make a live table: `seats`, `rules`, `target_score` and so on, all optional."""
        answer = self._ask("/api/tables", setup)
        return NewTable(answer["table_id"], tuple(answer["tokens"]), _table(answer["table"]))

    def tables(self, status: str = "open") -> Sequence[Mapping[str, Any]]:
        """What everybody may know of the newest tables."""
        found: Sequence[Mapping[str, Any]] = self._ask(f"/api/tables?status={status}", None)[
            "tables"
        ]
        return found

    def table(
        self, table_id: str, token: str | None = None, *, after: int | None = None, wait: float = 0
    ) -> Table:
        """A table now, or once it is at another version than `after`, or `wait` seconds later."""
        query = "" if after is None else f"?after={after}&wait={wait}"
        return _table(self._ask(f"/api/tables/{table_id}{query}", None, token))

    def watch_table(self, table_id: str, token: str | None = None) -> Iterator[Table]:
        """A table now, and again whenever it changes, until the match is over."""
        path = f"/api/tables/{table_id}/events"
        response = self._send("GET", path, None, token)
        if response.status != 200:
            raise _error(response.status, _decoded(response.read()))
        try:
            yield from (_table(view) for _, view in _events(response))
        finally:
            self.close()

    def pass_cards(
        self, table_id: str, token: str, cards: Sequence[str], version: int | None = None
    ) -> Table:
        """Pass three cards at a table; may be repeated."""
        return self._move(table_id, token, "pass", {"cards": cards, "version": version})

    def play_card(self, table_id: str, token: str, card: str, version: int | None = None) -> Table:
        """Play a card at a table; may be repeated."""
        return self._move(table_id, token, "play", {"card": card, "version": version})

    def claim(self, table_id: str, token: str) -> Table:
        """End a hand in which no points are left."""
        return self._move(table_id, token, "claim", {})

    def next_hand(self, table_id: str, token: str) -> Table:
        """Deal the next hand once one is over."""
        return self._move(table_id, token, "next", {})

    def new_game(self, **fields: Any) -> str:
        """Log a game, whole (`record`, `records`) or empty, and return its id."""
        answer = self._ask("/api/games", fields, **{"Idempotency-Key": secrets.token_hex(16)})
        return str(answer["game_id"])

    def add_events(self, game_id: str, number: int, *events: Mapping[str, Any]) -> int:
        """Log what happened, from event `number` on; returns how many events there are now."""
        body = {"number": number, "events": events}
        return int(self._ask(f"/api/games/{game_id}/events", body)["events"])

    def game(self, game_id: str) -> Mapping[str, Any]:
        """A game with its hands."""
        found: Mapping[str, Any] = self._ask(f"/api/games/{game_id}", None)["game"]
        return found

    def games(self, **filters: Any) -> Iterator[Mapping[str, Any]]:
        """All games, the newest first, page after page as they are looked at."""
        while True:
            page = self._ask(f"/api/games?{urlencode(filters)}", None)
            yield from page["games"]
            if page["next"] is None:
                return
            filters["cursor"] = page["next"]

    def _move(self, table_id: str, token: str, what: str, body: object) -> Table:
        return _table(self._ask(f"/api/tables/{table_id}/{what}", body, token))

    def _ask(
        self, path: str, body: object, token: str | None = None, **headers: str
    ) -> dict[str, Any]:
        """The answer to a question, asked again while the service is busy."""
        give_up = time.monotonic() + self._patience
        while True:
            method = "GET" if body is None else "POST"
            response = self._send(method, path, body, token, **headers)
            answer = _decoded(response.read())
            if response.status in (200, 201):
                return answer
            wait = float(response.headers.get("Retry-After") or 0)
            if response.status != 503 or not wait or time.monotonic() + wait > give_up:
                raise _error(response.status, answer)
            time.sleep(wait)

    def _send(
        self, method: str, path: str, body: object, token: str | None = None, **headers: str
    ) -> HTTPResponse:
        """Send a request; a connection that the service has closed meanwhile is opened again."""
        data = None if body is None else json.dumps(body)
        headers |= self._headers if token is None else self._headers | {"X-Seat-Token": token}
        for last in (False, True):
            try:
                # A service that refuses a body while it still comes has answered all the same.
                with suppress(BrokenPipeError):
                    self._connection.request(method, self._base + path, data, headers)
                return self._connection.getresponse()
            except (OSError, HTTPException) as error:
                self._connection.close()
                if last or isinstance(error, TimeoutError):
                    raise Unreachable(f"{type(error).__name__}: {error}") from error
        raise AssertionError("the loop above returns or raises")


def _table(view: Mapping[str, Any]) -> Table:
    hand = view["hand"]
    return Table(
        table_id=view["table_id"],
        version=view["version"],
        phase=view["phase"],
        seat=view["seat"],
        turn=hand["turn"],
        waiting_for=tuple(hand["waiting_for"]),
        cards=tuple(hand["cards"]),
        legal=tuple(hand["legal"]),
        totals=tuple(view["totals"]),
        game_state=view["game_state"],
        answer=view,
    )


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
