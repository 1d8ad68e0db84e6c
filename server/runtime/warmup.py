"""Warm-up: what must have happened once before the service says that it is ready."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

import numpy as np
import structlog

from hearts.engine.beliefs import belief_names, load_belief
from hearts.engine.warmup import compile_kernels, views
from server.search.options import DEFAULT

log = structlog.stdlib.get_logger("hearts.warmup")


def ask_beliefs() -> None:
    """Ask every opponent model what requests ask it; only the default one must answer."""
    seen = views()
    for name in belief_names():
        try:
            belief = load_belief(name)
            for view in seen:
                belief.probabilities(view)
                belief.sample(view, 2, np.random.default_rng(0))
        except Exception:
            if name == DEFAULT.belief:
                raise
            log.exception("an opponent model cannot be asked", model=name)


# Called in order in each worker process.
STEPS: tuple[Callable[[], object], ...] = (compile_kernels, ask_beliefs)


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


if __name__ == "__main__":  # from make and the Dockerfile, so that no start has to compile
    for step in STEPS:
        step()
