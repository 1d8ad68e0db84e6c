"""A worker: it claims jobs from the queue and does several at the same time."""

from __future__ import annotations

import math
import os
import threading
import time
import uuid
from collections.abc import Callable

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from server.jobs import maintenance
from server.jobs.job_runner import JobRunner
from server.jobs.kinds import KINDS
from server.jobs.process import ComputingProcess
from server.runtime.errors import DatabaseError
from server.storage.database import problem_of
from server.storage.games import writing
from server.storage.jobs import queue
from server.storage.jobs.values import JobRow

log = structlog.stdlib.get_logger("hearts.jobs")

POLL_SECONDS = 0.25  # between two looks at an empty queue
PAUSE_SECONDS = 2.0  # after an error of the database
IDLE_SECONDS = 300.0  # after which a computing process without work ends and frees its memory
SCHEDULE_SECONDS = 60.0  # between two looks at periodic work


class Worker:
    """Claims and does jobs until it is closed.

    Another worker takes a job after `lease` seconds without a sign of life.
    """

    def __init__(
        self,
        engine: Engine,
        lease: float,
        new_process: Callable[[], ComputingProcess],
    ) -> None:
        self.engine, self.lease, self.new_process = engine, lease, new_process
        self.id = uuid.uuid4().hex
        self.closing = threading.Event()
        self._error: SQLAlchemyError | None = None  # that ended the work of `once`
        self._scheduled = -math.inf  # when periodic work was looked at

    def run(self, concurrency: int = 1, *, once: bool = False, parent: int | None = None) -> None:
        """Do jobs until `close`, or `once` the queue is empty.

        Stops also if this process is no longer a child of `parent`. Raises DatabaseError if the
        database fails before the queue is found empty.
        """
        threads = [
            threading.Thread(target=self._serve, args=(once,), daemon=True)
            for _ in range(concurrency)
        ]
        log.info("worker started", worker=self.id, pid=os.getpid(), concurrency=concurrency)
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            if parent is not None and os.getppid() != parent:
                self.close()
            self._schedule()
            threads[0].join(POLL_SECONDS)
        if self._error is not None:
            raise DatabaseError(problem_of(self._error)) from self._error

    def close(self) -> None:
        """Give running jobs back, and stop."""
        self.closing.set()

    def _serve(self, once: bool) -> None:
        """Do one job after the other."""
        runner = JobRunner(self.engine, self.lease, self.closing, self.new_process())
        worked = time.monotonic()
        try:
            while not self.closing.is_set():
                if self._step(runner, once):
                    worked = time.monotonic()
                elif once:
                    return
                else:
                    self.closing.wait(POLL_SECONDS)
                    if time.monotonic() > worked + IDLE_SECONDS:
                        runner.process.end()
        except SQLAlchemyError as error:  # only if `once`
            self._error = error
        finally:
            runner.process.end()

    def _step(self, runner: JobRunner, once: bool) -> bool:
        """Do the next job; False if there is none."""
        try:
            job = self._claim()
            if job is not None:
                runner.do(job)
        except SQLAlchemyError as error:
            if once:
                raise
            log.warning("error of the database", error=type(error).__name__)
            self.closing.wait(PAUSE_SECONDS)
            return True
        return job is not None

    def _claim(self) -> JobRow | None:
        with self.engine.connect() as connection:  # without SQLite's write lock
            if not queue.has_work(connection, KINDS):
                return None
        with writing(self.engine) as connection:
            return queue.claim(connection, self.id, self.lease, KINDS)

    def _schedule(self) -> None:
        """Queue periodic work, now and then."""
        if time.monotonic() < self._scheduled + SCHEDULE_SECONDS or self.closing.is_set():
            return
        self._scheduled = time.monotonic()
        try:
            maintenance.schedule(self.engine)
        except SQLAlchemyError as error:
            log.warning("maintenance is not scheduled", error=type(error).__name__)
