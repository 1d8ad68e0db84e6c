"""A client's socket that never blocks a thread for long."""

from __future__ import annotations

import errno
import socket
import time

PEEK = 64 * 1024  # bytes of a request that are examined before a thread reads it
IDLE_SECONDS = 10.0  # the longest pause of a client while a thread reads from it or writes to it
REQUEST_SECONDS = 20.0  # until a whole request must have arrived, in however many pieces


class Connection(socket.socket):
    """The socket of gunicorn's threaded worker, with limits where that one blocks without end."""

    deadline = 0.0  # of the request that a thread reads, by time.monotonic()
    low_water = 1  # bytes that must have arrived before the poller reports the socket

    def setblocking(self, flag: bool) -> None:
        """Block with a timeout, so that a slow client releases its thread."""
        self.deadline = time.monotonic() + REQUEST_SECONDS
        self.settimeout(IDLE_SECONDS if flag else 0.0)

    def peek(self) -> bytes:
        """The beginning of the bytes that have arrived and are still unread; never waits."""
        if self.gettimeout() != 0:  # blocking: the connection does not come from the poller
            return b""
        try:
            return super().recv(PEEK, socket.MSG_PEEK)
        except OSError:
            return b""

    def has_head(self) -> bool:
        """Whether the head of a request has arrived, or nothing more will come.

        Otherwise the poller reports the socket again only when there are more bytes.
        """
        data = self.peek()
        ended = len(data) < self.low_water  # reported without more bytes: the client has hung up
        complete = ended or len(data) == PEEK or b"\r\n\r\n" in data
        self._report_at(1 if complete else len(data) + 1)
        return complete

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Read; a client that is too slow counts as gone."""
        try:
            data = super().recv(size, flags)
        except TimeoutError:
            raise ConnectionResetError(errno.ECONNRESET, "the client is too slow") from None
        if data and time.monotonic() > self.deadline:
            raise ConnectionResetError(errno.ECONNRESET, "the request takes too long to arrive")
        return data

    def _report_at(self, size: int) -> None:
        if size != self.low_water:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)
            self.low_water = size
