"""Warm-up: what must have happened once before the service says that it is ready."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

import structlog

from hearts.warmup import compile_kernels

log = structlog.stdlib.get_logger("hearts.warmup")

# Called in order in each worker process.
STEPS: tuple[Callable[[], object], ...] = (compile_kernels,)


class WarmUp:
    """Runs its steps once, in the background, and knows how far it is."""

    def __init__(self, steps: Iterable[Callable[[], object]] = STEPS) -> None:
        self.steps = tuple(steps)
        self.problem: str | None = "warm-up has not begun"

    def start(self) -> threading.Thread:
        """Begin, so that liveness is answered while kernels compile."""
        self.problem = "warm-up is running"
        thread = threading.Thread(target=self.run, name="warm-up", daemon=True)
        thread.start()
        return thread

    def run(self) -> None:
        """Take every step; a step that fails leaves the service not ready."""
        try:
            for step in self.steps:
                step()
        except Exception:
            log.exception("warm-up failed")
            self.problem = "warm-up failed, see the log"
        else:
            log.info("warm-up done", steps=len(self.steps))
            self.problem = None
