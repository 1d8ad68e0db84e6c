"""Kinds of requests, and how many of each a worker serves at a time.

Every kind has threads and a queue of its own, so that none waits for another: a move never waits
for the database, a plot or a client that watches a table.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from server.runtime.settings import Settings


class Kind(Enum):
    """What a request needs."""

    ENGINE = auto()  # a search or nothing: moves, passes, legal cards, pages
    DATABASE = auto()  # games, tables, statistics
    PLOT = auto()  # matplotlib
    WATCH = auto()  # a table to change, or a job to end: long polls, event streams, reviews
    ALIVE = auto()  # the process
    READY = auto()  # the process and an answer of the database, with a timeout


class Size(NamedTuple):
    """Bounds of a pool."""

    threads: int
    queue: int  # requests that may wait for a thread; further ones get 503


SPARE_THREADS = 8  # for requests that need no search, while searches run and wait
_ALIVE = (b"/healthz", b"/api/health")
_READY = (b"/readyz",)
# Everything else below /api/ may ask the database.
_ENGINE = frozenset(
    b"/api/" + name
    for name in (
        b"move", b"moves", b"play-one", b"pass", b"legal", b"beliefs", b"analysis", b"models",
    )
)  # fmt: skip


def sizes(settings: Settings) -> dict[Kind, Size]:
    """The bounds of all pools of a worker."""
    return {
        # A search waits for its slot in a thread; their number is bounded by the search queue.
        Kind.ENGINE: Size(settings.slots + settings.queue + SPARE_THREADS, 256),
        # As many as SQLAlchemy's pool holds connections without overflow, and a few that wait.
        Kind.DATABASE: Size(8, 64),
        # A plot takes 0.3 s under the GIL: two at a time leave turns for moves.
        Kind.PLOT: Size(2, 16),
        # Watchers hold a thread each; the spare ones are for those that get an answer at once.
        Kind.WATCH: Size(settings.watchers + SPARE_THREADS, 32),
        Kind.ALIVE: Size(1, 256),
        Kind.READY: Size(4, 64),
    }


def kind_of(request_line: bytes) -> Kind:
    """The kind of a request, by its method, path and query."""
    target = [*request_line.split(b" ", 2), b""][1]
    path, _, query = target.partition(b"?")
    if path in _ENGINE:
        return Kind.ENGINE
    if path in _ALIVE:
        return Kind.ALIVE
    if path in _READY:
        return Kind.READY
    if _has(query, b"plot") or (path.endswith(b".svg") and path.startswith(b"/api/")):
        return Kind.PLOT
    if (path.endswith(b"/events") and request_line.startswith(b"GET ")) or _has(query, b"wait"):
        return Kind.WATCH
    if path.startswith(b"/api/") and path.endswith(b"/review"):
        return Kind.WATCH
    return Kind.DATABASE if path.startswith(b"/api/") else Kind.ENGINE


def _has(query: bytes, name: bytes) -> bool:
    """Whether a query has a parameter."""
    return bool(query) and any(each.partition(b"=")[0] == name for each in query.split(b"&"))
