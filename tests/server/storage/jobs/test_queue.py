"""The queue of jobs, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, select, update

from server.storage.cluster.clock import database_seconds
from server.storage.games import writing
from server.storage.jobs import queue
from server.storage.jobs.values import (
    BACKGROUND,
    DONE,
    FAILED,
    FIRST,
    RUNNING,
    WAITING,
    JobRow,
    NewJob,
)
from server.storage.schema import JOBS

LEASE = 60.0
KINDS = ("test",)


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with writing(engine) as made:
        yield made


def add(connection: Connection, key: str, **more: object) -> None:
    queue.add_job(connection, NewJob(kind="test", key=key, body={"n": key}, **more))


def expire(connection: Connection) -> None:
    """Let all leases be over."""
    connection.execute(update(JOBS).values(lease_until=database_seconds(connection) - 1))


def claimed(connection: Connection, worker: str = "w") -> JobRow:
    job = queue.claim(connection, worker, LEASE, KINDS)
    assert job is not None
    return job


def status(connection: Connection, job: JobRow) -> str:
    found = queue.job(connection, job.id)
    assert found is not None
    return found.status


def test_requested_jobs_come_first_then_the_oldest(connection):
    add(connection, "later", priority=BACKGROUND)
    add(connection, "one")
    add(connection, "two")
    add(connection, "quick", priority=FIRST)
    assert [claimed(connection).key for _ in range(4)] == ["quick", "one", "two", "later"]
    assert queue.claim(connection, "w", LEASE, KINDS) is None


def test_callers_take_turns(connection):
    """Who has many jobs in the queue does not delay the one job of another caller."""
    for number in range(4):
        add(connection, f"many {number}", caller="many")
    add(connection, "background", priority=BACKGROUND)
    first = claimed(connection)
    queue.finish(connection, first)
    for number in range(2):
        add(connection, f"few {number}", caller="few")
    order = [first.key, *(claimed(connection).key for _ in range(6))]
    turns = ["many 0", "few 0", "many 1", "few 1", "many 2", "many 3", "background"]
    assert order == turns
    long_ago = datetime.now(UTC) - 2 * queue.KEEP_FINISHED
    connection.execute(update(JOBS).values(status=DONE, finished_at=long_ago))
    queue.prune_jobs(connection)  # what a caller had long ago does not count
    for caller in ("many", "few"):
        add(connection, f"again {caller}", caller=caller)
    assert [claimed(connection).key for _ in range(2)] == ["again many", "again few"]


def test_a_kind_that_a_worker_does_not_know_waits_for_a_newer_one(connection):
    queue.add_job(connection, NewJob(kind="new", key="new", body={}))
    assert not queue.has_work(connection, KINDS)
    assert queue.claim(connection, "old", LEASE, KINDS) is None
    job = queue.claim(connection, "new", LEASE, ("new", "test"))
    assert job is not None
    assert job.attempts == 1


def test_the_same_work_is_queued_once(connection):
    for _ in range(3):
        add(connection, "one")
    job = claimed(connection)
    add(connection, "one")
    assert not queue.has_work(connection, KINDS)
    assert (job.body, job.attempts, job.status) == ({"n": "one"}, 1, RUNNING)


def test_a_job_of_a_dead_worker_is_claimed_again(connection):
    add(connection, "one")
    first = claimed(connection, "first")
    assert not queue.has_work(connection, KINDS)
    expire(connection)
    assert queue.has_work(connection, KINDS)
    second = claimed(connection, "second")
    assert (second.id, second.attempts) == (first.id, 2)
    # The first one was only slow: it changes nothing any more.
    assert not queue.renew(connection, first, LEASE, {"done": 9})
    assert not queue.finish(connection, first)
    assert not queue.fail(connection, first, "late")
    assert not queue.give_back(connection, first)
    assert queue.renew(connection, second, LEASE, {"done": 1})
    assert queue.finish(connection, second)
    assert status(connection, second) == DONE


def test_a_job_that_kills_its_workers_has_failed(connection):
    add(connection, "one")
    for number in range(queue.ATTEMPTS):
        job = claimed(connection, str(number))
        expire(connection)
    assert queue.claim(connection, "another", LEASE, KINDS) is None
    found = queue.job(connection, job.id)
    assert (found.status, found.error) == (FAILED, queue.WORKERS_DIED)


def test_a_failing_job_is_tried_three_times(connection):
    add(connection, "one")
    for number in range(1, queue.ATTEMPTS + 1):
        job = claimed(connection)
        assert job.attempts == number
        queue.fail(connection, job, "no luck")
    found = queue.job(connection, job.id)
    assert (found.status, found.error, found.worker) == (FAILED, "no luck", None)
    queue.revive(connection, ["one"])
    assert status(connection, job) == FAILED  # not at once
    long_ago = datetime.now(UTC) - 2 * queue.RETRY_FAILED
    connection.execute(update(JOBS).values(finished_at=long_ago))
    queue.revive(connection, ["one"])
    assert claimed(connection).attempts == 1


def test_a_job_that_is_given_back_has_lost_no_attempt(connection):
    add(connection, "one")
    for _ in range(5):
        queue.give_back(connection, claimed(connection))
    assert claimed(connection).attempts == 1


def test_a_result_that_is_gone_is_made_again(connection):
    for key in ("stored elsewhere", "kept"):
        add(connection, key)
    for kept in (None, {"a": 1}):
        job = claimed(connection)
        queue.finish(connection, job)
        if kept is not None:
            queue.keep_result(connection, job, kept)
    queue.revive(connection, ["stored elsewhere", "kept"])
    found = queue.jobs_by_key(connection, ["stored elsewhere", "kept"])
    assert {key: job.status for key, job in found.items()} == {
        "stored elsewhere": WAITING, "kept": DONE,
    }  # fmt: skip
    assert found["kept"].result == {"a": 1}


def test_finished_jobs_are_deleted_after_a_while(connection):
    ages = {"new": 5, "old": 11, "hourly": 61, "stale": 121}
    for key in ages:
        background = key in ("hourly", "stale")
        add(connection, key, priority=BACKGROUND if background else 0)
        queue.finish(connection, claimed(connection))
        then = datetime.now(UTC) - timedelta(minutes=ages[key])
        connection.execute(update(JOBS).where(JOBS.c.key == key).values(finished_at=then))
    add(connection, "waits")
    add(connection, "nobody did it", priority=BACKGROUND)
    yesterday = datetime.now(UTC) - timedelta(hours=25)
    connection.execute(update(JOBS).where(JOBS.c.status == WAITING).values(created_at=yesterday))
    queue.prune_jobs(connection)
    assert set(connection.scalars(select(JOBS.c.key))) == {"new", "hourly", "waits"}
    assert queue.job_counts(connection) == {"waiting": 1, "running": 0, "done": 2, "failed": 0}


def test_many_askers_and_workers_at_the_same_time(engine):
    """Every key is one job, and every job is claimed once."""

    def ask(_: int) -> None:
        for number in range(10):
            with writing(engine) as connection:
                add(connection, f"job {number}")

    def work(name: int) -> list[str]:
        done = []
        while True:
            with writing(engine) as connection:
                job = queue.claim(connection, str(name), LEASE, KINDS)
            if job is None:
                return done
            done.append(job.key)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(ask, range(6)))
        done = [key for keys in pool.map(work, range(6)) for key in keys]
    assert sorted(done) == [f"job {number}" for number in range(10)]
