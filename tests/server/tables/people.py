"""People at tables: what they ask of the service, and how they play."""

from __future__ import annotations

import time
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from hearts.game.cards import ALL_CARDS, name
from server.http.services import services

View = dict[str, Any]
DECK = {name(card) for card in ALL_CARDS}
QUICK = {"ai_config": {"simulations": 20, "worlds": 2, "passing": "rule"}}  # a bot


class Seat:
    """One seat of a table, proved by its token; without one, somebody who only looks."""

    def __init__(self, app: Flask, table_id: str, token: str | None) -> None:
        self.client, self.table_id, self.token = app.test_client(), table_id, token

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.token is None else {"X-Seat-Token": self.token}

    def get(self, query: str = "") -> View:
        answer = self.client.get(f"/api/tables/{self.table_id}{query}", headers=self.headers)
        assert answer.status_code == 200, answer.text
        view: View = answer.json
        return view

    def ask(self, what: str, **body: Any) -> TestResponse:
        """Post a move."""
        path = f"/api/tables/{self.table_id}/{what}"
        return self.client.post(path, json=body, headers=self.headers)

    def do(self, what: str, **body: Any) -> View:
        """Post a move that is accepted."""
        answer = self.ask(what, **body)
        assert answer.status_code == 200, answer.text
        view: View = answer.json
        return view

    def refused(self, what: str, **body: Any) -> tuple[int, str, str]:
        """Post a move that is not; the status, the error code and the message."""
        answer = self.ask(what, **body)
        assert answer.status_code >= 400, answer.text
        return answer.status_code, answer.json["error_code"], answer.json["message"]

    def until(self, *phases: str, seconds: float = 60.0) -> View:
        """The view once the table is in one of some phases, or waits for this seat."""
        view, end = self.get(), time.monotonic() + seconds
        while view["phase"] not in phases and view["seat"] not in view["hand"]["waiting_for"]:
            assert time.monotonic() < end, f"nothing happens: {view['phase']} {view['version']}"
            view = self.get(f"?after={view['version']}&wait=2")
        return view

    def changed(self, known: int) -> View:
        """The view once the table is at another version."""
        view, end = self.get(), time.monotonic() + 60
        while view["version"] == known:
            assert time.monotonic() < end, f"nothing happens: {view['phase']} {known}"
            view = self.get(f"?after={known}&wait=2")
        return view

    def play_on(self, view: View) -> View:
        """Make the first move that comes to mind."""
        hand = view["hand"]
        if view["phase"] == "hand_over":
            return self.do("next")
        if view["phase"] == "passing":
            return self.do("pass", cards=hand["cards"][:3])
        return self.do("play", card=hand["legal"][0], version=view["version"])


class Lobby:
    """Where tables are made."""

    def __init__(self, app: Flask) -> None:
        self.app, self.services = app, services(app)
        self.client = app.test_client()

    def make(self, *seats: Any, **more: Any) -> tuple[str, list[Seat]]:
        """A public table with quick bots, and all its seats; those of bots are without a token."""
        quick = {"pace_ms": 0} if "human" in str(seats) else {}
        asked = {"seats": list(seats), "public": True, **quick, **more}
        answer = self.client.post("/api/tables", json=asked)
        assert answer.status_code == 201, answer.text
        table_id, tokens = answer.json["table_id"], answer.json["tokens"]
        for seat, invitation in enumerate(answer.json["invitations"]):
            if invitation is not None:
                tokens[seat] = self.join(table_id, invitation).json["token"]
        return table_id, [Seat(self.app, table_id, token) for token in tokens]

    def join(self, table_id: str, invitation: str, **more: Any) -> TestResponse:
        """Take the seat of an invitation."""
        body = {"invitation": invitation, **more}
        return self.client.post(f"/api/tables/{table_id}/join", json=body)

    def people(self, **more: Any) -> tuple[str, list[Seat]]:
        """A table of four people."""
        return self.make("human", "human", "human", "human", **more)

    def anybody(self, table_id: str) -> Seat:
        """Somebody without a seat."""
        return Seat(self.app, table_id, None)

    def post(self, path: str, body: object) -> Any:
        """The answer to a question that has one."""
        answer = self.client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json


def passed(seats: list[Seat]) -> View:
    """The view of the last seat once all four people have passed their first three cards."""
    for seat in seats:
        view = seat.do("pass", cards=seat.get()["hand"]["cards"][:3])
    return view
