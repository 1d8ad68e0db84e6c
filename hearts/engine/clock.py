"""The deadline of a search, by wall time or by CPU time, and its stop flag."""

import math
import time
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
    """Expires `share` of `config.time_ms` after construction; never if that is None."""

    def __init__(self, config: SearchConfig, share: float = 1.0) -> None:
        self._now = TIMERS[config.clock]
        seconds = math.inf if config.time_ms is None else share * config.time_ms / 1000
        self._end = self._now() + seconds

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

    @classmethod
    def of(cls, config: SearchConfig, stop: Stop | None, share: float = 1.0) -> "Limit":
        """A share of the time of a config, or a stop flag."""
        return cls(no_stop() if stop is None else stop, Deadline(config, share))

    @property
    def is_over(self) -> bool:
        """Whether the work was stopped, or its time is up."""
        return bool(self.stop[0]) or self.deadline.is_over


UNLIMITED = Limit(no_stop(), Deadline(SearchConfig()))
