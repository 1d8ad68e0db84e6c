"""Clients with addresses of their own: every address of 127.0.0.0/8 belongs to this machine."""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

FORCED = {"game_state": {"player_hand": ["5H"]}}


class Client:
    """Sends requests from one address."""

    def __init__(self, base: str, address: str) -> None:
        self.place, self.address = urlsplit(base), address

    def ask(
        self, path: str = "/api/move", body: object = None, **headers: str
    ) -> tuple[int, dict[str, Any], HTTPResponse]:
        """Status, JSON and response of a POST of `body`, without one of a GET."""
        assert self.place.hostname
        made = HTTPConnection(
            self.place.hostname, self.place.port, timeout=60, source_address=(self.address, 0)
        )
        with closing(made) as connection:
            data = None if body is None else json.dumps(body)
            given = {"Content-Type": "application/json"} if body is not None else {}
            connection.request("GET" if body is None else "POST", path, data, given | headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read()), answer

    def statuses(self, times: int, path: str = "/api/move", **headers: str) -> list[int]:
        """The statuses of some moves, or of GETs of another path."""
        body = FORCED if path == "/api/move" else None
        return [self.ask(path, body, **headers)[0] for _ in range(times)]
