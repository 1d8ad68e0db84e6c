"""Requests and responses over one connection that is kept open, with deadlines and safe retries.

A request is sent a second time only if that cannot execute it twice:

- no connection could be made, or the server closed an idle one before anything was sent;
- the service answered 429 or 503 with `Retry-After`: it has not executed the request;
- the service answered 202 with `Retry-After`: it has queued the work and wants to be asked again;
- the exchange failed later, and the request is a GET or carries an `Idempotency-Key`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from time import monotonic, sleep
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

from hearts.client.connection import Connection, connection_to
from hearts.client.errors import AnswerTooLong, DeadlineExceeded, NotConnected, Unreachable

Answer = TypeVar("Answer")
NOT_EXECUTED = (429, 503)  # statuses of requests that the service did not execute
QUEUED = 202  # the status of a request whose work is queued
IDEMPOTENCY_KEY = "Idempotency-Key"


@dataclass(frozen=True)
class Request:
    """A request; `path` is relative to the address of the transport."""

    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_repeatable(self) -> bool:
        """Whether sending it twice has the effect of sending it once."""
        return self.method in ("GET", "HEAD") or IDEMPOTENCY_KEY in self.headers


@dataclass(frozen=True)
class Response:
    """A complete response."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def retry_after(self) -> float | None:
        """The seconds to wait before a retry, if the service states them."""
        value = self.headers.get("Retry-After", "")
        return float(value) if value.isdecimal() else None


@dataclass(frozen=True)
class Limits:
    """How long a transport waits, and how much it reads."""

    timeout: float = 30.0  # seconds for one exchange, from connecting to the last byte
    patience: float = 0.0  # seconds to wait in total while the service is busy
    work: float = 0.0  # seconds to wait in total for queued work
    size: int = 64 << 20  # bytes in the body of a response


class Transport:
    """Sends requests to one address; not for use by several threads at once."""

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        self._connection, self._base = _opened(url)
        self.limits = limits or Limits()

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        self._connection.close()

    def send(self, request: Request) -> Response:
        """Send a request; repeat it after `Retry-After` seconds while the service is busy."""
        begun = monotonic()
        while True:
            response = self._exchange(request, self._read)
            wait = response.retry_after
            if wait is None or monotonic() + wait > begun + self._patience(response.status):
                return response
            sleep(wait)

    def _patience(self, status: int) -> float:
        """How long a request with this status is repeated, in seconds."""
        if status == QUEUED:
            return self.limits.work
        return self.limits.patience if status in NOT_EXECUTED else 0.0

    @contextmanager
    def stream(self, request: Request) -> Iterator[Response | Iterator[bytes]]:
        """The lines of a 200 as they arrive, or the whole of another response."""
        try:
            yield self._exchange(request, self._lines_or_response)
        finally:
            self.close()

    def _exchange(self, request: Request, read: Callable[[HTTPResponse], Answer]) -> Answer:
        """Send a request and read its response, in one or two attempts."""
        self._connection.clock.start(self.limits.timeout)
        try:
            return self._attempt(request, read)
        except (DeadlineExceeded, AnswerTooLong):
            raise
        except Unreachable as error:
            if not (request.is_repeatable or isinstance(error, NotConnected)):
                raise
        return self._attempt(request, read)

    def _attempt(self, request: Request, read: Callable[[HTTPResponse], Answer]) -> Answer:
        with self._failures(NotConnected):
            self._connect()
        with self._failures(Unreachable):
            # A service may refuse a body before it has read all of it; its answer still counts.
            with suppress(BrokenPipeError, ConnectionResetError):
                self._connection.request(
                    request.method, self._base + request.path, request.body, dict(request.headers)
                )
            return read(self._connection.getresponse())

    def _connect(self) -> None:
        """Connect, unless a usable connection is open."""
        if self._connection.is_stale:
            self.close()
        if self._connection.sock is None:
            self._connection.connect()

    def _read(self, response: HTTPResponse) -> Response:
        body = response.read(self.limits.size + 1)
        if len(body) > self.limits.size:
            self.close()
            raise AnswerTooLong(f"the answer has more than {self.limits.size} bytes")
        if response.length:  # `read` with a limit accepts a truncated body
            raise IncompleteRead(body, response.length)
        return Response(response.status, response.headers, body)

    def _lines_or_response(self, response: HTTPResponse) -> Response | Iterator[bytes]:
        return self._lines(response) if response.status == 200 else self._read(response)

    def _lines(self, response: HTTPResponse) -> Iterator[bytes]:
        self._connection.clock.limit_pauses(self.limits.timeout)
        with self._failures(Unreachable):
            while line := response.readline(self.limits.size + 1):
                if len(line) > self.limits.size:
                    raise AnswerTooLong(f"a line has more than {self.limits.size} bytes")
                yield line

    @contextmanager
    def _failures(self, kind: type[Unreachable]) -> Iterator[None]:
        """Close the connection after a network error, and raise it as a ClientError."""
        try:
            yield
        except (OSError, HTTPException) as error:
            self.close()
            if isinstance(error, TimeoutError) or self._connection.clock.is_over:
                raise DeadlineExceeded(f"no answer within {self.limits.timeout} s") from error
            raise kind(f"{type(error).__name__}: {error}") from error


def fetch(url: str, limits: Limits | None = None) -> Response:
    """GET an absolute URL over its own connection."""
    split = urlsplit(url)
    with closing(Transport(f"{split.scheme}://{split.netloc}", limits)) as transport:
        return transport.send(Request("GET", urlunsplit(("", "", split.path, split.query, ""))))


def _opened(url: str) -> tuple[Connection, str]:
    """A connection for an address, and the path that all requests begin with."""
    try:
        split = urlsplit(url)
        return connection_to(split), split.path.rstrip("/")
    except ValueError:
        raise ValueError(f"{url!r} is not an address: write http://host:port") from None
