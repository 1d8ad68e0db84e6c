"""The deadline of a search, by wall time or by CPU time, and its stop flag."""

import math
import time
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hearts.engine.config import SearchConfig

Stop = NDArray[np.uint8]  # (1,): set it to 1 to make the search return early

TIMERS = {"wall": time.perf_counter, "cpu": time.thread_time}


def no_stop() -> Stop:
    """A stop flag that is never set."""
    return np.zeros(1, dtype=np.uint8)


class Deadline:
    """Expires `config.time_ms` milliseconds after construction; never if it is None."""

    def __init__(self, config: SearchConfig) -> None:
        self._now = TIMERS[config.clock]
        self._seconds = math.inf if config.time_ms is None else config.time_ms / 1000
        self._end = math.inf if config.time_ms is None else self._now() + self._seconds

    def after(self, share: float) -> "Deadline":
        """A deadline that expires after a share of this one's time."""
        part = copy(self)
        if self.is_set:
            part._end = self._end - (1 - share) * self._seconds
        return part

    @property
    def is_over(self) -> bool:
        """Whether time is up; the CPU clock is valid only in the thread that constructed this."""
        return self._end < math.inf and self._now() >= self._end

    @property
    def is_set(self) -> bool:
        """Whether it will ever expire."""
        return self._end < math.inf


@dataclass(frozen=True)
class Limit:
    """The end of some work: a stop flag, or a deadline."""

    stop: Stop
    deadline: Deadline

    @property
    def is_over(self) -> bool:
        """Whether the work was stopped, or its time is up."""
        return bool(self.stop[0]) or self.deadline.is_over


UNLIMITED = Limit(no_stop(), Deadline(SearchConfig()))
