"""One job at a time: it is computed in another process while its lease is renewed.

This process keeps its ordinary priority. It does little, and a transaction of a process that gets
no processor time would block the moves.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import structlog
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from server.jobs import compute
from server.jobs.kinds import KINDS
from server.jobs.process import ComputingProcess, ProcessDied
from server.storage.games import writing
from server.storage.jobs import queue
from server.storage.jobs.values import JobRow

log = structlog.stdlib.get_logger("hearts.jobs")

JOB_SECONDS = 600.0  # the longest time of a job
PROCESS_DIED = "the computing process died"
_TICK = 0.1  # seconds between two looks at the signal to stop
_PROGRESS_SECONDS = 0.5  # between two updates of the progress of a job
_RETRY_SECONDS = 0.5  # between two attempts to reach the database

Found = TypeVar("Found")


class Interrupted(Exception):
    """The worker stops."""


class LeaseLost(Exception):
    """Another worker may do the job now."""


class Lane:
    """Does one job at a time, in a computing process of its own."""

    def __init__(
        self,
        engine: Engine,
        lease: float,
        closing: threading.Event,
        process: ComputingProcess,
    ) -> None:
        self.engine, self.lease, self.closing, self.process = engine, lease, closing, process

    def do(self, job: JobRow) -> None:
        """Do a job that this worker has claimed, and record how it ended."""
        begun = time.monotonic()
        try:
            ended = self._attempt(job)
        except Interrupted:
            ended = "given back"
            self._write(lambda connection: queue.give_back(connection, job))
        except LeaseLost:
            ended = "lost"
        except (ProcessDied, TimeoutError) as error:
            reason = PROCESS_DIED if isinstance(error, ProcessDied) else str(error)
            ended = self._fail(job, reason, finally_=isinstance(error, TimeoutError))
        seconds = round(time.monotonic() - begun, 3)
        log.info(f"job {ended}", job=job.id, kind=job.kind, attempt=job.attempts, seconds=seconds)

    def _attempt(self, job: JobRow) -> str:
        kind = KINDS.get(job.kind)
        if kind is None:
            return self._fail(job, f"kind {job.kind!r} is unknown", finally_=True)
        try:
            with self._renewing(job):
                task = self._retried(lambda: kind.prepare(self.engine, job.body))
            output = None if task is None else self._compute(job, task)
        except (Interrupted, LeaseLost, ProcessDied, TimeoutError, SQLAlchemyError):
            raise
        except _Failed as failed:
            return self._fail(job, str(failed))
        except Exception as error:  # the input cannot be read
            return self._fail(job, compute.reason(error))
        self._finish(job, None if task is None else lambda c: kind.store(c, job.body, output))
        return "done"

    @contextmanager
    def _renewing(self, job: JobRow) -> Iterator[None]:
        """Renew the lease while the block runs: maintenance may take long."""
        done = threading.Event()

        def renew() -> None:
            while not done.wait(self.lease / 4):
                with suppress(SQLAlchemyError), writing(self.engine) as connection:
                    queue.renew(connection, job, self.lease, None)

        thread = threading.Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _compute(self, job: JobRow, task: Any) -> Any:
        """The output of a computation; the lease is renewed while it runs."""
        self.process.send(job.kind, task)
        lease = _Lease(self, job)
        while True:
            self._check(lease)
            message = self.process.receive(_TICK)
            word, content = message or (None, None)
            if word == compute.DONE:
                return content
            if word == compute.FAILED:
                raise _Failed(content)
            lease.keep(content)

    def _check(self, lease: _Lease) -> None:
        """End the computation if the worker stops or the job takes too long."""
        if self.closing.is_set():
            self.process.end()
            raise Interrupted
        if time.monotonic() > lease.begun + JOB_SECONDS:
            self.process.end()
            raise TimeoutError(f"it took longer than {JOB_SECONDS:g} s")

    def _finish(self, job: JobRow, store: Callable[[Connection], Any] | None) -> None:
        """Store the output, once, together with the end of the job."""

        def end(connection: Connection) -> bool:
            if not queue.finish(connection, job):
                return False
            if store is not None and (kept := store(connection)) is not None:
                queue.keep_result(connection, job, kept)
            return True

        if not self._write(end):
            raise LeaseLost

    def _fail(self, job: JobRow, reason: str, *, finally_: bool = False) -> str:
        about = {"job": job.id, "kind": job.kind, "attempt": job.attempts}
        log.warning("attempt failed", **about, reason=reason)
        self._write(lambda connection: queue.fail(connection, job, reason, finally_=finally_))
        return "failed"

    def _write(self, change: Callable[[Connection], Found]) -> Found:
        def attempt() -> Found:
            with writing(self.engine) as connection:
                return change(connection)

        return self._retried(attempt)

    def _retried(self, action: Callable[[], Found]) -> Found:
        """Repeat an action while the database does not answer, as long as a lease lasts."""
        give_up = time.monotonic() + self.lease
        while True:
            try:
                return action()
            except SQLAlchemyError:
                if time.monotonic() > give_up:
                    raise
                time.sleep(_RETRY_SECONDS)


class _Failed(Exception):
    """The computation raised an error; the message says which and where."""


class _Lease:
    """The lease of a running job, and when it was renewed."""

    def __init__(self, lane: Lane, job: JobRow) -> None:
        self.lane, self.job = lane, job
        self.begun = self.renewed = self.confirmed = time.monotonic()
        self.progress: Mapping[str, Any] | None = None
        self.is_new = False  # whether the progress is still to be stored

    def keep(self, progress: Mapping[str, Any] | None) -> None:
        """Renew the lease if it is time to, and store the progress with it."""
        if progress is not None:
            self.progress, self.is_new = progress, True
        age = time.monotonic() - self.renewed
        if age > self.lane.lease / 4 or (self.is_new and age > _PROGRESS_SECONDS):
            self._renew()

    def _renew(self) -> None:
        self.renewed = time.monotonic()
        try:
            with writing(self.lane.engine) as connection:
                held = queue.renew(connection, self.job, self.lane.lease, self.progress)
        except SQLAlchemyError:  # try again until the lease is certainly over
            held = time.monotonic() < self.confirmed + self.lane.lease
        else:
            self.confirmed, self.is_new = self.renewed, False
        if not held:
            self.lane.process.end()
            raise LeaseLost
