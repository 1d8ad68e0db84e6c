"""Threads with a bounded queue."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from server.serving.kinds import Size


class Pool:
    """Calls `serve` in threads, which start when they are needed.

    Unlike ThreadPoolExecutor it has a bounded queue, and no future for every request.
    """

    def __init__(self, name: str, size: Size, serve: Callable[[Any], object]) -> None:
        self.name, self.size, self.serve = name, size, serve
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self._lock = threading.Lock()
        self._started = 0  # threads
        self._free = 0  # threads that wait for work; negative: work that waits for threads

    def submit(self, work: Any) -> bool:
        """Queue some work; False if the queue is full."""
        with self._lock:
            if self._free <= 0 and self._started < self.size.threads:
                self._start()
            if self._free <= -self.size.queue:
                return False
            self._free -= 1
        self._queue.put(work)
        return True

    def _start(self) -> None:
        self._started += 1
        self._free += 1
        name = f"{self.name}-{self._started}"
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while True:
            self.serve(self._queue.get())
            with self._lock:
                self._free += 1
