"""A client's connection: whole requests are buffered before a thread takes one."""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from contextlib import suppress
from typing import Any

from server.http.bodies import BODY_LIMITS, MAX_BODY
from server.runtime.peer import Peer
from server.serving.framing import Framing

READ = 64 * 1024  # bytes that are read at a time
IDLE_SECONDS = 10.0  # the longest pause of a client while it sends a request or reads an answer
REQUEST_SECONDS = 20.0  # until a whole request must have arrived, in however many pieces
ANSWER_SECONDS = 60.0  # until a whole answer, or a piece of a stream, must have left
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection(socket.socket):
    """The socket of a client, with what has arrived on it.

    gunicorn's parser reads from the buffer, and so never blocks. Writing blocks while a client does
    not read, and only if an answer is larger than the free part of the kernel's buffer: a request
    is not served before the answers to earlier ones have left that much room. `lock` protects
    `is_served`: either the poller or one thread has the connection. Only the poller frees the
    descriptor, so that it cannot be another client's while a thread or an event still names it.
    """

    def __init__(self, accepted: socket.socket, client: Any, server: Any) -> None:
        super().__init__(fileno=accepted.detach())
        self.settimeout(IDLE_SECONDS)  # which makes the descriptor non-blocking, for os.read
        self.client, self.server = client, server
        self.lock = threading.Lock()
        self.peer = Peer()
        self.is_served = self.is_lingering = self.is_closed = False
        self.is_blocked = False  # a request has arrived, and the client does not read answers
        self.deadline = time.monotonic() + IDLE_SECONDS
        self.data = bytearray()
        self.framing = Framing(MAX_BODY, BODY_LIMITS)
        self._began = 0.0  # when the first byte of the request arrived
        self._held = b""  # the head of an answer, until its body comes

    @property
    def sock(self) -> Connection:
        """Itself: gunicorn expects an object that has a socket."""
        return self

    def read(self) -> bool:
        """Read what has arrived; whether a whole request can be served. Never waits.

        The end of the client's stream ends a request, too: its parser says what is missing. Raises
        TooLarge. A request that follows answers that the client does not read is served when it
        has read some of them, which the poller reports.
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
        self.is_blocked = not self._is_writable()
        return not self.is_blocked

    def next_request(self) -> None:
        """Begin to buffer another request; a client that has hung up stays so."""
        if self.framing.end is not None:
            del self.data[: self.framing.end]
        self.framing, self.peer = Framing(MAX_BODY, BODY_LIMITS), Peer(self.peer.gone)
        self._began, self.is_blocked = 0.0, False

    @property
    def is_over(self) -> bool:
        """Whether the client has hung up and waits for no answer; a thread may serve it still."""
        return self.peer.gone and not self.is_blocked

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
            self._send_all(data)

    def flush(self) -> None:
        """Send a head without a body."""
        if self._held:
            data, self._held = self._held, b""
            self._send_all(data)

    def sendfile(self, *given: Any, **more: Any) -> int:
        """Send a file after the head of its answer."""
        self.flush()
        return super().sendfile(*given, **more)

    def close(self) -> None:
        """Send the end of the stream; gunicorn calls this in a thread after an error."""
        with suppress(OSError):
            self.shutdown(socket.SHUT_WR)

    def free(self) -> None:
        """Close the descriptor."""
        super().close()

    def _send_all(self, data: bytes) -> None:
        """Send to a client that goes on reading; unlike socket.sendall, pauses are limited."""
        rest, deadline = memoryview(data), time.monotonic() + ANSWER_SECONDS
        while rest:
            rest = rest[super().send(rest) :]
            if rest and time.monotonic() > deadline:
                raise TimeoutError

    def _is_writable(self) -> bool:
        """Whether a third of the kernel's buffer is free, or the client is gone."""
        poll = select.poll()
        poll.register(self.fileno(), select.POLLOUT)
        return bool(poll.poll(0))

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
            with suppress(OSError):  # os.write, unlike send, never waits
                os.write(self.fileno(), _CONTINUE)
