"""gunicorn's worker for this service: one poller, and threads by kind of request.

The poller reads. A thread gets a request when all of it has arrived, and when the client has read
earlier answers: clients that send slowly hold no thread, and those that read slowly hold one only
while they read an answer that is too large for the kernel's buffer. Connections are registered
once, edge-triggered. A thread that has answered looks for the next request itself; only then the
poller has the connection again. `python -m tests.serving_probe` compares this with gunicorn's own
threaded worker.
"""

from __future__ import annotations

import errno
import os
import resource
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from gunicorn.http.errors import NoMoreData
from gunicorn.http.parser import RequestParser
from gunicorn.workers.gthread import ThreadWorker

from server.http.services import Services, services
from server.runtime import peer
from server.serving import answers
from server.serving.connection import READ, Connection
from server.serving.connection_counts import MANY, ConnectionCounts
from server.serving.framing import TooLarge
from server.serving.kinds import kind_of, sizes
from server.serving.pools import Pool

# Seconds after which a thread hands the interpreter to another one; Python's default is 5 ms.
# While 64 clients ask for moves, the median of a health probe is 15 ms instead of 32 ms.
SWITCH_INTERVAL = 0.001
LINGER_SECONDS = 2.0  # that a client has to close a connection after its last answer
DRAIN_SECONDS = 0.5  # that a worker answers requests on kept connections after it has to stop
ORPHAN_SECONDS = 5.0  # that running requests have after gunicorn's master has died
YIELD_SECONDS = 0.01  # that a worker leaves a new connection to one that has fewer
OTHER_FILES = 128  # descriptors that are kept free for databases, logs and the like
DRAIN_BYTES = 1024 * 1024  # that are read from a client in one go after its last answer
_TICK = 1.0  # seconds between two looks at deadlines, the master and the arbiter's clock
_CLIENT = select.EPOLLIN | select.EPOLLOUT | select.EPOLLRDHUP | select.EPOLLET
_HUNG_UP = select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Serves connections until the master stops it."""

    def init_process(self) -> None:
        """Set up the process of the worker."""
        sys.setswitchinterval(SWITCH_INTERVAL)
        # gunicorn looks a setting up in two calls, some forty times for a request: 0.05 ms.
        self.cfg.__dict__.update({name: each.get() for name, each in self.cfg.settings.items()})
        self.epoll = select.epoll()
        self.connections: dict[int, Connection] = {}
        self.ticked = 0.0
        self.yields_until: float | None = None  # while new connections are left to others
        self.is_exhausted = False  # the last attempt to accept a connection failed
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.max_connections = max(1, min(int(self.worker_connections), files - OTHER_FILES))
        self._accepting = False
        super().init_process()

    def init_signals(self) -> None:
        """Ignore Ctrl-C, which a terminal sends to all processes: the master stops the workers."""
        super().init_signals()
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    @property
    def here(self) -> Services:
        """The services of the application."""
        return services(self.wsgi)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to shut down: answer who waits for a table, and give tables to other instances."""
        if getattr(self, "wsgi", None) is not None:  # otherwise it is still loading
            self.here.tables.closing = True
            self.here.runner.stop()
            self.here.jobs.closing.set()
        super().handle_exit(sig, frame)

    def run(self) -> None:
        """Serve until the worker has to stop, then finish what has begun."""
        self.counts: ConnectionCounts = self.app.connection_counts
        self.listeners = {each.fileno(): each for each in self.sockets}
        self.pools = {
            kind: Pool(kind.name.lower(), size, self.serve)
            for kind, size in sizes(self.here.settings).items()
        }
        self.epoll.register(self.method_queue.fileno(), select.EPOLLIN)
        self.set_accept_enabled(True)
        while self.alive:
            self.set_accept_enabled(self.has_room and self.yields_until is None)
            self.poll(_TICK if self.yields_until is None else YIELD_SECONDS)
            if self.yields_until is not None and time.monotonic() >= self.yields_until:
                self.yields_until = None
                for listener in self.sockets:
                    if self.has_room:
                        self.accept(listener)
        self.finish()

    def finish(self) -> None:
        """Accept nothing more, and let running requests end."""
        self.set_accept_enabled(False)
        self.counts.set(self.index, MANY)
        for listener in self.sockets:
            listener.close()  # also if the master is gone: another service may take the port
        seconds = self.here.settings.shutdown_seconds
        grace = seconds if self.is_parent_alive() else ORPHAN_SECONDS
        begun = time.monotonic()
        while self.is_busy(begun) and time.monotonic() < begun + grace:
            self.poll(0.1)
        for connection in list(self.connections.values()):
            if not connection.is_served:  # otherwise a thread may still use the descriptor
                self.close(connection)

    def is_busy(self, stopped: float) -> bool:
        """Whether requests are served, or may be under way on connections that were kept."""
        if self.connections and time.monotonic() < stopped + DRAIN_SECONDS:
            return True
        return any(each.is_served for each in self.connections.values())

    def set_accept_enabled(self, enabled: bool) -> None:
        """Watch the listening sockets, or leave new connections to others."""
        if enabled != self._accepting:
            for descriptor, listener in self.listeners.items():
                listener.setblocking(False)
                if enabled:
                    self.epoll.register(descriptor, select.EPOLLIN)
                else:
                    self.epoll.unregister(descriptor)
            self._accepting = enabled

    def poll(self, seconds: float) -> None:
        """Handle what happens within some seconds."""
        # Found before anything is closed: a new connection may get the descriptor of a closed one.
        found = [(self.connections.get(fd), fd, events) for fd, events in self.epoll.poll(seconds)]
        for connection, descriptor, events in found:
            if connection is not None:
                self.on_client(connection, events)
            elif descriptor == self.method_queue.fileno():
                self.method_queue.run_callbacks(None)
            elif listener := self.listeners.get(descriptor):
                self.offer(listener)
        if time.monotonic() - self.ticked > _TICK:
            self.tick()

    def tick(self) -> None:
        """Tell the arbiter that the worker lives, and close connections that are overdue."""
        now = self.ticked = time.monotonic()
        self.notify()
        if self.alive and not self.is_parent_alive():
            self.handle_exit(0, None)
        for connection in list(self.connections.values()):
            with connection.lock:
                overdue = not connection.is_served and connection.deadline < now
            if overdue:
                self.close(connection)

    # Without this, the worker that wakes up first gets most connections: of 8 clients that keep
    # theirs, 8 and 0 in the worst case, and half of the interpreters stay idle.

    def offer(self, listener: Any) -> None:
        """Accept a new connection, or leave it for a moment to a worker that has fewer."""
        if len(self.connections) > self.counts.least():
            self.yields_until = time.monotonic() + YIELD_SECONDS
        else:
            self.accept(listener)

    @property
    def has_room(self) -> bool:
        """Whether the worker may have another connection."""
        return len(self.connections) < self.max_connections

    def accept(self, listener: Any) -> None:
        """Accept a new connection; the poller reports it again when it has something to read."""
        try:
            accepted, client = listener.accept()
        except OSError as error:
            if error.errno in _EXHAUSTED:
                self.pause(error)
            elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED):
                raise
            return
        self.is_exhausted = False
        connection = Connection(accepted, client, listener.getsockname())
        self.connections[connection.fileno()] = connection
        self.counts.set(self.index, len(self.connections))
        self.epoll.register(connection.fileno(), _CLIENT)

    def pause(self, error: OSError) -> None:
        """Accept nothing for a while: the machine has no descriptor or memory for a connection."""
        if not self.is_exhausted:
            self.log.error("cannot accept connections: %s", error.strerror)
        self.is_exhausted = True
        self.yields_until = time.monotonic() + _TICK

    def on_client(self, connection: Connection, events: int) -> None:
        """Read from a client, or note that it has hung up while its request is served."""
        if connection.is_closed:
            return
        with connection.lock:
            # Also before the end of the stream is read: no other event will report it.
            connection.peer.gone |= bool(events & _HUNG_UP)
            if connection.is_served:
                return
        if connection.is_lingering:
            self.drain(connection)
        else:
            self.read(connection)

    def read(self, connection: Connection) -> None:
        """Give a connection to a thread if a whole request has arrived."""
        try:
            with connection.lock:
                connection.is_served = connection.read()
        except TooLarge:
            self.refuse(connection, answers.TOO_LARGE)
            return
        if connection.is_served:
            self.dispatch(connection)
        elif connection.is_over:
            self.close(connection)

    def dispatch(self, connection: Connection) -> None:
        """Queue a request for the threads of its kind; 503 if the queue is full."""
        if not self.pools[kind_of(connection.framing.target)].submit(connection):
            self.here.metrics.rejections.inc()
            self.refuse(connection, answers.BUSY)

    def serve(self, connection: Connection) -> None:
        """Answer a request; runs in a thread."""
        peer.serve(connection.peer)
        kept = self.handle(connection)
        try:
            with connection.lock:
                connection.next_request()
                connection.deadline = time.monotonic() + self.cfg.keepalive
                follows = kept and connection.read()
                is_over = not kept or (connection.is_over and not follows)
                connection.is_served = follows or is_over  # otherwise the poller has it again
        except TooLarge:
            self.refuse(connection, answers.TOO_LARGE)
            return
        if follows:
            self.dispatch(connection)
        elif is_over:
            self.method_queue.defer(self.linger, connection)

    def handle(self, connection: Connection) -> bool:
        """Answer a request; whether the connection may be used again."""
        request = None
        try:
            request = next(RequestParser(self.cfg, connection, connection.client))
            kept = self.handle_request(request, connection)
            connection.flush()
            return bool(kept) and not (connection.framing.is_last or request.body.failed)
        except (NoMoreData, StopIteration, OSError):
            return False  # the client is gone or too slow
        except Exception as error:
            self.handle_error(request, connection, connection.client, error)
            return False

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer a request that gunicorn rejects with JSON, as API_SPEC.md promises for errors."""
        page = answers.ErrorPage()
        super().handle_error(req, page, addr, exc)
        with suppress(OSError):
            client.sendall(page.as_json(str(exc), self.here.settings.cors_origins))

    def refuse(self, connection: Connection, answer: answers.EarlyAnswer) -> None:
        """Answer a request that gets no thread, and close its connection."""
        connection.is_served = True  # nothing more is read from it
        with suppress(OSError):  # os.write, unlike sendall, never waits
            os.write(connection.fileno(), answer.as_bytes(self.here.settings.cors_origins))
        self.method_queue.defer(self.linger, connection)

    # Closing a connection on which bytes are still to be read would make the kernel discard an
    # answer that is under way. The poller waits for the client to close.

    def linger(self, connection: Connection) -> None:
        """Send the end of the stream, and wait for the client's."""
        if connection.is_closed:
            return
        connection.is_lingering, connection.is_served = True, False
        connection.deadline = time.monotonic() + LINGER_SECONDS
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        self.drain(connection)

    def drain(self, connection: Connection) -> None:
        """Discard what the client still sends, until it closes or time is up."""
        if connection.is_closed:
            return
        read = 0
        try:
            while data := os.read(connection.fileno(), READ):
                read += len(data)
                if read >= DRAIN_BYTES:  # others have their turn
                    self.method_queue.defer(self.drain, connection)
                    return
        except BlockingIOError:
            return
        except OSError:
            pass
        self.close(connection)

    def close(self, connection: Connection) -> None:
        """Close a connection; only the poller does, so that no event is taken for another one's."""
        connection.is_closed = True
        self.connections.pop(connection.fileno(), None)
        self.counts.set(self.index, len(self.connections))
        connection.free()
