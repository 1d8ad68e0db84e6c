"""gunicorn's threaded worker, with connections that answer at once and do not wait for ever."""

from __future__ import annotations

import errno
import selectors
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

PROBES = (b"GET /healthz ", b"GET /api/health ", b"GET /readyz ")
PATIENCE = 10.0  # seconds that a client may leave us waiting, for its bytes or for room for ours
WHOLE_REQUEST = 20.0  # seconds until a request must have come, however it trickles


class Connection(socket.socket):
    """A client's socket: headers leave together with the body, and nothing waits longer than that.

    gunicorn writes headers and body apart. Two packets cost a client that acknowledges late 40 ms.
    """

    held = b""
    late = 0.0  # when a request that a thread reads is too late

    def setblocking(self, flag: bool) -> None:
        """Block, but not without end: a slow client must not keep a thread."""
        self.late = time.monotonic() + WHOLE_REQUEST
        self.settimeout(PATIENCE if flag else 0.0)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send what was held back and this; a mere head of an answer is held back."""
        data, self.held = self.held + bytes(data), b""
        if data.startswith(b"HTTP/1.") and data.endswith(b"\r\n\r\n"):
            self.held = data
        else:
            super().sendall(data, flags)

    def flush(self) -> None:
        """Send a head that had no body."""
        data, self.held = self.held, b""
        if data:
            super().sendall(data)

    def begins_with(self, starts: tuple[bytes, ...]) -> bool:
        """Whether what has come and is still unread begins in one of some ways; never waits."""
        if self.gettimeout() != 0:  # blocking, since it did not come from the poller
            return False
        try:
            return super().recv(64, socket.MSG_PEEK).startswith(starts)
        except OSError:
            return False

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Read; a client that keeps us waiting counts as gone."""
        try:
            data = super().recv(size, flags)
        except TimeoutError:
            raise ConnectionResetError(errno.ECONNRESET, "the client is too slow") from None
        if data and time.monotonic() > self.late:
            raise ConnectionResetError(errno.ECONNRESET, "the client trickles")
        return data


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Threads for requests, and one of their own for probes."""

    def init_process(self) -> None:
        """Begin in the worker's process."""
        self.probes = ThreadPoolExecutor(1, thread_name_prefix="probes")
        super().init_process()

    def enqueue_req(self, conn: Any) -> None:
        """Let a thread serve a connection, once it has said something: silence needs no thread."""
        if not isinstance(conn.sock, Connection):
            conn.sock = Connection(fileno=conn.sock.detach())
            self._await_data(conn)
            return
        # Probes do not stand in line behind everything else that is asked for.
        pool = self.probes if conn.sock.begins_with(PROBES) else self.tpool
        served = pool.submit(self.handle, conn)
        served.add_done_callback(
            lambda done: self.method_queue.defer(self.finish_request, conn, done)
        )

    def _await_data(self, conn: Any) -> None:
        """Watch a new connection as gunicorn watches those that it has deferred."""
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + PATIENCE
        self.pending_conns.append(conn)
        heard = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, heard)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer a request in one write."""
        keep = super().handle_request(req, conn)
        conn.sock.flush()
        return keep
