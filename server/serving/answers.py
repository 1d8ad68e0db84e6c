"""Answers without the application: errors of gunicorn's parser, and refusals by the poller."""

from __future__ import annotations

from dataclasses import dataclass

from server.http.errors import envelope
from server.http.replies import json_bytes


@dataclass(frozen=True)
class EarlyAnswer:
    """An answer to a request that gets no thread."""

    status: bytes
    error_code: str
    message: str
    headers: tuple[bytes, ...] = ()

    def as_bytes(self, origins: str) -> bytes:
        """The whole answer."""
        body = json_bytes(envelope(self.error_code, self.message))
        return _answer(b"HTTP/1.1 " + self.status, body, origins, self.headers)


TOO_LARGE = EarlyAnswer(
    b"413 Content Too Large",
    "HTTP_ERROR",
    "The data value transmitted exceeds the capacity limit.",
)
BUSY = EarlyAnswer(
    b"503 Service Unavailable",
    "BUSY",
    "too many requests of this kind wait: try again",
    (b"Retry-After: 1",),
)


class ErrorPage:
    """Takes the HTML page that gunicorn writes about an error, in place of the client's socket."""

    data = b""

    def gettimeout(self) -> float:
        """Report a socket that does not block."""
        return 0.0

    def sendall(self, data: bytes) -> None:
        """Keep a piece of the page."""
        self.data += data

    def as_json(self, reason: str, origins: str) -> bytes:
        """The response with the status of the page and the JSON envelope."""
        status, _, _ = self.data.partition(b"\r\n")
        if status.startswith(b"HTTP/1.1 500"):
            body = json_bytes(envelope("INTERNAL_ERROR", "Internal Server Error"))
        else:
            body = json_bytes(envelope("HTTP_ERROR", reason))
        return _answer(status or b"HTTP/1.1 400 Bad Request", body, origins)


def _answer(status: bytes, body: bytes, origins: str, headers: tuple[bytes, ...] = ()) -> bytes:
    """A whole answer, after which the connection is closed."""
    lines = [
        status,
        b"Connection: close",
        b"Content-Type: application/json",
        b"Content-Length: %d" % len(body),
        *headers,
        *([b"Access-Control-Allow-Origin: *"] if origins in ("auto", "*") else []),
    ]
    return b"\r\n".join([*lines, b"", body])
