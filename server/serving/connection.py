"""A client's connection: whole requests are buffered before a thread takes one."""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import Any

from server.http.bodies import BODY_LIMITS, MAX_BODY
from server.runtime.peer import Peer
from server.serving.framing import Framing

READ = 64 * 1024  # bytes that are read at a time
IDLE_SECONDS = 10.0  # the longest pause of a client while it sends a request or reads an answer
REQUEST_SECONDS = 20.0  # until a whole request must have arrived, in however many pieces
_LIMITS = {path.encode(): limit for path, limit in BODY_LIMITS.items()}
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection(socket.socket):
    """The socket of a client, with what has arrived on it.

    gunicorn's parser reads from the buffer, and so never blocks. Writing blocks for at most
    IDLE_SECONDS. `lock` protects `is_served`: either the poller or one thread has the connection.
    """

    def __init__(self, accepted: socket.socket, client: Any, server: Any) -> None:
        super().__init__(fileno=accepted.detach())
        self.settimeout(IDLE_SECONDS)  # which makes the descriptor non-blocking, for os.read
        self.client, self.server = client, server
        self.lock = threading.Lock()
        self.peer = Peer()
        self.is_served = self.is_lingering = self.is_closed = False
        self.deadline = time.monotonic() + IDLE_SECONDS
        self.data = bytearray()
        self.framing = Framing(MAX_BODY, _LIMITS)
        self._began = 0.0  # when the first byte of the request arrived
        self._held = b""  # the head of an answer, until its body comes

    @property
    def sock(self) -> Connection:
        """Itself: gunicorn expects an object that has a socket."""
        return self

    @property
    def request_line(self) -> bytes:
        """The first line of the buffered request."""
        return bytes(self.data[: self.data.find(b"\r\n")])

    def read(self) -> bool:
        """Read what has arrived; whether a whole request is there. Never waits; raises TooLarge.

        The end of the client's stream ends a request, too: its parser says what is missing.
        """
        while not self.framing.is_complete(self.data):
            try:
                data = os.read(self.fileno(), READ)
            except BlockingIOError:
                self._ask_for_body()
                return False
            except OSError:
                data = b""
            if not data:
                self.peer.gone = True
                return self._end()
            self._prolong()
            self.data += data
        return True

    def next_request(self) -> None:
        """Begin to buffer another request."""
        if self.framing.end is not None:
            del self.data[: self.framing.end]
        self.framing, self.peer = Framing(MAX_BODY, _LIMITS), Peer()
        self._began = 0.0

    def recv(self, size: int, flags: int = 0) -> bytes:
        """The rest of the buffered request; empty at its end."""
        data, self.data = bytes(self.data[: self.framing.end]), self.data[self.framing.end :]
        self.framing.end = 0
        return data

    def send(self, data: Any, flags: int = 0) -> int:
        """Send; `100 Continue` has been sent when it was needed."""
        return len(data) if data == _CONTINUE else super().send(data, flags)

    # gunicorn writes the head and the body of an answer apart. In one write they cost the service
    # 15 µs less, and the client wakes up once.

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send; the head of an answer is held back until its body comes."""
        data, self._held = self._held + bytes(data), b""
        if data.startswith(b"HTTP/1.") and data.endswith(b"\r\n\r\n"):
            self._held = data
        else:
            super().sendall(data, flags)

    def flush(self) -> None:
        """Send a head without a body."""
        if self._held:
            data, self._held = self._held, b""
            super().sendall(data)

    def sendfile(self, *given: Any, **more: Any) -> int:
        """Send a file after the head of its answer."""
        self.flush()
        return super().sendfile(*given, **more)

    def _prolong(self) -> None:
        """Set the deadline of a request of which some bytes have arrived."""
        now = time.monotonic()
        self._began = self._began or now
        self.deadline = min(self._began + REQUEST_SECONDS, now + IDLE_SECONDS)

    def _end(self) -> bool:
        """Take what has arrived as the whole request; False if there is nothing."""
        self.framing.end, self.framing.is_last = len(self.data), True
        return bool(self.data)

    def _ask_for_body(self) -> None:
        """Tell a client that waits for it to send its body."""
        if self.framing.awaits_continue:
            self.framing.awaits_continue = False
            super().send(_CONTINUE)
