"""The deadline of a search, by wall time or by CPU time."""

import math
import time

from hearts.engine.config import SearchConfig

TIMERS = {"wall": time.perf_counter, "cpu": time.thread_time}


class Deadline:
    """Expires `config.time_ms` milliseconds after construction; never if it is None."""

    def __init__(self, config: SearchConfig) -> None:
        self._now = TIMERS[config.clock]
        self._end = math.inf if config.time_ms is None else self._now() + config.time_ms / 1000

    @property
    def is_over(self) -> bool:
        """Whether time is up; the CPU clock is valid only in the thread that constructed this."""
        return self._end < math.inf and self._now() >= self._end
