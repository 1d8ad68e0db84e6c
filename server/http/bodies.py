"""Request bodies: strict JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import reduce
from math import isinf
from typing import Any, NoReturn

from flask import Request
from flask_smorest import Blueprint
from gunicorn.http.errors import ParseException
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from server.http.errors import CODES
from server.http.schemas.replies import ErrorReply
from server.runtime.errors import ApiError, ParseError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
MAX_BODY = 256 * 1024  # bytes
MAX_BATCH_BODY = 2 * 1024 * 1024  # of many states: a full state late in a hand has 5 KB
BODY_LIMITS = {"/api/moves": MAX_BATCH_BODY}  # of paths that have another limit
# The content types of clients that set none: nothing, and the default of curl and urllib.
_DEFAULT_TYPES = ("", "application/x-www-form-urlencoded")


class StrictParser(FlaskParser):
    """Reads a body as JSON; raises ParseError if it is not."""

    DEFAULT_VALIDATION_STATUS = 400

    def _raw_load_json(self, req: Request) -> Any:
        # Pages of any origin can send the default types without asking first by a preflight.
        by_program = req.mimetype in _DEFAULT_TYPES and "Origin" not in req.headers
        if not (req.is_json or by_program):
            given = req.mimetype or "missing"
            raise ParseError(f"{given}: send application/json", field="Content-Type")
        return parse_json(_whole_body(req))


class HeartsBlueprint(Blueprint):  # type: ignore[misc]  # flask-smorest has no types
    """A group of endpoints whose bodies are strict JSON."""

    ARGUMENTS_PARSER = StrictParser()

    def arguments(self, schema: Any, *, location: str = "json", **options: Any) -> Decorator:
        """Read the arguments of an endpoint; a body may be too large."""
        read: Decorator = super().arguments(schema, location=location, **options)
        return read if location != "json" else _both(read, self._error(413, "HTTP_ERROR"))

    def raises(self, *kinds: type[ApiError]) -> Decorator:
        """Add the answers to some errors to the OpenAPI document."""
        codes: dict[int, list[str]] = {}
        for kind in kinds:
            codes.setdefault(CODES[kind].status, []).append(CODES[kind].error_code)
        answers = [self._error(status, *names) for status, names in codes.items()]
        return reduce(_both, answers)

    def _error(self, status: int, *codes: str) -> Decorator:
        made: Decorator = self.alt_response(
            status, schema=ErrorReply, description=" or ".join(f"`{code}`" for code in codes)
        )
        return made


def _both(first: Decorator, second: Decorator) -> Decorator:
    """A decorator that applies two of them."""
    return lambda function: first(second(function))


def body_limit(path: str) -> int:
    """The most bytes that the body of a request to a path may have."""
    return BODY_LIMITS.get(path, MAX_BODY)


def _whole_body(req: Request) -> bytes:
    """The complete body."""
    limit = body_limit(req.path)
    req.max_content_length = limit + 1  # a longer chunked body is cut there
    try:
        data = req.get_data(cache=False)
    except ParseException as error:
        raise ParseError(f"the body is not chunked correctly: {error}") from None
    except (ClientDisconnected, OSError):
        raise ParseError("the body is incomplete") from None
    if len(data) > limit:
        raise RequestEntityTooLarge
    if len(data) < (req.content_length or 0):
        raise ParseError("the body is incomplete")
    return data


def parse_json(data: bytes) -> Any:
    """The value of a JSON text in UTF-8."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
    except UnicodeDecodeError:
        raise ParseError("the body is not UTF-8") from None
    except RecursionError:
        raise ParseError("the body is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ParseError(f"the body is not JSON: {error}") from None
    except ValueError:  # Python's limit on the digits of an integer
        raise ParseError("the body has a number with too many digits") from None


def _finite(digits: str) -> float:
    """A finite number; JSON answers cannot contain infinity."""
    number = float(digits)
    if isinf(number):
        raise ParseError(f"the body has a number that is too large: {digits[:20]}")
    return number


def _no_constant(word: str) -> NoReturn:
    raise ParseError(f"the body is not JSON: {word} is not a number")
