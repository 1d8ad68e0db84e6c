"""Connections of `http.client` that keep a deadline, even if the server sends byte by byte.

The timeout of a socket restarts with every byte that arrives. Here each operation gets only the
time left until the deadline of the whole exchange.
"""

from __future__ import annotations

import selectors
from http.client import HTTPConnection, HTTPSConnection
from io import BufferedReader, RawIOBase
from math import inf
from socket import socket
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import SplitResult

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


class Clock:
    """The time that the next operation on a socket may take."""

    def __init__(self) -> None:
        self.deadline = inf  # by time.monotonic()
        self.idle = inf  # seconds that a single operation may take

    def start(self, seconds: float) -> None:
        """Set the deadline of an exchange that begins now."""
        self.deadline, self.idle = monotonic() + seconds, inf

    def limit_pauses(self, seconds: float) -> None:
        """Replace the deadline by a limit on each pause, for an answer without a known end."""
        self.deadline, self.idle = inf, seconds

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return monotonic() >= self.deadline

    def remaining(self) -> float:
        """The timeout of the next operation."""
        if self.is_over:
            raise TimeoutError("the deadline has passed")
        return min(self.deadline - monotonic(), self.idle)


class _TimedReader(RawIOBase):
    """Reads from a socket until the deadline."""

    def __init__(self, raw: socket, clock: Clock) -> None:
        self._socket, self._clock = raw, clock
        self._raw = raw.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._socket.settimeout(self._clock.remaining())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedSocket:
    """The part of a socket that `http.client` uses."""

    def __init__(self, raw: socket, clock: Clock) -> None:
        self._socket, self._clock = raw, clock

    def sendall(self, data: ReadableBuffer) -> None:
        self._socket.settimeout(self._clock.remaining())
        self._socket.sendall(data)

    def makefile(self, _mode: str) -> BufferedReader:
        return BufferedReader(_TimedReader(self._socket, self._clock))

    def close(self) -> None:
        self._socket.close()

    def is_readable(self) -> bool:
        """Whether data or the end of the stream has arrived, or the socket is closed."""
        if self._socket.fileno() < 0:
            return True
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            return bool(selector.select(timeout=0))


class Connection(HTTPConnection):
    """A connection whose operations end at the deadline of `clock`."""

    clock: Clock
    sock: socket | _TimedSocket | None

    def connect(self) -> None:
        """Connect; each operation on the socket gets the time left until the deadline."""
        self.timeout = self.clock.remaining()
        super().connect()
        assert isinstance(self.sock, socket)
        self.sock = _TimedSocket(self.sock, self.clock)

    @property
    def is_stale(self) -> bool:
        """Whether the server has closed the connection, or sent unrequested data."""
        return isinstance(self.sock, _TimedSocket) and self.sock.is_readable()


class SecureConnection(Connection, HTTPSConnection):
    """The same over TLS."""


def connection_to(url: SplitResult) -> Connection:
    """A connection to the host and port of an address, not yet open."""
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError("an address has http:// or https://, and a host")
    kind = SecureConnection if url.scheme == "https" else Connection
    connection = kind(url.hostname, url.port)
    connection.clock = Clock()
    return connection
