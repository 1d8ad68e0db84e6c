"""Admission of searches: one slot per core, a bounded FIFO queue, a deadline for every slot.

A request that finds the queue full gets Busy at once. A released slot is given to the request that
has waited longest, so that none overtakes it. One thread watches all deadlines. It sets the stop
flag of an expired search, which then returns what it has found.

Searches for bots at live tables are in the background. They start only in slots that no request
wants. A request never waits for one: it starts beside it, so that a long search of a bot costs it a
share of a core and no more. One background search at a time starts beside the requests after
STARVED seconds, so that bots never stop altogether.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from hearts.engine.clock import Stop, no_stop
from server.runtime.errors import Busy

RETRY_SECONDS = 1  # Retry-After of Busy
STARVED = 1.0  # seconds after which a background search starts although requests use all slots
_TICK = 0.1  # seconds between two checks of the deadlines


@dataclass(eq=False)
class Slot:
    """The right to search until a deadline."""

    deadline: float  # on the clock of time.monotonic
    threads: int  # cores that were free at the start, its own included
    in_background: bool = False
    stop: Stop = field(default_factory=no_stop)

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed or the search was stopped."""
        return bool(self.stop[0]) or time.monotonic() >= self.deadline


@dataclass(eq=False)
class _Ticket:
    """A place in the queue, and the slot that it gets."""

    deadline: float | None  # None: in the background; it waits without limit
    called: threading.Condition  # one per ticket, so that a free slot wakes only one thread
    since: float = field(default_factory=time.monotonic)
    slot: Slot | None = None


class Slots:
    """A number of slots and their queue; `on_busy` is called whenever Busy is raised."""

    def __init__(
        self,
        size: int,
        queue: int,
        seconds: float,
        on_busy: Callable[[], object] = lambda: None,
    ) -> None:
        self.size, self.queue, self.seconds = size, queue, seconds
        self.on_busy = on_busy
        self.running: set[Slot] = set()
        self._queue: deque[_Ticket] = deque()  # of requests
        self._background: deque[_Ticket] = deque()
        self._lock = threading.RLock()
        self._busy = threading.Event()
        self._watcher: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a slot."""
        with self._lock:
            return len(self._queue)

    @contextmanager
    def taken(self, *, background: bool = False) -> Iterator[Slot]:
        """A slot for the block; raises Busy if the queue is full or no slot is free in time.

        In the `background` a caller waits without limit, its deadline starts with its slot, and it
        does not count towards the queue's bound.
        """
        slot = self._take(None if background else time.monotonic() + self.seconds)
        try:
            yield slot
        finally:
            with self._lock:
                self.running.discard(slot)
                self._hand_over()

    def _take(self, deadline: float | None) -> Slot:
        with self._lock:
            if self._is_free_for(deadline):
                return self._begin(deadline)
            if deadline is not None and self.waiting >= self.queue:
                raise self._busy_because("the queue is full")
            ticket = _Ticket(deadline, threading.Condition(self._lock))
            queue = self._background if deadline is None else self._queue
            queue.append(ticket)
            left = None if deadline is None else deadline - time.monotonic()
            ticket.called.wait_for(lambda: ticket.slot is not None, timeout=left)
            if ticket.slot is None:
                queue.remove(ticket)
                raise self._busy_because(f"none became free in {self.seconds} s")
            return ticket.slot

    def _is_free_for(self, deadline: float | None) -> bool:
        """Whether a request, or a background search if `deadline` is None, may start now."""
        if deadline is None:
            return len(self.running) < self.size
        return sum(not slot.in_background for slot in self.running) < self.size

    def _hand_over(self) -> None:
        """Give the free slots to the first tickets in the queues."""
        for queue in (self._queue, self._background):
            while queue and (self._is_free_for(queue[0].deadline) or self._is_starved(queue[0])):
                ticket = queue.popleft()
                ticket.slot = self._begin(ticket.deadline)
                ticket.called.notify()

    def _is_starved(self, ticket: _Ticket) -> bool:
        """Whether a background search has waited so long that it starts beside the requests."""
        if ticket.deadline is not None or any(slot.in_background for slot in self.running):
            return False
        return time.monotonic() - ticket.since > STARVED

    def _begin(self, deadline: float | None) -> Slot:
        until = time.monotonic() + self.seconds if deadline is None else deadline
        slot = Slot(until, max(1, self.size - len(self.running)), deadline is None)
        self.running.add(slot)
        self._start_watcher()
        return slot

    def _busy_because(self, reason: str) -> Busy:
        self.on_busy()
        message = f"all search slots are taken, and {reason}: try again"
        return Busy(message, retry_after=RETRY_SECONDS)

    def _start_watcher(self) -> None:
        """Start the thread that watches deadlines, with the first search of the process."""
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, name="deadlines", daemon=True)
            self._watcher.start()
        self._busy.set()

    def _watch(self) -> None:
        while self._busy.wait():
            with self._lock:
                for slot in self.running:
                    if slot.is_over:
                        slot.stop[0] = 1
                self._hand_over()  # to a background search that has waited too long
                if not self.running:
                    self._busy.clear()
            time.sleep(_TICK)
