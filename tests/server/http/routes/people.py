"""Clients with API keys of their own, of one application that requires keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import Flask
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from server.http.services import services
from server.storage import api_keys
from tests.server.application import application


@dataclass(frozen=True)
class Person:
    """A client that sends some headers with every request, such as its key."""

    app: Flask
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **headers: str) -> TestResponse:
        """The answer to a GET."""
        return self.app.test_client().get(path, headers=self.headers | headers)

    def post(self, path: str, body: object, **headers: str) -> TestResponse:
        """The answer to a JSON body."""
        kind = {"Content-Type": "application/json"}
        sent = kind | self.headers | headers
        return self.app.test_client().post(path, data=json.dumps(body), headers=sent)

    def delete(self, path: str, **headers: str) -> TestResponse:
        """The answer to a DELETE."""
        return self.app.test_client().delete(path, headers=self.headers | headers)

    def new_game(self, body: object, **headers: str) -> str:
        """The id of a game that this client posts."""
        answer = self.post("/api/games", body, **headers)
        assert answer.status_code in (200, 201), answer.text
        found: str = answer.json["game_id"]
        return found

    def listed(self) -> list[str]:
        """The ids of all games that this client can list."""
        return [game["game_id"] for game in self.get("/api/games").json["games"]]


@dataclass(frozen=True)
class Keyed:
    """An application that requires keys, with two clients, and one without a key."""

    app: Flask
    ann: Person
    bob: Person

    @property
    def visitor(self) -> Person:
        """A client without a key."""
        return Person(self.app)

    @property
    def engine(self) -> Engine:
        """The database."""
        return services(self.app).engine


@contextmanager
def keyed(folder: Path, **settings: Any) -> Iterator[Keyed]:
    """An application that requires keys."""
    with application(folder, require_keys=True, **settings) as app:
        engine = services(app).engine
        ann, bob = (
            Person(app, {"X-API-Key": api_keys.create(engine, name)}) for name in ("ann", "bob")
        )
        yield Keyed(app, ann, bob)
