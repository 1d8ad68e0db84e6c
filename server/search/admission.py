"""Searches at the same time: one for each core, a short queue, and no word longer than that.

Who finds the queue full is told so at once. A slot that is given back goes straight to whoever has
waited longest, so that nobody who comes later finds it free. Whoever has a slot has a deadline too:
a watch sets the stop flag of a search that has used it up, and the search returns what it has.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from hearts.engine.search.result import Stop, no_stop
from server.runtime.errors import Busy

RETRY_SECONDS = 1  # what a refused client is told to wait
_TICK = 0.1  # seconds between two looks of the watch


@dataclass(eq=False)
class Slot:
    """The right to search until a deadline."""

    deadline: float  # on the clock of time.monotonic
    threads: int  # cores that were free when it began, its own included
    stop: Stop = field(default_factory=no_stop)

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed, or somebody has stopped the search."""
        return bool(self.stop[0]) or time.monotonic() >= self.deadline


@dataclass(eq=False)
class _Ticket:
    """A place in the queue, and the slot that it got in the end."""

    deadline: float | None  # None: it waits as long as it takes, and its time begins with its slot
    called: threading.Condition  # one each: a slot that becomes free wakes one thread, not all
    slot: Slot | None = None


class Slots:
    """A number of slots and a bounded queue for them."""

    def __init__(
        self,
        size: int,
        queue: int,
        seconds: float,
        on_refusal: Callable[[], object] = lambda: None,
    ) -> None:
        self.size, self.queue, self.seconds = size, queue, seconds
        self.on_refusal = on_refusal
        self.running: set[Slot] = set()
        self._queue: deque[_Ticket] = deque()
        self._lock = threading.RLock()
        self._busy = threading.Event()
        self._watch: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """How many requests wait for a slot."""
        with self._lock:
            return sum(ticket.deadline is not None for ticket in self._queue)

    @contextmanager
    def taken(self, *, patient: bool = False) -> Iterator[Slot]:
        """A slot for the block; raises BUSY where the queue is full, or the wait was too long.

        Who is `patient` is never refused: it stands in line beside the queue's bound, and waits.
        """
        slot = self._take(None if patient else time.monotonic() + self.seconds)
        try:
            yield slot
        finally:
            with self._lock:
                self.running.discard(slot)
                self._hand_over()

    def _take(self, deadline: float | None) -> Slot:
        with self._lock:
            if len(self.running) < self.size:
                return self._begin(deadline)
            if deadline is not None and self.waiting >= self.queue:
                raise self._busy_because("the queue is full")
            ticket = _Ticket(deadline, threading.Condition(self._lock))
            self._queue.append(ticket)
            left = None if deadline is None else deadline - time.monotonic()
            ticket.called.wait_for(lambda: ticket.slot is not None, timeout=left)
            if ticket.slot is None:
                self._queue.remove(ticket)
                raise self._busy_because(f"none became free in {self.seconds} s")
            return ticket.slot

    def _hand_over(self) -> None:
        """Give slots that are free to those who wait, first come first served."""
        while self._queue and len(self.running) < self.size:
            ticket = self._queue.popleft()
            ticket.slot = self._begin(ticket.deadline)
            ticket.called.notify()

    def _begin(self, deadline: float | None) -> Slot:
        until = time.monotonic() + self.seconds if deadline is None else deadline
        slot = Slot(until, max(1, self.size - len(self.running)))
        self.running.add(slot)
        self._start_watch()
        return slot

    def _busy_because(self, reason: str) -> Busy:
        self.on_refusal()
        message = f"all searches are taken, and {reason}: try again"
        return Busy(message, retry_after=RETRY_SECONDS)

    def _start_watch(self) -> None:
        """One thread for all deadlines, begun in the process that searches."""
        if self._watch is None:
            self._watch = threading.Thread(target=self._look, name="deadlines", daemon=True)
            self._watch.start()
        self._busy.set()

    def _look(self) -> None:
        while self._busy.wait():
            with self._lock:
                for slot in self.running:
                    if slot.is_over:
                        slot.stop[0] = 1
                if not self.running:
                    self._busy.clear()
            time.sleep(_TICK)
