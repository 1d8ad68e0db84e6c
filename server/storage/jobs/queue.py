"""The queue in the table `jobs`: jobs are added, claimed under a lease, and finished.

A claim locks one row with SKIP LOCKED on PostgreSQL; on SQLite the caller's transaction has the
write lock. Callers take turns: the next job is one of the caller that was served least. Leases are
counted by the database's clock. Every change by a worker names the attempt that it holds, so a
worker that has lost its lease changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, delete, func, select, update
from sqlalchemy.sql.elements import ColumnElement

from server.storage.cluster.clock import database_seconds
from server.storage.jobs.values import (
    DONE,
    FAILED,
    REQUESTED,
    RUNNING,
    UNFINISHED,
    WAITING,
    JobRow,
    NewJob,
    counts_by_status,
)
from server.storage.schema import JOBS, insert_into

ATTEMPTS = 3  # after which a job has failed
WORKERS_DIED = f"{ATTEMPTS} workers died while they did it"
RETRY_FAILED = timedelta(minutes=1)  # after which a failed job may be queued again
KEEP_FINISHED = timedelta(minutes=10)  # so that clients learn the end of a job
KEEP_BACKGROUND = timedelta(hours=2)  # longer than the hour of a periodic job, whose key it holds
FORGET_WAITING = timedelta(days=1)  # background work that nobody has done
_IS_REQUESTED = JOBS.c.priority == REQUESTED
_UNCLAIMED: dict[str, Any] = {"worker": None, "lease_until": None}


def period(connection: Connection, seconds: int) -> int:
    """The number of the current period of some seconds, by the database's clock."""
    return int(connection.scalar(select(database_seconds(connection))) or 0) // seconds


def add_job(connection: Connection, job: NewJob) -> None:
    """Queue a job, unless one with its key is in the queue."""
    unless_queued = insert_into(connection, JOBS).on_conflict_do_nothing(index_elements=["key"])
    connection.execute(unless_queued, job.values)


def revive(connection: Connection, keys: Sequence[str]) -> None:
    """Queue jobs again whose result is gone, or which failed a while ago."""
    lost = (JOBS.c.status == DONE) & JOBS.c.result.is_(None)
    old = JOBS.c.finished_at < datetime.now(UTC) - RETRY_FAILED
    failed = (JOBS.c.status == FAILED) & old
    again = update(JOBS).where(JOBS.c.key.in_(keys), lost | failed)
    connection.execute(again.values(status=WAITING, attempts=0, finished_at=None, error=None))


def jobs_by_key(connection: Connection, keys: Sequence[str]) -> dict[str, JobRow]:
    """The jobs of some keys."""
    found = connection.execute(select(JOBS).where(JOBS.c.key.in_(keys)))
    return {row.key: JobRow(*row) for row in found}


def job(connection: Connection, job_id: str) -> JobRow | None:
    """A job by its id."""
    row = connection.execute(select(JOBS).where(JOBS.c.id == job_id)).one_or_none()
    return None if row is None else JobRow(*row)


def requested(connection: Connection, caller: str | None = None) -> int:
    """How many requested jobs are unfinished: of one caller, or of all."""
    wanted = select(func.count()).where(JOBS.c.status.in_(UNFINISHED), _IS_REQUESTED)
    own = wanted if caller is None else wanted.where(JOBS.c.caller == caller)
    return connection.scalar(own) or 0


def has_work(connection: Connection, kinds: Collection[str]) -> bool:
    """Whether a job of some kinds could be claimed; reads only."""
    claimable = _claimable(connection, kinds)
    return bool(connection.scalar(select(JOBS.c.id).where(claimable).limit(1)))


def claim(
    connection: Connection, worker: str, lease: float, kinds: Collection[str]
) -> JobRow | None:
    """The next job of some kinds, which is `worker`'s for `lease` seconds; None if there is none.

    A kind that this worker does not know waits for a newer one.
    """
    _fail_the_abandoned(connection)
    first = _in_order(_claimable(connection, kinds)).limit(1)
    chosen = first.with_for_update(skip_locked=True, of=JOBS).scalar_subquery()
    claimed = update(JOBS).where(JOBS.c.id == chosen)
    until = database_seconds(connection) + lease
    values = {"status": RUNNING, "worker": worker, "lease_until": until, "progress": None}
    row = connection.execute(
        claimed.values(values | {"attempts": JOBS.c.attempts + 1}).returning(JOBS)
    ).one_or_none()
    return None if row is None else JobRow(*row)


