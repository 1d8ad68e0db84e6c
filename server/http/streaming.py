"""Server-sent events: a stream of search events as a Flask response."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import structlog
from flask import Response

from server.http.errors import CODES, envelope
from server.http.replies import json_bytes
from server.runtime.errors import ApiError
from server.search.streaming import EventStream

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


def stream_response(stream: EventStream) -> Response:
    """The events of a stream; the end of the response stops the search and frees its slot."""
    return event_response(_encoded(stream), stream.close)


def event_response(events: Iterator[bytes], on_close: Callable[[], object]) -> Response:
    """A response of server-sent events; `on_close` is called when it ends."""
    response = Response(events, content_type=CONTENT_TYPE)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # nginx would hold events back until it has 4 KB
    response.call_on_close(on_close)
    return response


def event(kind: str, data: object, number: int | None = None) -> bytes:
    """One server-sent event; `data` is sent as JSON, `number` as its id."""
    identity = b"" if number is None else b"id: %d\n" % number
    return b"event: %b\n%bdata: %b\n\n" % (kind.encode(), identity, json_bytes(data))


def comment(text: str) -> bytes:
    """A line that clients ignore; it keeps the connection alive."""
    return b": %b\n\n" % text.encode()


def _encoded(stream: EventStream) -> Iterator[bytes]:
    """The events of a stream; a failure is the last one, since the status has been sent."""
    yield comment("search started")  # sends the headers at once
    try:
        for each in stream.events():
            yield comment("searching") if each is None else event(*each)
    except ApiError as error:
        stream.close()
        yield event("error", envelope(CODES[type(error)].error_code, str(error)))
    except Exception:
        log.exception("stream failed")
        stream.close()
        yield event("error", envelope(CODES[Exception].error_code, "the search failed"))
