"""Server-sent events: a stream of search events as a Flask response."""

from __future__ import annotations

from collections.abc import Iterator

import structlog
from flask import Response

from server.http.errors import CODES, envelope
from server.http.replies import json_bytes
from server.search.streaming import SearchStream

CONTENT_TYPE = "text/event-stream; charset=utf-8"
log = structlog.stdlib.get_logger("hearts.streams")


def event_schema(*kinds: str) -> dict[str, object]:
    """One event in the OpenAPI document; `data` is JSON as a text."""
    return {
        "type": "object",
        "properties": {
            "event": {"type": "string", "enum": list(kinds)},
            "data": {"type": "string"},
        },
        "required": ["event", "data"],
    }


def stream_response(stream: SearchStream) -> Response:
    """The events of a stream; the end of the response stops the search and frees its slot."""
    response = Response(_encoded(stream), content_type=CONTENT_TYPE)
    response.headers["Cache-Control"] = "no-store"
    response.call_on_close(stream.close)
    return response


def event(kind: str, data: object) -> bytes:
    """One server-sent event; `data` is sent as JSON."""
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), json_bytes(data))


def comment(text: str) -> bytes:
    """A line that clients ignore; it keeps the connection alive."""
    return b": %b\n\n" % text.encode()


def _encoded(stream: SearchStream) -> Iterator[bytes]:
    """The events of a stream; a failure is the last one, since the status has been sent."""
    yield comment("search started")  # sends the headers at once
    try:
        for each in stream.events():
            yield comment("searching") if each is None else event(*each)
    except Exception:
        log.exception("stream failed")
        stream.close()
        yield event("error", envelope(CODES[Exception].error_code, "the search failed"))