def renew(
    connection: Connection, held: JobRow, lease: float, progress: Mapping[str, Any] | None
) -> bool:
    """Renew the lease and store the progress; False if the lease is lost."""
    until = database_seconds(connection) + lease
    return _change(connection, held, {"lease_until": until, "progress": progress})


def finish(connection: Connection, held: JobRow) -> bool:
    """End a job; False if its lease is lost, and then its result must not be stored."""
    ended = {"status": DONE, "finished_at": datetime.now(UTC), "error": None}
    return _change(connection, held, ended | _UNCLAIMED)


def keep_result(connection: Connection, held: JobRow, result: Any) -> None:
    """Keep the result of a job that was finished in this transaction."""
    connection.execute(update(JOBS).where(JOBS.c.id == held.id).values(result=result))


def fail(connection: Connection, held: JobRow, reason: str, *, finally_: bool = False) -> bool:
    """Queue a job again after a failed attempt; after the last one it has failed."""
    if not finally_ and held.attempts < ATTEMPTS:
        return _change(connection, held, {"status": WAITING, "error": reason} | _UNCLAIMED)
    ended = {"status": FAILED, "finished_at": datetime.now(UTC), "error": reason}
    return _change(connection, held, ended | _UNCLAIMED)


def give_back(connection: Connection, held: JobRow) -> bool:
    """Queue a job again that was interrupted; the attempt does not count."""
    values = {"status": WAITING, "attempts": JOBS.c.attempts - 1, "progress": None}
    return _change(connection, held, values | _UNCLAIMED)


def outdated(now: datetime) -> ColumnElement[bool]:
    """Jobs that finished a while ago, and background jobs that nobody did in a day."""
    old = _IS_REQUESTED & (JOBS.c.finished_at < now - KEEP_FINISHED)
    old |= ~_IS_REQUESTED & (JOBS.c.finished_at < now - KEEP_BACKGROUND)
    waited = (JOBS.c.status == WAITING) & (JOBS.c.created_at < now - FORGET_WAITING)
    return old | (~_IS_REQUESTED & waited)


def prune_jobs(connection: Connection) -> int:
    """Delete outdated jobs."""
    return connection.execute(delete(JOBS).where(outdated(datetime.now(UTC)))).rowcount


def job_counts(connection: Connection) -> dict[str, int]:
    """The number of jobs by status; finished ones are counted until they are pruned."""
    found = connection.execute(select(JOBS.c.status, func.count()).group_by(JOBS.c.status))
    return counts_by_status([(status, number) for status, number in found])


def _claimable(connection: Connection, kinds: Collection[str]) -> ColumnElement[bool]:
    expired = JOBS.c.lease_until < database_seconds(connection)
    is_free = (JOBS.c.status == WAITING) | ((JOBS.c.status == RUNNING) & expired)
    return is_free & JOBS.c.kind.in_(kinds)


def _in_order(claimable: ColumnElement[bool]) -> Select[tuple[str]]:
    """The jobs by priority, then by the jobs that their callers had lately, then by age.

    A caller's jobs count while they run, and until they are pruned.
    """
    counted = select(JOBS.c.caller, func.count().label("jobs"))
    begun = counted.where(_IS_REQUESTED, JOBS.c.status != WAITING)
    served = begun.group_by(JOBS.c.caller).subquery()
    order = JOBS.c.priority, func.coalesce(served.c.jobs, 0), JOBS.c.created_at
    beside = select(JOBS.c.id).outerjoin(served, served.c.caller == JOBS.c.caller)
    return beside.where(claimable).order_by(*order)


def _fail_the_abandoned(connection: Connection) -> None:
    """End jobs whose last worker has died too."""
    expired = (JOBS.c.status == RUNNING) & (JOBS.c.lease_until < database_seconds(connection))
    ended = {"status": FAILED, "finished_at": datetime.now(UTC), "error": WORKERS_DIED}
    over = update(JOBS).where(expired, JOBS.c.attempts >= ATTEMPTS)
    connection.execute(over.values(ended | _UNCLAIMED))


def _change(connection: Connection, held: JobRow, values: Mapping[str, Any]) -> bool:
    """Change a job that the worker of `held` still holds."""
    own = (JOBS.c.id == held.id) & (JOBS.c.worker == held.worker)
    mine = own & (JOBS.c.attempts == held.attempts) & (JOBS.c.status == RUNNING)
    return bool(connection.execute(update(JOBS).where(mine).values(values)).rowcount)
