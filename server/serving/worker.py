"""gunicorn's threaded worker, with connections that answer at once and do not wait for ever."""

from __future__ import annotations

import errno
import selectors
import socket
import sys
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from server.http.errors import envelope
from server.http.replies import json_bytes
from server.http.services import services
from server.tables.registry import forbid_waiting

ALIVE = (b"GET /healthz ", b"GET /api/health ")
READY = (b"GET /readyz ",)
WATCHERS = (b"GET /api/tables/", b"HEAD /api/tables/")  # may wait for half a minute, or for ever
BODY_FIELDS = (b"\r\ncontent-length:", b"\r\ntransfer-encoding:")
HEAD = 64 * 1024  # bytes of a request that are looked at before a thread reads it
PATIENCE = 10.0  # seconds that a client may leave us waiting, for its bytes or for room for ours
WHOLE_REQUEST = 20.0  # seconds until a request must have come, however it trickles
# Seconds after which a thread lets others run Python. A search that ends, and a probe, otherwise
# wait up to 5 ms for each that is busy: with 64 clients health took 40 ms at the median, now 20.
TURN = 0.001
SIGN_OF_LIFE = 1.0  # seconds between two; gunicorn gives one before and after every request
FAREWELL = 2.0  # seconds that a client has to close a connection that we are done with


