"""Request bodies: strict JSON, whatever may be sent instead."""

from __future__ import annotations

import json
from math import isinf
from typing import Any, NoReturn

from flask import Request
from flask_smorest import Blueprint
from gunicorn.http.errors import ParseException
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from server.runtime.errors import ParseError

MAX_BODY = 256 * 1024  # bytes
# What programs claim that were told nothing about the content: none, and curl's and urllib's form.
_UNSAID = ("", "application/x-www-form-urlencoded")


class StrictParser(FlaskParser):
    """Reads a body as JSON; every way in which it is none is a PARSE_ERROR."""

    DEFAULT_VALIDATION_STATUS = 400

    def _raw_load_json(self, req: Request) -> Any:
        if not (req.is_json or req.mimetype in _UNSAID):
            raise ParseError(f"{req.mimetype}: send application/json", field="Content-Type")
        return parse_json(_whole_body(req))


class HeartsBlueprint(Blueprint):  # type: ignore[misc]  # flask-smorest has no types
    """A group of endpoints whose bodies are strict JSON."""

    ARGUMENTS_PARSER = StrictParser()


def _whole_body(req: Request) -> bytes:
    """The body, neither cut nor short."""
    req.max_content_length = MAX_BODY + 1  # a chunked one that is longer is cut there
    try:
        data = req.get_data(cache=False)
    except ParseException as error:
        raise ParseError(f"the body is not chunked as HTTP has it: {error}") from None
    except (ClientDisconnected, OSError):
        raise ParseError("the body did not arrive") from None
    if len(data) > MAX_BODY:
        raise RequestEntityTooLarge
    if len(data) < (req.content_length or 0):
        raise ParseError("the body did not arrive")
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
    """A number; one that is too large would be kept as infinity, which no answer can say."""
    number = float(digits)
    if isinf(number):
        raise ParseError(f"the body has a number that is too large: {digits[:20]}")
    return number


def _no_constant(word: str) -> NoReturn:
    raise ParseError(f"the body is not JSON: {word} is no number")
