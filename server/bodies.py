"""Request bodies: strict JSON, whatever may be sent instead."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from flask import Request
from flask_smorest import Blueprint
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import ClientDisconnected

from server.refusals import Refusal

MAX_BODY = 256 * 1024  # bytes
# What programs claim that were told nothing about the content: none, and curl's and urllib's form.
_UNSAID = ("", "application/x-www-form-urlencoded")


class StrictParser(FlaskParser):
    """Reads a body as JSON; every way in which it is none is a PARSE_ERROR."""

    DEFAULT_VALIDATION_STATUS = 400

    def _raw_load_json(self, req: Request) -> Any:
        if not (req.is_json or req.mimetype in _UNSAID):
            raise Refusal("PARSE_ERROR", f"Content-Type: {req.mimetype}: send application/json")
        try:
            data = req.get_data(cache=False)
        except ClientDisconnected:
            raise Refusal("PARSE_ERROR", "the body did not arrive") from None
        return parse_json(data)


class HeartsBlueprint(Blueprint):  # type: ignore[misc]  # flask-smorest has no types
    """A group of endpoints whose bodies are strict JSON."""

    ARGUMENTS_PARSER = StrictParser()


def parse_json(data: bytes) -> Any:
    """The value of a JSON text in UTF-8."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise Refusal("PARSE_ERROR", "the body is not UTF-8") from None
    except RecursionError:
        raise Refusal("PARSE_ERROR", "the body is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Refusal("PARSE_ERROR", f"the body is not JSON: {error}") from None
    except ValueError:  # Python's limit on the digits of an integer
        raise Refusal("PARSE_ERROR", "the body has a number with too many digits") from None


def unknown_fields(body: dict[str, Any], known: frozenset[str]) -> list[str]:
    """Warnings of fields of a body that are not read."""
    return [f"{field[:40]}: unknown, ignored" for field in sorted(body.keys() - known)]


def _no_constant(word: str) -> NoReturn:
    raise Refusal("PARSE_ERROR", f"the body is not JSON: {word} is no number")
