"""HTTP requests to a running service, and people who play at its tables."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any

Body = dict[str, Any]
Tokens = Sequence[str | None]  # one per seat; None: an engine plays it
SECONDS = 120


class Client:
    """Sends requests to one service, with an API key where one is given."""

    def __init__(self, base: str, key: str | None = None) -> None:
        self.base = base
        self.headers = {"Content-Type": "application/json"}
        if key is not None:
            self.headers["X-API-Key"] = key

    def ask(self, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        """The status and text of an answer; with a body the request is a POST."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, self.headers | headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def get(self, path: str, **headers: str) -> Body:
        """The JSON of an answer to a GET that succeeds."""
        status, text = self.ask(path, **headers)
        assert status == 200, (path, text)
        found: Body = json.loads(text)
        return found

    def post(self, path: str, body: object, **headers: str) -> Body:
        """The JSON of an answer to a POST that succeeds."""
        status, text = self.ask(path, body, **headers)
        assert status in (200, 201), (path, text)
        found: Body = json.loads(text)
        return found

    def view(self, table_id: str, token: str | None = None, query: str = "") -> Body:
        """A table as one seat sees it, or without a token as everybody does."""
        return self.get(f"/api/tables/{table_id}{query}", **seat_headers(token))

    def at_table(self, table_id: str, what: str, token: str | None, **body: Any) -> Body:
        """Make a move at a table and return the new view."""
        return self.post(f"/api/tables/{table_id}/{what}", body, **seat_headers(token))


def seat_headers(token: str | None) -> dict[str, str]:
    """The header that proves a seat."""
    return {} if token is None else {"X-Seat-Token": token}


def stable(value: Any, dropped: frozenset[str]) -> Any:
    """A JSON value without the fields of some names."""
    if isinstance(value, dict):
        return {key: stable(each, dropped) for key, each in value.items() if key not in dropped}
    return [stable(each, dropped) for each in value] if isinstance(value, list) else value


def move(client: Client, own: Body, token: str, place: int) -> None:
    """Pass the first three cards, or play the legal one at a place of the list."""
    if own["phase"] == "passing":
        client.at_table(own["table_id"], "pass", token, cards=own["hand"]["cards"][:3])
    else:
        card = own["hand"]["legal"][place]
        client.at_table(own["table_id"], "play", token, card=card, version=own["version"])


def play_until(
    client: Client,
    table_id: str,
    tokens: Tokens,
    stop: Callable[[Body], bool] = lambda own: False,
    place: int = 0,
) -> Body:
    """Play for all people until `stop(view)` at somebody's turn, or until the hand is over."""
    while (view := client.view(table_id))["phase"] in ("passing", "playing"):
        people = [seat for seat in view["hand"]["waiting_for"] if tokens[seat] is not None]
        engines = len(people) < len(view["hand"]["waiting_for"])
        if engines:
            client.view(table_id, query=f"?after={view['version']}&wait=2")
            continue
        token = tokens[people[0]]
        assert token is not None
        own = client.view(table_id, token)
        if stop(own):
            return own
        move(client, own, token, place)
    return view


def continued(client: Client, table_id: str, tokens: Tokens) -> Body:
    """Play the current hand to its end, or the next one after a hand that is over; its record."""
    begun = client.view(table_id)
    people = [token for token in tokens if token is not None]
    # A table without people plays on by itself: its first hand may be over already.
    number = begun["hand"]["number"] if people else 0
    if begun["phase"] == "hand_over" and people:
        number = client.at_table(table_id, "next", people[0])["hand"]["number"]
    while len((view := client.view(table_id))["hands"]) <= number:
        if people:
            play_until(client, table_id, tokens)
        else:
            client.view(table_id, query=f"?after={view['version']}&wait=2")
    record: Body = view["hands"][number]["record"]
    return {key: record[key] for key in ("dealt", "passed", "plays", "points")}
