"""Whether the client of the request that a thread serves is still connected."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(eq=False)
class Peer:
    """The other end of a connection.

    A client that closes its sending half counts as gone, although it may still read: until
    something is sent to it, it cannot be told from one that has closed the connection.
    """

    gone: bool = False


NOBODY = Peer()  # outside requests
_current: ContextVar[Peer] = ContextVar("peer", default=NOBODY)
serve = _current.set  # called by the server before it passes a request on
current_peer = _current.get