class Connection(socket.socket):
    """A client's socket: headers leave together with the body, and nothing waits longer than that.

    gunicorn writes headers and body apart. Two packets cost a client that acknowledges late 40 ms.
    """

    held = b""
    late = 0.0  # when a request that a thread reads is too late
    wakes_at = 1  # bytes that must have come before the poller calls it readable

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

    def heard(self) -> bytes:
        """The beginning of what has come and is still unread; never waits."""
        if self.gettimeout() != 0:  # blocking, since it did not come from the poller
            return b""
        try:
            return super().recv(HEAD, socket.MSG_PEEK)
        except OSError:
            return b""

    def is_worth_a_thread(self) -> bool:
        """Whether the head of a request has come whole, or what has come is all that will.

        Otherwise the poller calls the socket readable again as soon as there is more.
        """
        data = self.heard()
        over = len(data) < self.wakes_at  # readable without more: the client has hung up
        enough = over or len(data) == HEAD or b"\r\n\r\n" in data
        self._wake_at(1 if enough else len(data) + 1)
        return enough

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Read; a client that keeps us waiting counts as gone."""
        try:
            data = super().recv(size, flags)
        except TimeoutError:
            raise ConnectionResetError(errno.ECONNRESET, "the client is too slow") from None
        if data and time.monotonic() > self.late:
            raise ConnectionResetError(errno.ECONNRESET, "the client trickles")
        return data

    def _wake_at(self, size: int) -> None:
        if size != self.wakes_at:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)
            self.wakes_at = size


class _Page:
    """Takes the page that gunicorn writes about an error, in place of the client."""

    data = b""

    def gettimeout(self) -> float:
        """Say that nobody waits here."""
        return 0.0

    def sendall(self, data: bytes) -> None:
        """Keep a piece of the page."""
        self.data += data

    def in_our_shape(self, reason: str, origins: str) -> bytes:
        """The answer with the same status and the envelope of all errors."""
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
            *([b"Access-Control-Allow-Origin: *"] if origins == "*" else []),
        ]
        return b"\r\n".join([*lines, b"", body])


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Threads for requests, one of their own for each kind of probe, and none for who only waits.

    The poller waits for heads of requests, and for clients to close what is over.
    """

    signed = 0.0  # when gunicorn's arbiter last heard that the worker lives

    def init_process(self) -> None:
        """Begin in the worker's process."""
        sys.setswitchinterval(TURN)
        # Probes do not stand in line behind everything else that is asked for, and who asks
        # whether we live does not wait for the database that readiness asks.
        self.alive_pool = ThreadPoolExecutor(1, thread_name_prefix="alive")
        self.ready_pool = ThreadPoolExecutor(1, thread_name_prefix="ready")
        # Who only waits for a table to change keeps no thread from who moves.
        self.watch_pool = ThreadPoolExecutor(self.app.settings.watch_threads, "watch")
        self.leaving: deque[Any] = deque()  # connections that their clients have yet to close
        super().init_process()

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """The threads for requests: however one asks for a table, none of them waits for it."""
        return ThreadPoolExecutor(self.cfg.threads, "request", initializer=forbid_waiting)

    def notify(self) -> None:
        """Tell the arbiter that the worker lives: a file is touched, not for every request."""
        now = time.monotonic()
        if now - self.signed >= SIGN_OF_LIFE:
            self.signed = now
            super().notify()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop; who waits for a table to change is sent home."""
        if getattr(self, "wsgi", None) is not None:  # otherwise it is still loading
            here = services(self.wsgi)
            here.tables.closing = here.runner.closing = True
        super().handle_exit(sig, frame)

    def enqueue_req(self, conn: Any) -> None:
        """Let a thread serve a connection once it has said what it wants."""
        if not isinstance(conn.sock, Connection):
            conn.sock = Connection(fileno=conn.sock.detach())
            self._await_head(conn)
        elif conn.sock.gettimeout() == 0 and not conn.sock.is_worth_a_thread():
            self._await_head(conn)  # half of the next question on a connection that was kept
        else:
            self._serve(conn)

    def on_pending_socket_readable(self, conn: Any, client: Any) -> None:
        """Serve a connection that the poller watches, if enough has come."""
        if conn.sock.is_worth_a_thread():
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            conn.data_ready = True
            self._serve(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer a request in one write."""
        keep = super().handle_request(req, conn)
        conn.sock.flush()
        return keep

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer what gunicorn refuses by itself in the shape of all other errors."""
        page = _Page()
        super().handle_error(req, page, addr, exc)
        origins = services(self.wsgi).settings.cors_origins
        with suppress(OSError):
            client.sendall(page.in_our_shape(str(exc), origins))

    def finish_request(self, conn: Any, done: Future[Any]) -> None:
        """Keep a connection for its next request, or take leave of it."""
        kept = not done.cancelled() and done.exception() is None and done.result()
        if kept and self.alive:
            super().finish_request(conn, done)
        else:
            self._take_leave(conn)

    def murder_pending(self) -> None:
        """Close connections whose clients have had their time."""
        super().murder_pending()
        while self.leaving and self.leaving[0].timeout <= time.monotonic():
            self._close(self.leaving[0])

    def _serve(self, conn: Any) -> None:
        served = self._pool_for(conn.sock.heard()).submit(self.handle, conn)
        served.add_done_callback(
            lambda done: self.method_queue.defer(self.finish_request, conn, done)
        )

    def _pool_for(self, head: bytes) -> ThreadPoolExecutor:
        """The threads that serve a request; a probe with a body is none."""
        if not any(field in head.lower() for field in BODY_FIELDS):
            if head.startswith(ALIVE):
                return self.alive_pool
            if head.startswith(READY):
                return self.ready_pool
        if head.startswith(WATCHERS):
            return self.watch_pool
        pool: ThreadPoolExecutor = self.tpool
        return pool

    def _await_head(self, conn: Any) -> None:
        """Watch a connection as gunicorn watches those that it has deferred."""
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + PATIENCE
        self.pending_conns.append(conn)
        heard = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, heard)

    def _take_leave(self, conn: Any) -> None:
        """Say that nothing follows, and close once the client has closed too.

        A close before that would make the kernel take back an answer that is under way. gunicorn
        waits for the client in its one loop, and everybody else with it.
        """
        conn.timeout = time.monotonic() + FAREWELL
        self.leaving.append(conn)
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
            heard = partial(self._hear_out, conn)
            self.poller.register(conn.sock, selectors.EVENT_READ, heard)
        except (OSError, ValueError):  # the client is gone, or the socket is closed already
            self._close(conn)

    def _hear_out(self, conn: Any, client: Any) -> None:
        """Read what nobody wants to know, until the client closes."""
        try:
            over = not client.recv(HEAD)
        except BlockingIOError:
            return
        except OSError:
            over = True
        if over:
            self._close(conn)

    def _close(self, conn: Any) -> None:
        self.leaving.remove(conn)
        with suppress(OSError, KeyError, ValueError):  # it never was, or is closed
            self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()
