"""Admission of searches: one slot per core, a bounded FIFO queue, a deadline for every slot.

All worker processes of a machine share the slots. A request that finds the queue of its process
full gets Busy at once. A released slot goes to a request that has waited longest in its process, so
that none overtakes it there. One thread watches all searches. It sets the stop flag of one that
has expired or whose client is gone, which then returns what it has found.

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
from server.runtime.peer import Peer, current_peer
from server.search.semaphore import SharedSemaphore

RETRY_SECONDS = 1  # Retry-After of Busy
CLIENT_GONE = "the client has closed the connection, or its sending half"
STARVED = 1.0  # seconds after which a background search starts although requests use all slots
_TICK = 0.1  # seconds between two looks at the running searches


@dataclass(eq=False)
class Slot:
    """The right to search until a deadline."""

    deadline: float  # on the clock of time.monotonic
    threads: int  # cores that were free at the start, its own included
    unit: int  # of the semaphore
    in_background: bool = False
    stop: Stop = field(default_factory=no_stop)
    peer: Peer = field(default_factory=Peer)  # who waits for the result

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed, the client is gone, or the search was stopped."""
        return bool(self.stop[0]) or self.peer.gone or time.monotonic() >= self.deadline


@dataclass(eq=False)
class _Ticket:
    """A place in the queue, and the slot that it gets."""

    deadline: float | None  # None: in the background; it waits without limit
    called: threading.Condition  # one per ticket, so that a free slot wakes only one thread
    since: float = field(default_factory=time.monotonic)
    peer: Peer = field(default_factory=current_peer)
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
        self.running: set[Slot] = set()  # in this process
        self._requests, self._bots = SharedSemaphore(size), SharedSemaphore(size)
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
        slot = self._take_in_background() if background else self._take()
        try:
            yield slot
        finally:
            with self._lock:
                self.running.discard(slot)
                (self._bots if slot.in_background else self._requests).release(slot.unit)
                self._hand_over()

    def forget(self, pid: int) -> None:
        """Forget the requests that waited in a process that has ended."""
        self._requests.forget(pid)

    def _take(self) -> Slot:
        """A slot for a request: at once, or after those that wait."""
        with self._lock:
            ticket = self._ticket(time.monotonic() + self.seconds)
            if not self._queue and self._begin(ticket):
                assert ticket.slot is not None
                return ticket.slot
            if len(self._queue) >= self.queue:
                raise self._busy_because("the queue is full")
            self._queue.append(ticket)
            self._requests.set_waiters(len(self._queue))
            return self._wait(ticket)

    def _wait(self, ticket: _Ticket) -> Slot:
        """Wait for the first place in the queue, then for a slot; the caller holds the lock."""
        assert ticket.deadline is not None
        while ticket.slot is None:
            if ticket.peer.gone:
                self._leave_queue(ticket)
                raise Busy(CLIENT_GONE)
            if time.monotonic() >= ticket.deadline:
                self._leave_queue(ticket)
                raise self._busy_because(f"none became free in {self.seconds} s")
            if self._queue[0] is not ticket:
                ticket.called.wait(_TICK)
            elif self._begin(ticket):
                self._leave_queue(ticket)
            else:
                self._wait_for_release()
        return ticket.slot

    def _leave_queue(self, ticket: _Ticket) -> None:
        self._queue.remove(ticket)
        self._requests.set_waiters(len(self._queue))
        if self._queue:
            self._queue[0].called.notify()

    def _wait_for_release(self) -> None:
        """Wait without the lock until a slot may be free."""
        self._lock.release()
        try:
            self._requests.wait()
        finally:
            self._lock.acquire()

    def _take_in_background(self) -> Slot:
        with self._lock:
            ticket = self._ticket(None)
            self._background.append(ticket)
            self._hand_over()
            self._start_watcher()
            ticket.called.wait_for(lambda: ticket.slot is not None)
            assert ticket.slot is not None
            return ticket.slot

    def _ticket(self, deadline: float | None) -> _Ticket:
        return _Ticket(deadline, threading.Condition(self._lock))

    def _hand_over(self) -> None:
        """Give free slots to those that wait: requests of all processes, then the background.

        If requests of other processes wait, all of them are woken up, and one gets the slot.
        """
        if self._queue and not self._requests.others_wait and self._begin(self._queue[0]):
            first = self._queue[0]
            self._leave_queue(first)
            first.called.notify()
        while self._background and self._has_room(self._background[0]):
            if not self._begin(self._background[0]):
                return
            self._background.popleft().called.notify()

    def _has_room(self, ticket: _Ticket) -> bool:
        """Whether a slot is free that no request wants, or the search has waited too long for one.

        A slot that another process has just released is free until a request takes it that waits.
        """
        background = self._bots.acquired
        if not self._requests.waiters and self._requests.acquired + background < self.size:
            return True
        return not background and time.monotonic() - ticket.since > STARVED

    def _begin(self, ticket: _Ticket) -> bool:
        """Give a ticket a slot, if one is free."""
        in_background = ticket.deadline is None
        unit = (self._bots if in_background else self._requests).acquire()
        if unit is None:
            return False
        deadline = ticket.deadline or time.monotonic() + self.seconds
        # The threads of a request do not depend on bots: they would show whether one searches.
        others = self._requests.acquired + (self._bots.acquired if in_background else 0) - 1
        threads = max(1, self.size - others)
        ticket.slot = Slot(deadline, threads, unit, in_background, peer=ticket.peer)
        self.running.add(ticket.slot)
        self._start_watcher()
        return True

    def _busy_because(self, reason: str) -> Busy:
        self.on_busy()
        message = f"all search slots are taken, and {reason}: try again"
        return Busy(message, retry_after=RETRY_SECONDS)

    def _start_watcher(self) -> None:
        """Start the thread that watches searches, with the first one of the process."""
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
                if not self.running and not self._background:
                    self._busy.clear()
            time.sleep(_TICK)
