"""Requests for jobs: bounded per caller and in total, and waited for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, Engine

from server.games.access import Credentials, find_game
from server.runtime.caller import Caller
from server.runtime.errors import Busy, JobFailed, NotFound
from server.runtime.peer import current_peer
from server.storage.games import reading, writing
from server.storage.jobs import queue
from server.storage.jobs.values import FAILED, JobRow, NewJob
from server.storage.values import is_id

RETRY_SECONDS = 5  # Retry-After when no more jobs are accepted
WAITERS = 16  # requests of a process that may wait for jobs; further ones are answered at once
_SHARE = 4  # a caller may have a quarter of the queue
_FIRST_POLL, _LAST_POLL = 0.02, 0.25  # seconds between two looks at a job, growing


@dataclass(frozen=True)
class JobRequests:
    """Queues jobs for callers; `most` requested jobs may be unfinished."""

    engine: Engine
    most: int
    closing: threading.Event = field(default_factory=threading.Event)  # nobody waits any more
    _places: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(WAITERS)
    )

    def ask(self, jobs: Sequence[NewJob], caller: Caller) -> dict[str, JobRow]:
        """The jobs that do some work, by key; those that do not exist are queued.

        If not all find a place, the first ones are queued. Raises Busy if none does, and JobFailed
        for a job that has failed lately.
        """
        keys = [job.key for job in jobs]
        with self.engine.connect() as connection:
            found = queue.jobs_by_key(connection, keys)
        if len(found) < len(jobs) or any(_is_over(row) for row in found.values()):
            found = self._add(jobs, caller)
        _raise_failure(found.values())
        return found

    def look(self, keys: Sequence[str]) -> dict[str, JobRow]:
        """The jobs of some keys as they are now."""
        with self.engine.connect() as connection:
            return queue.jobs_by_key(connection, keys)

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[Iterator[float]]:
        """The pauses of a request that waits at most `seconds`; none if too many wait already."""
        if not self._places.acquire(blocking=False):
            yield iter(())
            return
        try:
            yield self._pauses(time.monotonic() + seconds)
        finally:
            self._places.release()

    def _pauses(self, deadline: float) -> Iterator[float]:
        """Sleep between two looks, until the deadline, or nobody waits any more."""
        pause, peer = _FIRST_POLL, current_peer()
        while (left := deadline - time.monotonic()) > 0 and not self.closing.is_set():
            if peer.gone:
                return
            self.closing.wait(min(pause, left))
            yield pause
            pause = min(1.5 * pause, _LAST_POLL)

    def _add(self, jobs: Sequence[NewJob], caller: Caller) -> dict[str, JobRow]:
        keys = [job.key for job in jobs]
        with writing(self.engine) as connection:
            queue.revive(connection, keys)
            known = queue.jobs_by_key(connection, keys)
            new = [job for job in jobs if job.key not in known]
            free = self._free(connection, caller) if new else 0
            if new and not known and free <= 0:
                message = "too many jobs are waiting: try again"
                raise Busy(message, retry_after=RETRY_SECONDS)
            for job in new[: max(0, free)]:
                asked = replace(job, owner_id=caller.key_id, caller=caller.identity[:64])
                queue.add_job(connection, asked)
            return queue.jobs_by_key(connection, keys)

    def _free(self, connection: Connection, caller: Caller) -> int:
        """How many more jobs a caller may queue."""
        own = max(1, self.most // _SHARE) - queue.requested(connection, caller.identity[:64])
        return min(own, self.most - queue.requested(connection))


def visible_job(engine: Engine, job_id: str, given: Credentials) -> JobRow:
    """A job by its id: for its owner, and for those who see its game; raises NotFound."""
    with reading(engine) as connection:
        found = queue.job(connection, job_id) if is_id(job_id) else None
        if found is None or not _is_visible(connection, found, given):
            raise NotFound(f"there is no job {job_id[:40]!r}")
        return found


def _is_visible(connection: Connection, row: JobRow, given: Credentials) -> bool:
    if not row.is_requested:
        return False
    if row.owner_id == given.caller.key_id and not given.caller.visitor:
        return True
    try:
        return bool(find_game(connection, row.body.get("game_id", ""), given))
    except NotFound:
        return False


def _is_over(row: JobRow) -> bool:
    """Whether a job may have to be queued again: its result is gone, or it failed."""
    return row.is_finished and row.result is None


def _raise_failure(found: Iterable[JobRow]) -> None:
    for row in found:
        if row.status == FAILED:
            reason = f"job {row.id} failed: {row.error}"
            raise JobFailed(reason, retry_after=int(queue.RETRY_FAILED.total_seconds()))
