"""A client of the service for one thread, on the standard library alone.

with HeartsClient("http://127.0.0.1:8080") as client:
    move = client.move({"player_hand": ["2C", "5C", "AS"]}, simulations=1000)
    print(move.card, move.explanation)
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlencode

from hearts.client.answers import Beliefs, GameState, Joined, Move, NewTable, Pass, Share, Table
from hearts.client.errors import ServiceError, Unreachable
from hearts.client.events import Event, read_events
from hearts.client.transport import (
    IDEMPOTENCY_KEY,
    QUEUED,
    Limits,
    Request,
    Response,
    Transport,
)


class HeartsClient:
    """A client of one service; not for use by several threads at once."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        api_key: str | None = None,
        timeout: float = 30.0,  # seconds for one exchange, and for a pause in a stream
        patience: float = 10.0,  # seconds to wait in total while the service is busy
        work: float = 600.0,  # seconds to wait in total for work that the service queues
    ) -> None:
        self._transport = Transport(url, Limits(timeout=timeout, patience=patience, work=work))
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
        """Close the connection; the next request opens it again."""
        self._transport.close()

    # Moves and beliefs

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
        return Move.read(self._post("/api/move", body))

    def moves(
        self, states: Sequence[GameState], **ai_config: Any
    ) -> list[Move | Mapping[str, Any]]:
        """The card for each of many states; for a state that is rejected, its error as JSON."""
        answer = self._post("/api/moves", {"states": states, "ai_config": ai_config})
        return [
            Move.read(each) if each["status"] == "success" else each for each in answer["results"]
        ]

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
        return Pass.read(self._post("/api/pass", body))

    def legal(self, state: GameState) -> tuple[str, ...]:
        """The cards that may be played."""
        return tuple(self._post("/api/legal", {"game_state": state})["legal_cards"])

    def beliefs(self, state: GameState, model: str | None = None, worlds: int = 0) -> Beliefs:
        """The beliefs of an opponent model."""
        body = {"game_state": state, "model": model, "worlds": worlds}
        return Beliefs.read(self._post("/api/beliefs", body))

    # Hands after the fact

    def analyse(self, record: Mapping[str, Any], **ai_config: Any) -> Mapping[str, Any]:
        """The cost of every decision of a recorded hand."""
        return self._post("/api/analysis", {"record": record, "ai_config": ai_config})

    def follow(self, states: Sequence[GameState], **ai_config: Any) -> Iterator[Event]:
        """The events of an analysis as they come; leaving the loop ends the search."""
        body = {"states": states, "ai_config": ai_config}
        return self._events(self._request("/api/analysis?stream=1", body))

    def review(self, record: Mapping[str, Any], **ai_config: Any) -> Mapping[str, Any]:
        """The review of a recorded hand: costs with their errors, mistakes in words, forecasts."""
        return self._post("/api/review", {"record": record, "ai_config": ai_config})

    def review_game(
        self, game_id: str, token: str | None = None, *, share: str | None = None, **query: Any
    ) -> Mapping[str, Any]:
        """The review of the finished hands of a stored game."""
        path = f"/api/games/{quote(game_id, safe='')}/review?{urlencode(query)}"
        return self._get(path, token, share)

    def stats(self, group: str = "player", **query: Any) -> Sequence[Mapping[str, Any]]:
        """The results of players, levels or configs in the stored hands."""
        return tuple(self._get(f"/api/stats?{urlencode({'group': group, **query})}")["rows"])

    # The service itself

    def models(self) -> Mapping[str, Any]:
        """All models, playouts, levels and other choices, and the ceilings."""
        return self._get("/api/models")

    def ready(self) -> bool:
        """Whether the service is ready for requests."""
        try:
            return self._transport.send(Request("GET", "/readyz")).status == 200
        except Unreachable:
            return False

    # Live tables

    def new_table(self, **setup: Any) -> NewTable:
        """Create a live table: `seats`, `rules`, `target_score` and so on, all optional."""
        return NewTable.read(self._post("/api/tables", setup))

    def join_table(self, table_id: str, invitation: str, name: str = "") -> Joined:
        """Take the seat of an invitation; the token is made here, so that a retry gets the seat."""
        body = {"invitation": invitation, "name": name, "token": secrets.token_urlsafe(24)}
        return Joined.read(self._post_once(f"/api/tables/{table_id}/join", body))

    def tables(self, status: str = "open") -> Sequence[Mapping[str, Any]]:
        """The public part of the newest tables."""
        return tuple(self._get(f"/api/tables?status={status}")["tables"])

    def table(
        self,
        table_id: str,
        token: str | None = None,
        *,
        after: int | None = None,
        wait: float = 0,
        share: str | None = None,
    ) -> Table:
        """A table now; with `after`, once its version differs or `wait` seconds have passed.

        `token` is that of a seat, `share` the watch token of a private table.
        """
        query = "" if after is None else f"?after={after}&wait={wait}"
        return Table.read(self._get(f"/api/tables/{table_id}{query}", token, share))

    def watch_table(
        self, table_id: str, token: str | None = None, *, share: str | None = None
    ) -> Iterator[Table]:
        """A table now, and again whenever it changes, until the match is over."""
        request = self._request(f"/api/tables/{table_id}/events?since=0", None, token, share)
        hands: list[Any] = []  # each finished hand is sent once
        for _, view in self._events(request):
            hands = [*hands[: view.get("hands_before", 0)], *view["hands"]]
            yield Table.read({**view, "hands": hands, "hands_before": 0})

    def pass_cards(
        self, table_id: str, token: str, cards: Sequence[str], version: int | None = None
    ) -> Table:
        """Pass three cards at a table; the same pass sent again changes nothing."""
        return self._move(table_id, token, "pass", {"cards": cards, "version": version})

    def play_card(self, table_id: str, token: str, card: str, version: int | None = None) -> Table:
        """Play a card at a table; the same card sent again changes nothing."""
        return self._move(table_id, token, "play", {"card": card, "version": version})

    def claim(self, table_id: str, token: str) -> Table:
        """End a hand in which no points are left."""
        return self._move(table_id, token, "claim", {})

    def next_hand(self, table_id: str, token: str) -> Table:
        """Deal the next hand once one is over."""
        return self._move(table_id, token, "next", {})

    # Stored games

    def new_game(self, **fields: Any) -> str:
        """Store a game, complete (`record`, `records`) or empty, and return its id."""
        return str(self._post_once("/api/games", fields)["game_id"])

    def add_events(self, game_id: str, number: int, *events: Mapping[str, Any]) -> int:
        """Append events, the first of them with `number`; return the number of events now."""
        body = {"number": number, "events": events}
        return int(self._post_once(f"/api/games/{game_id}/events", body)["events"])

    def game(
        self, game_id: str, token: str | None = None, *, share: str | None = None
    ) -> Mapping[str, Any]:
        """A game with its hands; `token` is that of a seat, `share` that of a link."""
        found: Mapping[str, Any] = self._get(f"/api/games/{game_id}", token, share)["game"]
        return found

    def share(self, game_id: str, token: str | None = None) -> Share:
        """Make a read-only link to the finished hands of a game of yours."""
        return Share.read(self._post(f"/api/games/{game_id}/shares", {}, token))

    def unshare(self, game_id: str, token: str | None = None) -> int:
        """Revoke all links to a game of yours, and return how many there were."""
        made = self._request(f"/api/games/{game_id}/shares", None, token)
        answer = self._transport.send(replace(made, method="DELETE"))
        return int(_success(answer)["revoked"])

    def games(self, **filters: Any) -> Iterator[Mapping[str, Any]]:
        """All games, the newest first; pages are requested as the iteration reaches them."""
        while True:
            page = self._get(f"/api/games?{urlencode(filters)}")
            yield from page["games"]
            if page["next"] is None:
                return
            filters["cursor"] = page["next"]

    def _move(self, table_id: str, token: str, kind: str, body: object) -> Table:
        return Table.read(self._post(f"/api/tables/{table_id}/{kind}", body, token))

    def _get(
        self, path: str, token: str | None = None, share: str | None = None
    ) -> Mapping[str, Any]:
        return _success(self._transport.send(self._request(path, None, token, share)))

    def _post(self, path: str, body: object, token: str | None = None) -> Mapping[str, Any]:
        return _success(self._transport.send(self._request(path, body, token)))

    def _post_once(self, path: str, body: object) -> Mapping[str, Any]:
        """Post with an idempotency key, so that the service executes a retry only once."""
        key = {IDEMPOTENCY_KEY: secrets.token_hex(16)}
        return _success(self._transport.send(self._request(path, body, **key)))

    def _request(
        self,
        path: str,
        body: object,
        token: str | None = None,
        share: str | None = None,
        **headers: str,
    ) -> Request:
        """A GET without a body, a POST with one."""
        headers |= self._headers
        headers |= {} if token is None else {"X-Seat-Token": token}
        headers |= {} if share is None else {"X-Share-Token": share}
        data = None if body is None else json.dumps(body).encode()
        return Request("GET" if data is None else "POST", path, data, headers)

    def _events(self, request: Request) -> Iterator[Event]:
        with self._transport.stream(request) as answer:
            if isinstance(answer, Response):
                raise _error(answer)
            yield from read_events(answer)


def _success(response: Response) -> Mapping[str, Any]:
    if response.status not in (200, 201):
        raise _error(response)
    return _object(response.body)


def _error(response: Response) -> ServiceError:
    answer = _object(response.body)
    if response.status == QUEUED:
        return ServiceError(QUEUED, "PENDING", "the work is not finished yet: ask again")
    code, message = answer.get("error_code", "HTTP_ERROR"), answer.get("message", "not JSON")
    return ServiceError(response.status, code, message)


def _object(body: bytes) -> Mapping[str, Any]:
    """The JSON object in a body; empty if the body is anything else."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {}
