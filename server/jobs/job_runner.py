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

from server.jobs.compute import reason as reason_of
from server.jobs.kinds import KINDS
from server.jobs.messages import FAILED, PROGRESS
from server.jobs.process import ComputingProcess, ProcessDied, TimeLimitExceeded
from server.storage.games import writing
from server.storage.jobs import queue
from server.storage.jobs.values import JobRow

log = structlog.stdlib.get_logger("hearts.jobs")

PROCESS_DIED = "the computing process died"
_TICK = 0.1  # seconds between two looks at the signal to stop
_PROGRESS_SECONDS = 0.5  # between two updates of the progress of a job
_RETRY_SECONDS = 0.5  # between two attempts to reach the database

Found = TypeVar("Found")


class Interrupted(Exception):
    """The worker stops."""


class LeaseLost(Exception):
    """Another worker may do the job now."""


class JobRunner:
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
        seconds = round(time.monotonic() - begun, 3)
        log.info(f"job {ended}", job=job.id, kind=job.kind, attempt=job.attempts, seconds=seconds)

    def _attempt(self, job: JobRow) -> str:
        """Do a job; a failed attempt is recorded, and the last one ends the job."""
        try:
            self._do(job)
        except (Interrupted, LeaseLost, SQLAlchemyError):
            raise
        except TimeLimitExceeded:  # it would be exceeded again
            reason = f"it took more than {self.process.seconds} s of processor time"
            return self._fail(job, reason, finally_=True)
        except ProcessDied:
            if self.closing.is_set():  # whoever stops the worker may have killed both
                raise Interrupted from None
            return self._fail(job, PROCESS_DIED)
        except _Failed as failed:
            return self._fail(job, str(failed))
        except Exception as error:  # the input cannot be read, or the output not be stored
            return self._fail(job, reason_of(error))
        return "done"

    def _do(self, job: JobRow) -> None:
        kind = KINDS[job.kind]
        with self._renewing(job):
            task = self._retried(lambda: kind.prepare(self.engine, job.body))
        if task is None:
            self._finish(job, None)
            return
        output = self._compute(job, task)
        self._finish(job, lambda connection: kind.store(connection, job.body, output))

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
        """The output of a computation."""
        self.process.send(job.kind, task)
        try:
            word, content = self._answer(job)
        except BaseException:  # else its late answer would be taken for the next job's
            self.process.end()
            raise
        if word == FAILED:
            raise _Failed(content)
        return content

    def _answer(self, job: JobRow) -> tuple[str, Any]:
        """The last message of a computation; the lease is renewed until it comes."""
        lease = _Lease(self, job)
        while not self.closing.is_set():
            word, content = self.process.receive(_TICK) or (PROGRESS, None)
            if word != PROGRESS:
                return word, content
            lease.keep(content)
        raise Interrupted

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

    def __init__(self, runner: JobRunner, job: JobRow) -> None:
        self.runner, self.job = runner, job
        self.renewed = self.confirmed = time.monotonic()
        self.progress: Mapping[str, Any] | None = None
        self.is_new = False  # whether the progress is still to be stored

    def keep(self, progress: Mapping[str, Any] | None) -> None:
        """Renew the lease if it is time to, and store the progress with it."""
        if progress is not None:
            self.progress, self.is_new = progress, True
        age = time.monotonic() - self.renewed
        if age > self.runner.lease / 4 or (self.is_new and age > _PROGRESS_SECONDS):
            self._renew()

    def _renew(self) -> None:
        self.renewed = time.monotonic()
        try:
            with writing(self.runner.engine) as connection:
                held = queue.renew(connection, self.job, self.runner.lease, self.progress)
        except SQLAlchemyError:  # try again until the lease is certainly over
            held = time.monotonic() < self.confirmed + self.runner.lease
        else:
            self.confirmed, self.is_new = self.renewed, False
        if not held:
            raise LeaseLost
