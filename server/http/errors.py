"""Error answers: the table from exception class to error code and status, and its Flask handlers.

    {"status": "error", "error_code": …, "message": …}

`error_code` is for programs. `message` is for people and names the field at fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from flask import Flask, Response, request
from flask_smorest import Api
from sqlalchemy import exc
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.exceptions import NotFound as PathNotFound

from hearts.game import errors as engine
from server.http.replies import json_response
from server.http.schemas.replies import ErrorReply
from server.runtime import errors
from server.runtime.messages import short
from server.storage.database import problem_of


class Code(NamedTuple):
    """How an error is answered."""

    error_code: str
    status: int


_INVALID_STATE = Code("INVALID_GAME_STATE", 400)
_NOT_READY = Code("NOT_READY", 503)
# Every error that a request can meet. Tests compare it with the class trees and with API_SPEC.md.
CODES: dict[type[Exception], Code] = {
    errors.ParseError: Code("PARSE_ERROR", 400),
    errors.InvalidGameState: _INVALID_STATE,
    errors.RejectedMove: Code("ILLEGAL_MOVE", 400),
    errors.InvalidAiConfig: Code("AI_CONFIG_ERROR", 400),
    errors.InvalidApiKey: Code("API_KEY_ERROR", 401),
    errors.Forbidden: Code("FORBIDDEN", 403),
    errors.NotFound: Code("NOT_FOUND", 404),
    errors.Conflict: Code("CONFLICT", 409),
    errors.PreconditionFailed: Code("PRECONDITION_FAILED", 412),
    errors.RateLimited: Code("RATE_LIMITED", 429),
    errors.Busy: Code("BUSY", 503),
    errors.JobFailed: Code("JOB_FAILED", 500),
    errors.NotReady: _NOT_READY,
    engine.FieldError: _INVALID_STATE,
    engine.InvalidCard: _INVALID_STATE,
    engine.InvalidRules: _INVALID_STATE,
    engine.IllegalMove: _INVALID_STATE,
    engine.ImpossibleView: _INVALID_STATE,
    engine.NothingToPlay: Code("NO_LEGAL_MOVES", 400),
    engine.InvalidRecord: _INVALID_STATE,
    engine.InvalidConfig: Code("AI_CONFIG_ERROR", 400),
    exc.OperationalError: _NOT_READY,
    exc.InterfaceError: _NOT_READY,
    exc.TimeoutError: _NOT_READY,
    HTTPException: Code("HTTP_ERROR", 404),  # or the status of the exception
    Exception: Code("INTERNAL_ERROR", 500),
}


class HeartsApi(Api):  # type: ignore[misc]  # flask-smorest has no types
    """flask-smorest with our error envelope, in the answers and in the OpenAPI document."""

    ERROR_SCHEMA = ErrorReply

    def handle_http_exception(self, error: HTTPException) -> Response:
        """Put any HTTP error into the envelope; an uncaught exception arrives here as a 500."""
        return answer_http(error)


def answer_http(error: HTTPException) -> Response:
    """The answer to an error of Flask or flask-smorest."""
    status = error.code or 500
    if status in (400, 422):
        return answer(errors.ParseError(_faults(error)))
    error_code = CODES[HTTPException if status < 500 else Exception].error_code
    # Keep headers such as Allow on a 405, but not those of werkzeug's HTML body.
    kept = {k: v for k, v in error.get_headers() if k.lower() != "content-type"}
    return json_response(envelope(error_code, _reason(error)), status, kept)


def register(app: Flask) -> None:
    """Answer the errors of the table with the envelope."""
    app.register_error_handler(errors.ApiError, answer)
    app.register_error_handler(engine.HeartsError, _answer_engine)
    for fault in (exc.OperationalError, exc.InterfaceError, exc.TimeoutError):
        app.register_error_handler(fault, _answer_database)


def answer(error: errors.ApiError) -> Response:
    """The answer to an error of the domain code."""
    return json_response(body_of(error), CODES[type(error)].status, _headers(error))


def body_of(error: errors.ApiError | engine.HeartsError) -> dict[str, object]:
    """The body of the answer to an error of the domain code or of the engine."""
    place = "ai_config." if isinstance(error, engine.InvalidConfig) else ""
    details = error.details if isinstance(error, errors.ApiError) else {}
    return envelope(CODES[type(error)].error_code, f"{place}{error}") | details


def envelope(error_code: str, message: str) -> dict[str, object]:
    """The body of every error."""
    return {"status": "error", "error_code": error_code, "message": short(message)}


def _headers(error: errors.ApiError) -> dict[str, str]:
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    if isinstance(error, errors.InvalidApiKey):
        headers["WWW-Authenticate"] = "Bearer"
    return headers


def _answer_engine(error: engine.HeartsError) -> Response:
    """The answer to an error of the engine that no endpoint has converted."""
    return json_response(body_of(error), CODES[type(error)].status)


def _answer_database(error: exc.SQLAlchemyError) -> Response:
    """The answer to a request that needs the database while it is down, full or overloaded."""
    problem = problem_of(error)
    return answer(errors.NotReady(problem, retry_after=1, reasons=[problem]))


def _reason(error: HTTPException) -> str:
    """The message of an HTTP error; for a wrong path or method, one that quotes it."""
    if isinstance(error, PathNotFound):
        return f"{request.path}: there is no such path"
    if isinstance(error, MethodNotAllowed):
        choices = ", ".join(sorted(error.valid_methods or ()))
        return f"{request.path}: {request.method} is not answered here; choose {choices}"
    return error.description or error.name


def _faults(error: HTTPException) -> str:
    """The first three faults that a schema found, or the message of the error itself."""
    messages = getattr(error, "data", {}).get("messages", {})
    found = [fault for where in messages.values() for fault in _flat(where, "")]
    return _first(found) if found else error.description or error.name


def faults_at(place: str, messages: object) -> str:
    """The first three faults that a schema found in the field `place`."""
    return _first([*_flat(messages, place)])


def _first(faults: list[str]) -> str:
    return "; ".join(faults[:3])


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
