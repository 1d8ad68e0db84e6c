"""Kinds of requests, and how many of each a worker serves at a time.

Every kind has threads and a queue of its own, so that none waits for another: a move never waits
for the database, a plot, a client that watches a table or one that reads a large answer slowly.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from server.http.routes.pages import PAGES, STATIC
from server.runtime.settings import Settings
from server.serving.targets import Target


class Kind(Enum):
    """What a request needs."""

    ENGINE = auto()  # at most one search, for a small answer
    BATCH = auto()  # searches for many states; the answer is large
    PAGE = auto()  # pages, their files and documents, which are large
    DATABASE = auto()  # games, tables, statistics, and everything unknown
    PLOT = auto()  # matplotlib
    WATCH = auto()  # a table to change, or a job to end: long polls, event streams, reviews
    ALIVE = auto()  # the process
    READY = auto()  # an answer of the database, with a timeout


class Size(NamedTuple):
    """Bounds of a pool."""

    threads: int
    queue: int  # requests that may wait for a thread; further ones get 503


SPARE_THREADS = 8  # for requests that need no search, while searches run and wait
_KINDS = {
    **dict.fromkeys(PAGES, Kind.PAGE),
    **dict.fromkeys(("/docs", "/openapi.json"), Kind.PAGE),
    **dict.fromkeys(("/healthz", "/api/health"), Kind.ALIVE),
    **dict.fromkeys(("/readyz", "/metrics"), Kind.READY),
    **dict.fromkeys(("/api/moves", "/api/analysis"), Kind.BATCH),
    **{
        f"/api/{name}": Kind.ENGINE
        for name in ("move", "play-one", "pass", "legal", "beliefs", "models")
    },
}
_FILES = (STATIC, "/docs/")


def sizes(settings: Settings) -> dict[Kind, Size]:
    """The bounds of all pools of a worker."""
    return {
        # A search waits for its slot in a thread; their number is bounded by the search queue.
        Kind.ENGINE: Size(settings.slots + settings.queue + SPARE_THREADS, 256),
        Kind.BATCH: Size(settings.slots + SPARE_THREADS, 32),
        # A client that reads slowly holds a thread.
        Kind.PAGE: Size(16, 64),
        # SQLAlchemy's pool has 15 connections, 10 of them for a short time: enough for these
        # threads, for watchers and for background threads.
        Kind.DATABASE: Size(8, 64),
        # A plot takes 0.3 s under the GIL: two at a time leave turns for moves.
        Kind.PLOT: Size(2, 16),
        # Watchers hold a thread each; the spare ones are for those that get an answer at once.
        Kind.WATCH: Size(settings.watchers + SPARE_THREADS, 32),
        Kind.ALIVE: Size(4, 256),
        Kind.READY: Size(4, 64),
    }


def kind_of(target: Target) -> Kind:
    """The kind of a request."""
    if found := _KINDS.get(target.path):
        return found
    if target.path.startswith(_FILES):
        return Kind.PAGE
    is_review = target.path.endswith("/review")
    if (is_review or target.path == "/api/stats") and set(target.values("plot")) - {"0"}:
        return Kind.PLOT
    if is_review or _watches_table(target):
        return Kind.WATCH
    return Kind.DATABASE


def _watches_table(target: Target) -> bool:
    """Whether a request may wait for a table to change."""
    if not target.path.startswith("/api/tables/") or target.method == "POST":
        return False
    return target.path.endswith("/events") or bool(target.values("wait"))
