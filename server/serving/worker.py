"""gunicorn's threaded worker, changed only where a measurement shows that the service needs it.

`python -m tests.serving_probe` repeats the measurements that the comments cite; the figures are
from two busy cores. Everything else is stock gthread.
"""

from __future__ import annotations

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

from server.http.services import services
from server.serving.connection import IDLE_SECONDS, PEEK, Connection
from server.serving.error_page import ErrorPage

ALIVE = (b"GET /healthz ", b"GET /api/health ")
READY = (b"GET /readyz ",)
BODY_FIELDS = (b"\r\ncontent-length:", b"\r\ntransfer-encoding:")
# Seconds after which a thread hands the interpreter to another one; Python's default is 5 ms.
# While 64 clients ask for moves, the median of a health probe is 15 ms instead of 32 ms.
SWITCH_INTERVAL = 0.001
LINGER_SECONDS = 2.0  # that a client has to close a connection after its last answer


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Threads for requests, and one more for each kind of probe.

    The poller, and no thread, waits for the heads of requests and for clients to disconnect.
    """

    def init_process(self) -> None:
        """Set up the process of the worker."""
        sys.setswitchinterval(SWITCH_INTERVAL)
        # Probes do not queue behind other requests: while 200 clients ask for moves, the median is
        # 12 ms instead of 275 ms. Liveness does not wait for the database, which readiness asks.
        self.alive_pool = ThreadPoolExecutor(1, thread_name_prefix="alive")
        self.ready_pool = ThreadPoolExecutor(1, thread_name_prefix="ready")
        self.lingering: deque[Any] = deque()  # answered, to be closed by their clients
        super().init_process()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to shut down; clients that wait for a table are answered at once."""
        if getattr(self, "wsgi", None) is not None:  # otherwise it is still loading
            here = services(self.wsgi)
            here.tables.closing = here.runner.closing = True
            here.jobs.closing.set()
        super().handle_exit(sig, frame)

    # Stock gthread lets a thread wait for the first byte (5 s) and for the rest (without end). With
    # 40 clients that are silent or send half a head, and 10 threads, a request waits for more than
    # 15 s; here 3 ms.

    def enqueue_req(self, conn: Any) -> None:
        """Give a connection to a thread once the head of its request has arrived."""
        if not isinstance(conn.sock, Connection):
            conn.sock = Connection(fileno=conn.sock.detach())
            self._await_head(conn)
        elif conn.sock.gettimeout() == 0 and not conn.sock.has_head():
            self._await_head(conn)  # half of the next head on a connection that was kept
        else:
            self._submit(conn)

    def on_pending_socket_readable(self, conn: Any, client: Any) -> None:
        """Give a connection that the poller reports to a thread, if its head is complete."""
        if conn.sock.has_head():
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            conn.data_ready = True
            self._submit(conn)

    def _await_head(self, conn: Any) -> None:
        """Let the poller watch a connection, as gunicorn does with those that it defers."""
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + IDLE_SECONDS
        self.pending_conns.append(conn)
        report = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, report)

    def _submit(self, conn: Any) -> None:
        served = self._pool_for(conn.sock.peek()).submit(self.handle, conn)
        served.add_done_callback(
            lambda done: self.method_queue.defer(self.finish_request, conn, done)
        )

    def _pool_for(self, head: bytes) -> ThreadPoolExecutor:
        """The threads that serve a request; a probe with a body is an ordinary request."""
        if not any(field in head.lower() for field in BODY_FIELDS):
            if head.startswith(ALIVE):
                return self.alive_pool
            if head.startswith(READY):
                return self.ready_pool
        pool: ThreadPoolExecutor = self.tpool
        return pool

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer a request that gunicorn rejects with JSON, as API_SPEC.md promises for errors."""
        page = ErrorPage()
        super().handle_error(req, page, addr, exc)
        origins = services(self.wsgi).settings.cors_origins
        with suppress(OSError):
            client.sendall(page.as_json(str(exc), origins))

    # Stock gthread waits in its one loop, up to 2 s, for a client to close a finished connection.
    # After 4 clients that do not close, a probe is answered after 8.0 s; here after 5 ms. Closing
    # first would be no remedy: the kernel may then discard an answer that is under way.

    def finish_request(self, conn: Any, done: Future[Any]) -> None:
        """Keep a connection for its next request, or let its client close it."""
        kept = not done.cancelled() and done.exception() is None and done.result()
        if kept and self.alive:
            super().finish_request(conn, done)
        else:
            self._linger(conn)

    def murder_pending(self) -> None:
        """Close connections whose clients have exceeded their time."""
        super().murder_pending()
        while self.lingering and self.lingering[0].timeout <= time.monotonic():
            self._close(self.lingering[0])

    def _linger(self, conn: Any) -> None:
        """Send the end of the stream, and let the poller wait for the client's."""
        conn.timeout = time.monotonic() + LINGER_SECONDS
        self.lingering.append(conn)
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._drain, conn))
        except (OSError, ValueError):  # the client is gone, or the socket is closed already
            self._close(conn)

    def _drain(self, conn: Any, client: Any) -> None:
        """Discard what the client still sends, until it closes."""
        try:
            ended = not client.recv(PEEK)
        except BlockingIOError:
            return
        except OSError:
            ended = True
        if ended:
            self._close(conn)

    def _close(self, conn: Any) -> None:
        self.lingering.remove(conn)
        with suppress(OSError, KeyError, ValueError):  # not registered, or closed already
            self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()
