"""Moves for many states in one request: each state is answered or rejected on its own.

Every state takes a slot of its own and gives it back, so that other requests get their turn between
two states. States that are not reached before the deadline, or before the client has hung up, are
rejected with BUSY.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from marshmallow import ValidationError

from hearts.game.errors import HeartsError
from server.http.errors import CODES, body_of, faults_at
from server.http.schemas.states import GameStateSchema
from server.runtime.errors import ApiError, Busy, ParseError
from server.runtime.peer import current_peer
from server.search.admission import CLIENT_GONE

State = Mapping[str, Any]
Answer = Callable[[State, tuple[str, int]], dict[str, object]]  # the move for a state and its path

_SCHEMA = GameStateSchema()


def answers(states: Sequence[State], answer: Answer, seconds: float) -> list[dict[str, object]]:
    """The results of all states in order; none is begun after some seconds."""
    deadline = time.monotonic() + seconds
    return [_result(number, state, answer, deadline) for number, state in enumerate(states)]


def counted(results: Sequence[Mapping[str, object]]) -> dict[str, int]:
    """How many states were answered, and how many rejected."""
    answered = sum(result["status"] == "success" for result in results)
    return {"answered": answered, "rejected": len(results) - answered}


def _result(number: int, state: State, answer: Answer, deadline: float) -> dict[str, object]:
    try:
        if current_peer().gone:
            raise Busy(CLIENT_GONE)
        if time.monotonic() >= deadline:
            raise Busy("the deadline of the request came first: send this state again")
        body, status = {"status": "success", **answer(_checked(number, state), _path(number))}, 200
    except (ApiError, HeartsError) as error:
        body, status = body_of(error), CODES[type(error)].status
    return {"index": number, "http_status": status, **body}


def _path(number: int) -> tuple[str, int]:
    return "states", number


def _checked(number: int, state: State) -> State:
    """The state, if its fields have the right types."""
    try:
        loaded: State = _SCHEMA.load(state)
    except ValidationError as error:
        place = f"states[{number}]"
        raise ParseError(faults_at(place, error.messages)) from None
    return loaded
