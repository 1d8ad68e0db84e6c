"""Connections of `http.client` that keep a deadline, even if the server sends byte by byte.

A timeout of a socket starts anew with every byte that arrives. Here each operation gets the time
that is left until the deadline of the whole exchange.
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
    """How long the next operation on a socket may take."""

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

    def __init__(self, line: socket, clock: Clock) -> None:
        self._line, self._clock = line, clock
        self._raw = line.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._line.settimeout(self._clock.remaining())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedSocket:
    """The part of a socket that `http.client` uses."""

    def __init__(self, line: socket, clock: Clock) -> None:
        self._line, self._clock = line, clock

    def sendall(self, data: ReadableBuffer) -> None:
        self._line.settimeout(self._clock.remaining())
        self._line.sendall(data)

    def makefile(self, _mode: str) -> BufferedReader:
        return BufferedReader(_TimedReader(self._line, self._clock))

    def close(self) -> None:
        self._line.close()

    def is_readable(self) -> bool:
        """Whether bytes or the end of the connection have arrived, or it is closed already."""
        if self._line.fileno() < 0:
            return True
        with selectors.DefaultSelector() as selector:
            selector.register(self._line, selectors.EVENT_READ)
            return bool(selector.select(timeout=0))


class Connection(HTTPConnection):
    """A connection whose operations end at the deadline of `clock`."""

    clock: Clock
    sock: socket | _TimedSocket | None

    def connect(self) -> None:
        """Connect; every operation on the socket gets the time that is left."""
        self.timeout = self.clock.remaining()
        super().connect()
        assert isinstance(self.sock, socket)
        self.sock = _TimedSocket(self.sock, self.clock)

    @property
    def is_stale(self) -> bool:
        """Whether the server has closed the connection, or sent what nobody asked for."""
        return isinstance(self.sock, _TimedSocket) and self.sock.is_readable()


class SecureConnection(Connection, HTTPSConnection):
    """The same over TLS."""


def connection_to(place: SplitResult) -> Connection:
    """An unconnected connection to the host and port of an address."""
    if place.scheme not in ("http", "https") or not place.hostname:
        raise ValueError("neither http:// nor https:// and a host")
    kind = SecureConnection if place.scheme == "https" else Connection
    made = kind(place.hostname, place.port)
    made.clock = Clock()
    return made
