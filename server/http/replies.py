"""Answers: JSON in one piece, made without a second walk through a schema.

The schemas of answers document them; the tests hold every answer against its schema.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Response, request

_encode = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
).encode


def json_bytes(body: object) -> bytes:
    """Compact JSON in UTF-8."""
    # A surrogate that a client sent and a message quotes cannot be encoded: it is escaped.
    return _encode(body).encode("utf-8", "backslashreplace")


def json_response(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A finished response; flask-smorest sends it as it is."""
    return Response(json_bytes(body), status, headers, content_type="application/json")


def unless_known(response: Response) -> Response:
    """An answer with an ETag of what it says; 304 where the client has that already."""
    response.add_etag()
    response.make_conditional(request)
    return response


def success(**fields: Any) -> Response:
    """A 200 with the fields that every answer has."""
    return json_response({"status": "success", **fields})
