"""The deadline of a search, by wall time or by CPU time."""

import math
import time

from hearts.engine.config import SearchConfig

TIME_OF = {"wall": time.perf_counter, "cpu": time.thread_time}


class Deadline:
    """The end of a config's `time_ms`, counted from construction; never, if it has none."""

    def __init__(self, config: SearchConfig) -> None:
        self._now = TIME_OF[config.clock]
        self._end = math.inf if config.time_ms is None else self._now() + config.time_ms / 1000

    @property
    def is_over(self) -> bool:
        """Whether time is up; with the CPU clock only the constructing thread may ask."""
        return self._end < math.inf and self._now() >= self._end
