"""Searches at the same time: one for each core, a short queue, and no word longer than that.

Who finds the queue full is told so at once. Whoever has a slot has a deadline too: a watch sets the
stop flag of a search that has used it up, and the search returns what it has.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from hearts.search import Stop, no_stop
from server.refusals import Refusal

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
        self.waiting = 0
        self._changed = threading.Condition()
        self._busy = threading.Event()
        self._watch: threading.Thread | None = None

    @contextmanager
    def taken(self) -> Iterator[Slot]:
        """A slot for the block; raises BUSY where the queue is full, or the wait was too long."""
        slot = self._take(time.monotonic() + self.seconds)
        try:
            yield slot
        finally:
            with self._changed:
                self.running.discard(slot)
                self._changed.notify()

    def _take(self, deadline: float) -> Slot:
        with self._changed:
            # Who comes while others wait stands behind them.
            if (self._is_full or self.waiting) and not self._wait(deadline):
                self.on_refusal()
                raise Refusal(
                    "BUSY",
                    "all searches are taken, and the queue is full: try again",
                    {"Retry-After": str(RETRY_SECONDS)},
                )
            slot = Slot(deadline, max(1, self.size - len(self.running)))
            self.running.add(slot)
            self._start_watch()
            return slot

    @property
    def _is_full(self) -> bool:
        return len(self.running) >= self.size

    def _wait(self, deadline: float) -> bool:
        """Wait in the queue; whether a slot is free then."""
        if self.waiting >= self.queue:
            return False
        self.waiting += 1
        try:
            return self._changed.wait_for(
                lambda: not self._is_full, timeout=deadline - time.monotonic()
            )
        finally:
            self.waiting -= 1

    def _start_watch(self) -> None:
        """One thread for all deadlines, begun in the process that searches."""
        if self._watch is None:
            self._watch = threading.Thread(target=self._look, name="deadlines", daemon=True)
            self._watch.start()
        self._busy.set()

    def _look(self) -> None:
        while self._busy.wait():
            with self._changed:
                for slot in self.running:
                    if slot.is_over:
                        slot.stop[0] = 1
                if not self.running:
                    self._busy.clear()
            time.sleep(_TICK)
