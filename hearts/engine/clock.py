"""The time that a search may take, on one of two clocks."""

import math
import time

from hearts.engine.config import SearchConfig

TIME_OF = {"wall": time.perf_counter, "cpu": time.thread_time}


class Deadline:
    """The moment when the time of a config is up, counted from now; never, where it has none."""

    def __init__(self, config: SearchConfig) -> None:
        self._now = TIME_OF[config.clock]
        self._end = math.inf if config.time_ms is None else self._now() + config.time_ms / 1000

    @property
    def is_over(self) -> bool:
        """Whether time is up; by the CPU clock only the thread that began may ask."""
        return self._end < math.inf and self._now() >= self._end
