"""Errors that gunicorn answers by itself, in the envelope of all other errors."""

from __future__ import annotations

from server.http.errors import envelope
from server.http.replies import json_bytes


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
        lines = [
            status or b"HTTP/1.1 400 Bad Request",
            b"Connection: close",
            b"Content-Type: application/json",
            b"Content-Length: %d" % len(body),
            *([b"Access-Control-Allow-Origin: *"] if origins in ("auto", "*") else []),
        ]
        return b"\r\n".join([*lines, b"", body])
