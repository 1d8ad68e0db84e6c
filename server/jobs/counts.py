"""The numbers of jobs, for the metrics."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from server.storage.jobs.queue import job_counts

FRESH_SECONDS = 5.0  # for which a count is used again
WAIT_SECONDS = 0.5  # that a reader of the metrics waits for the database


class JobCounts:
    """Counts the jobs in a thread, so that a database that hangs stops no reader."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = threading.Lock()
        self._counts: Mapping[str, int] = {}
        self._counted = -math.inf  # when a count was begun
        self._thread: threading.Thread | None = None

    def of(self, status: str) -> float:
        """The number of jobs of a status; NaN if it is unknown."""
        with self._lock:
            if time.monotonic() > self._counted + FRESH_SECONDS and not self._is_counting():
                self._counted = time.monotonic()
                self._thread = threading.Thread(target=self._count, name="jobs", daemon=True)
                self._thread.start()
                self._thread.join(WAIT_SECONDS)
            return self._counts.get(status, math.nan)

    def _is_counting(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _count(self) -> None:
        try:
            with self.engine.connect() as connection:
                self._counts = job_counts(connection)
        except SQLAlchemyError:
            self._counts = {}
