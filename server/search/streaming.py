"""Searches that report events while they run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, NamedTuple, Protocol

from server.search.admission import Slot
from server.search.options import SearchRequest
from server.search.run import SearchRunner

# Seconds between two events. A client that hung up is noticed when the next one is written.
INTERVAL = 0.25


class StreamEvent(NamedTuple):
    """One event; `data` can be written as JSON."""

    kind: str
    data: Mapping[str, Any]


class EventStream(Protocol):
    """What is sent as a stream of events."""

    def events(self) -> Iterator[StreamEvent | None]:
        """The events in order; None when there is nothing new after an interval."""

    def close(self) -> None:
        """Release what the stream holds."""


class SearchStream(ABC):
    """Work in one slot that reports events.

    The constructor takes the slot, so Busy is raised before the first byte of the answer is sent.
    """

    def __init__(self, runner: SearchRunner, request: SearchRequest) -> None:
        self.runner, self.request = runner, request
        self._resources = ExitStack()
        self.slot: Slot = self._resources.enter_context(runner.slots.taken())
        self.thread = self._resources.enter_context(ThreadPoolExecutor(1, "stream"))

    @abstractmethod
    def events(self) -> Iterator[StreamEvent | None]:
        """The events in order; None when there is nothing new after an interval."""

    def close(self) -> None:
        """Stop the search, wait for its thread and release the slot."""
        self.slot.stop[0] = 1
        self._resources.close()

    def done(self, summary: Mapping[str, Any]) -> StreamEvent:
        """The last event. The slot is free by then, so the client may ask again at once."""
        self.close()
        return StreamEvent("done", summary)
