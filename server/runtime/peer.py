"""Whether the client of the request that a thread serves is still connected."""

from __future__ import annotations

from contextvars import ContextVar


class Peer:
    """The other end of a connection."""

    gone = False  # it has closed the connection, or its sending half


NOBODY = Peer()  # outside requests
_current: ContextVar[Peer] = ContextVar("peer", default=NOBODY)
serve = _current.set  # called by the server before it passes a request on
current_peer = _current.get
