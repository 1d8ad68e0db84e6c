"""Answers as Flask responses.

The bodies are written without the schemas of answers, which would take longer; those describe the
answers in the OpenAPI document, and the tests validate every answer with them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from io import BytesIO

from flask import Response, request

from hearts.game.errors import InvalidConfig
from server.runtime.errors import InvalidAiConfig

_encode = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
).encode


def json_bytes(body: object) -> bytes:
    """Compact JSON in UTF-8."""
    # A message may quote a lone surrogate that a client sent; it can only be written escaped.
    return _encode(body).encode("utf-8", "backslashreplace")


def json_response(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A finished response, which flask-smorest sends unchanged."""
    return Response(json_bytes(body), status, headers, content_type="application/json")


def success(**fields: object) -> Response:
    """A 200 with the fields of an answer."""
    return json_response({"status": "success", **fields})


def unless_known(response: Response) -> Response:
    """The response with an ETag of its body; 304 if the client has it already."""
    response.add_etag()
    response.make_conditional(request)
    return response


def forbid_caching(response: Response) -> Response:
    """Let nobody keep an answer that does not say otherwise; one with an ETag is asked for again.

    Answers depend on keys and tokens in headers, which caches do not compare.
    """
    kept = "private, no-cache" if "ETag" in response.headers else "no-store"
    response.headers.setdefault("Cache-Control", kept)
    return response


def figure(draw: Callable[[BytesIO], object]) -> Response:
    """An SVG that `draw` writes to the file it is called with."""
    drawn = BytesIO()
    try:
        draw(drawn)
    except InvalidConfig as error:  # matplotlib is not installed
        raise InvalidAiConfig(error.reason, field=error.field) from None
    return Response(drawn.getvalue(), content_type="image/svg+xml")
