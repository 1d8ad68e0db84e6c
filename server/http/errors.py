"""What a client is told when it gets no answer: one exception, one envelope, one table.

    {"status": "error", "error_code": …, "message": …}

`error_code` is for programs, `message` for people; it names the client's own field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flask import Flask, Response, request
from flask_smorest import Api
from sqlalchemy import exc
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from hearts.game.errors import (
    HeartsError,
    IllegalMove,
    ImpossibleView,
    InvalidCard,
    InvalidConfig,
    InvalidRecord,
    InvalidRules,
)
from server.http.replies import json_response
from server.http.schemas.replies import ErrorReply

# Every error code and its status; a test proves that API_SPEC.md has the same table.
STATUS = {
    "PARSE_ERROR": 400,  # the body is no JSON, or not of the shape of its schema
    "INVALID_GAME_STATE": 400,
    "NO_LEGAL_MOVES": 400,
    "ILLEGAL_MOVE": 400,  # a card that may not be played, or passed
    "AI_CONFIG_ERROR": 400,
    "API_KEY_ERROR": 401,
    "FORBIDDEN": 403,  # a seat that the token does not prove
    "NOT_FOUND": 404,
    "CONFLICT": 409,  # a move that is none of the present
    "PRECONDITION_FAILED": 412,  # If-Match names another version
    "RATE_LIMITED": 429,
    "HTTP_ERROR": 404,  # or whatever HTTP has for it
    "INTERNAL_ERROR": 500,
    "BUSY": 503,
    "NOT_READY": 503,
}
# What the engine objects to, in the words of the API.
CODES: dict[type[HeartsError], str] = {
    InvalidCard: "INVALID_GAME_STATE",
    InvalidRules: "INVALID_GAME_STATE",
    IllegalMove: "INVALID_GAME_STATE",
    ImpossibleView: "INVALID_GAME_STATE",
    InvalidRecord: "INVALID_GAME_STATE",
    InvalidConfig: "AI_CONFIG_ERROR",
}
MESSAGE_LIMIT = 500  # characters: a message may quote what a client sent


class Refusal(Exception):
    """No answer, and why; `more` are further fields of the envelope."""

    def __init__(
        self, error_code: str, message: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(message)
        self.error_code, self.message, self.more = error_code, message, more
        self.headers = headers or {}

    def response(self) -> Response:
        """The answer."""
        body = envelope(self.error_code, self.message) | self.more
        return json_response(body, STATUS[self.error_code], self.headers)


class HeartsApi(Api):  # type: ignore[misc]  # flask-smorest has no types
    """flask-smorest with our error envelope, in the answers and in the OpenAPI document."""

    ERROR_SCHEMA = ErrorReply

    def handle_http_exception(self, error: HTTPException) -> Response:
        """Put any HTTP error into the envelope; an uncaught exception arrives here as a 500."""
        code = error.code or 500
        if code in (400, 422):
            return json_response(envelope("PARSE_ERROR", _faults(error)), 400)
        error_code = "HTTP_ERROR" if code < 500 else "INTERNAL_ERROR"
        # Allow on a 405 and the like stay; the HTML body's own headers do not.
        kept = {k: v for k, v in error.get_headers() if k.lower() != "content-type"}
        return json_response(envelope(error_code, _reason(error)), code, kept)


def register(app: Flask) -> None:
    """Answer every refusal and every objection of the engine with the envelope."""
    app.register_error_handler(Refusal, Refusal.response)
    app.register_error_handler(HeartsError, refuse)
    for fault in (exc.OperationalError, exc.InterfaceError, exc.TimeoutError):
        app.register_error_handler(fault, _without_database)


def envelope(error_code: str, message: str) -> dict[str, Any]:
    """The body of every error."""
    return {"status": "error", "error_code": error_code, "message": short(message)}


def short(message: str) -> str:
    """A message that is not quoted at length."""
    return message if len(message) <= MESSAGE_LIMIT else f"{message[:MESSAGE_LIMIT]}…"


def refuse(error: HeartsError) -> Response:
    """The answer to an objection of the engine that nobody has put into the client's words."""
    place = "ai_config." if isinstance(error, InvalidConfig) else ""
    return Refusal(CODES[type(error)], f"{place}{error}").response()


def _without_database(_error: exc.SQLAlchemyError) -> Response:
    """The answer to a request that cannot do without the database while it is gone."""
    reason = "the database does not answer"
    return Refusal("NOT_READY", reason, {"Retry-After": "1"}, reasons=[reason]).response()


def _reason(error: HTTPException) -> str:
    """What HTTP objects to; of a wrong address that it is one."""
    if isinstance(error, NotFound):
        return f"{request.path}: there is no such path"
    if isinstance(error, MethodNotAllowed):
        choices = ", ".join(sorted(error.valid_methods or ()))
        return f"{request.path}: {request.method} is not answered here; choose {choices}"
    return error.description or error.name


def _faults(error: HTTPException) -> str:
    """The first faults that a schema found, field by field, or what the error says itself."""
    messages = getattr(error, "data", {}).get("messages", {})
    found = [fault for where in messages.values() for fault in _flat(where, "")]
    return "; ".join(found[:3]) if found else error.description or error.name


def _flat(messages: object, place: str) -> Iterator[str]:
    """Marshmallow's nested faults as `game_state.scores[1]: must be …`."""
    if not isinstance(messages, Mapping):
        for why in messages if isinstance(messages, list) else [messages]:
            yield f"{place or 'the body'}: {why}"
        return
    for key, below in messages.items():
        if key == "_schema":
            yield from _flat(below, place)
        elif isinstance(key, int):
            yield from _flat(below, f"{place}[{key}]")
        else:
            yield from _flat(below, f"{place}.{key}" if place else str(key))
