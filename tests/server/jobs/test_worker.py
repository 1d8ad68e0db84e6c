"""Workers as processes, on both databases: they share the queue, die, and stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from sqlalchemy import Engine, delete, func, select, text

from hearts.engine.config import SearchConfig
from server.jobs import maintenance
from server.jobs.asking import JobRequests
from server.jobs.game_reviews import RequestedReviews, reviews_of_game
from server.jobs.job_runner import PROCESS_DIED, JobRunner
from server.jobs.kinds import KINDS
from server.jobs.process import ComputingProcess
from server.jobs.worker import Worker
from server.runtime.caller import Caller
from server.runtime.errors import Busy, DatabaseError
from server.storage.games import reading, writing
from server.storage.hands import hands
from server.storage.jobs import queue
from server.storage.jobs.values import DONE, RUNNING, WAITING, JobRow
from server.storage.reviews import store_review
from server.storage.schema import GAMES, JOBS, REVIEWS
from tests.server.jobs.working import children, is_alive, worker_process
from tests.server.service import PATIENCE, hearts, hearts_process, wait_until
from tests.server.storage.played import keep, sample_records

RECORDS = sample_records(6)
ANN, BOB = Caller(1, "ann", "10.0.0.1"), Caller(2, "bob", "10.0.0.2")
LEASE = "3"  # seconds: a worker on a busy machine must not lose it


def ask(
    engine: Engine, game: str, caller: Caller = ANN, most: int = 256, **search: int
) -> RequestedReviews:
    """Ask for the reviews of a game, without waiting."""
    with reading(engine) as connection:
        wanted = hands(connection, [game])
    config = SearchConfig(**{"simulations": 60, "worlds": 6} | search)
    reviews = reviews_of_game(JobRequests(engine, most), caller, wanted, config)
    reviews.look()
    return reviews


def jobs(engine: Engine) -> list[tuple[str, int]]:
    """Status and attempts of the reviews."""
    with engine.connect() as connection:
        wanted = select(JOBS.c.status, JOBS.c.attempts).where(JOBS.c.kind == "review")
        return [(row.status, row.attempts) for row in connection.execute(wanted)]


def forget(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(delete(JOBS))
        connection.execute(delete(REVIEWS))


def holder(engine: Engine) -> str | None:
    """The worker that does a review."""
    with engine.connect() as connection:
        return connection.scalar(select(JOBS.c.worker).where(JOBS.c.status == RUNNING))


def told(folder: Path, message: str) -> list[dict[str, object]]:
    """The lines of a worker's log with a message."""
    lines = (folder / "worker.log").read_text().splitlines()
    return [each for each in map(json.loads, lines) if each.get("event") == message]


@pytest.mark.parametrize(
    "migrated_url",
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.thorough)],
    indirect=True,
)
def test_workers_share_the_queue_and_survive_each_other(engine, migrated_url, tmp_path):
    game = keep(engine, RECORDS, target_score=1000)
    ask(engine, game)
    folders = {name: tmp_path / name for name in "ab"}
    with ExitStack() as stack:
        workers = {}
        for name, folder in folders.items():
            folder.mkdir()
            started = worker_process(folder, migrated_url, "--lease", LEASE)
            workers[name] = stack.enter_context(started)
        wait_until(lambda: jobs(engine) == [(DONE, 1)] * 6, PATIENCE)
        done = [each["job"] for folder in folders.values() for each in told(folder, "job done")]
        assert len(set(done)) == len(done) == 6 + 1  # and the hourly maintenance, once for both

        # A worker is killed in a job: the other one does it, after the lease.
        forget(engine)
        ask(engine, keep(engine, RECORDS[:1]), simulations=30_000, worlds=30)
        wait_until(lambda: holder(engine) is not None)
        started = {name: told(folder, "worker started")[0] for name, folder in folders.items()}
        (victim,) = (name for name in workers if started[name]["worker"] == holder(engine))
        (computing,) = children(workers[victim].pid)
        workers[victim].kill()
        wait_until(lambda: jobs(engine) == [(DONE, 2)], PATIENCE)
        wait_until(lambda: not is_alive(computing))

        # The other one is asked to stop in a job: it gives it back.
        ask(engine, keep(engine, RECORDS[:1]), simulations=1_000_000, worlds=1000)
        wait_until(lambda: holder(engine) is not None)
        (other,) = (worker for name, worker in workers.items() if name != victim)
        other.terminate()
        assert other.wait(30) == 0
        assert sorted(jobs(engine)) == [(DONE, 2), (WAITING, 0)]
    text = "".join((folder / "worker.log").read_text() for folder in folders.values())
    assert "Traceback" not in text


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_a_worker_that_is_to_run_once_stops_when_the_queue_is_empty(engine, migrated_url, tmp_path):
    ask(engine, keep(engine, RECORDS[:1]))
    ran = hearts_process("worker", "--once", cwd=tmp_path, HEARTS_DATABASE_URL=migrated_url)
    assert (ran.returncode, jobs(engine)) == (0, [(DONE, 1)])
    assert '"event": "job done"' in ran.stderr


def claimed(engine: Engine) -> JobRow:
    """The next job, for a worker of this test."""
    with writing(engine) as connection:
        job = queue.claim(connection, "w", 60, KINDS)
    assert job is not None
    return job


def ended(engine: Engine, job: JobRow) -> tuple[str, int, str | None]:
    """Status, attempts and error of a job."""
    with engine.connect() as connection:
        found = queue.job(connection, job.id)
    assert found is not None
    return found.status, found.attempts, found.error


def test_the_review_of_a_game_that_is_gone_ends(engine):
    ask(engine, keep(engine, RECORDS[:1]))
    with writing(engine) as connection:
        connection.execute(delete(GAMES))
    job = claimed(engine)
    JobRunner(engine, 60, threading.Event(), ComputingProcess()).do(job)
    assert ended(engine, job) == (DONE, 1, None)


class DyingProcess(ComputingProcess):
    """A process that every task kills."""

    def send(self, kind: str, task: Any) -> None:
        super().send(kind, task)
        assert self.pid is not None
        os.kill(self.pid, signal.SIGKILL)


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_a_job_that_kills_its_process_fails_after_three_attempts(engine):
    ask(engine, keep(engine, RECORDS[:1]))
    runner = JobRunner(engine, 60, threading.Event(), DyingProcess())
    for attempt in range(1, queue.ATTEMPTS + 1):
        job = claimed(engine)
        runner.do(job)
        status = "failed" if attempt == queue.ATTEMPTS else WAITING
        assert ended(engine, job) == (status, attempt, PROCESS_DIED)


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_a_process_that_dies_while_the_worker_stops_costs_no_attempt(engine):
    """A supervisor may kill all processes of a group."""
    ask(engine, keep(engine, RECORDS[:1]))
    closing = threading.Event()

    class Killed(DyingProcess):
        def receive(self, seconds: float) -> tuple[str, Any] | None:
            closing.set()
            return super().receive(seconds)

    job = claimed(engine)
    JobRunner(engine, 60, closing, Killed()).do(job)
    assert ended(engine, job) == (WAITING, 0, None)


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_a_job_may_take_some_processor_time(engine):
    """Not some time on the clock, of which other processes may take any share."""
    ask(engine, keep(engine, RECORDS[:1]), simulations=1_000_000, worlds=1000)
    process = ComputingProcess("normal", seconds=1)
    job = claimed(engine)
    JobRunner(engine, 60, threading.Event(), process).do(job)
    assert ended(engine, job) == ("failed", 1, "it took more than 1 s of processor time")
    assert process.pid is None


def test_every_job_has_its_own_processor_time():
    """The time that the jobs before it took does not count."""
    script = """
import resource, time
from server.jobs.compute import limit_processor_time
for seconds in (5, 7):
    limit_processor_time(seconds)
    print(resource.getrlimit(resource.RLIMIT_CPU)[0])
while time.process_time() < 1.5: pass
limit_processor_time(7)
print(resource.getrlimit(resource.RLIMIT_CPU)[0])
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    first, second, third = map(int, ran.stdout.split())
    assert second == first + 2
    assert third > second


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_an_error_of_the_worker_ends_the_computation(engine, monkeypatch):
    """Otherwise its late result would become that of the next job."""
    ask(engine, keep(engine, RECORDS[:1]), simulations=1_000_000, worlds=1000)

    class Broken(ComputingProcess):
        def receive(self, seconds: float) -> tuple[str, Any] | None:
            raise ValueError("a message that cannot be read")

    process, job = Broken(), claimed(engine)
    JobRunner(engine, 60, threading.Event(), process).do(job)
    assert process.pid is None
    status, _, reason = ended(engine, job)
    assert (status, str(reason).startswith("ValueError in")) == (WAITING, True)


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_a_group_of_processes_is_stopped(engine, migrated_url, tmp_path):
    """As `docker stop`, systemd and Ctrl-C do: the job is given back, its attempt not counted."""
    ask(engine, keep(engine, RECORDS[:1]), simulations=1_000_000, worlds=1000)
    with worker_process(tmp_path, migrated_url) as worker:
        wait_until(lambda: holder(engine) is not None and children(worker.pid) != [])
        (computing,) = children(worker.pid)
        wait_until(lambda: ignores(computing, signal.SIGTERM))
        os.kill(computing, signal.SIGTERM)
        os.kill(worker.pid, signal.SIGTERM)
        assert worker.wait(30) == 0
    assert jobs(engine) == [(WAITING, 0)]
    assert told(tmp_path, "attempt failed") == []


def ignores(pid: int, number: int) -> bool:
    """Whether a process ignores a signal."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    mask = next(int(line.split()[1], 16) for line in lines if line.startswith("SigIgn:"))
    return bool(mask >> (number - 1) & 1)


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_a_computing_process_that_dies_is_started_again(engine, migrated_url, tmp_path):
    ask(engine, keep(engine, RECORDS[:1]), simulations=30_000, worlds=30)
    with worker_process(tmp_path, migrated_url) as worker:
        wait_until(lambda: holder(engine) is not None and children(worker.pid) != [])
        os.kill(children(worker.pid)[0], signal.SIGKILL)
        wait_until(lambda: jobs(engine) == [(DONE, 2)], PATIENCE)
    (failed,) = told(tmp_path, "attempt failed")
    assert failed["reason"] == "the computing process died"


def test_a_caller_has_a_quarter_of_the_queue(engine):
    """The first hands find a place; who has none is told to come later."""
    first, second = keep(engine, RECORDS, target_score=1000), keep(engine, RECORDS[:1])
    ask(engine, first, most=8)
    assert len(jobs(engine)) == 2
    with pytest.raises(Busy) as caught:
        ask(engine, second, most=8)
    assert caught.value.retry_after
    ask(engine, first, most=8)  # known jobs are no new ones
    for seed in range(6):
        ask(engine, second, Caller(10 + seed, "", ""), seed=seed, most=8)
    with pytest.raises(Busy):
        ask(engine, second, BOB, seed=9, most=8)
    assert len(jobs(engine)) == 8


def test_reviews_that_were_found_are_kept_when_the_queue_is_full(engine):
    """Two of six hands found a place; when they are done, others have taken all places."""
    reviews = ask(engine, keep(engine, RECORDS, target_score=1000), most=8)
    assert len(reviews.jobs) == 2
    with writing(engine) as connection:
        for number in range(2):
            store_review(
                connection, str(reviews.game_id), number, reviews.digest, {"number": number}
            )
        connection.execute(delete(JOBS))
    other = keep(engine, RECORDS[:1])
    for number in range(8):
        ask(engine, other, Caller(10 + number, "", ""), seed=number, most=8)
    first, *_ = reviews.wait(0.1)
    assert [body["number"] for body in first] == [0, 1]
    assert (len(reviews.bodies), reviews.jobs, reviews.is_complete) == (2, [], False)
    with pytest.raises(Busy):  # who has found nothing is told at once
        ask(engine, other, seed=99, most=8)


def test_maintenance_is_done_once_an_hour_by_all_workers(engine):
    for _ in range(3):
        maintenance.schedule(engine)
    with engine.connect() as connection:
        is_hourly = JOBS.c.kind == "maintenance"
        assert connection.scalar(select(func.count()).where(is_hourly)) == 1


def test_a_long_maintenance_keeps_its_lease(engine, monkeypatch):
    """It has no computation, during which leases are renewed otherwise."""

    def prune(*_: object) -> None:
        sleep(1.2)

    kind = replace(KINDS["maintenance"], prepare=prune)
    monkeypatch.setitem(KINDS, "maintenance", kind)
    maintenance.schedule(engine)
    with writing(engine) as connection:
        job = queue.claim(connection, "first", 0.4, KINDS)
    assert job is not None
    runner = JobRunner(engine, 0.4, threading.Event(), ComputingProcess())
    thread = threading.Thread(target=runner.do, args=(job,))
    thread.start()
    taken = []
    while thread.is_alive():
        with writing(engine) as connection:
            taken += [queue.claim(connection, "second", 60, KINDS)]
        thread.join(0.05)
    assert not any(taken)
    with engine.connect() as connection:
        assert queue.job(connection, job.id).status == DONE


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_a_worker_does_not_create_a_database(migrated_url, tmp_path):
    ran = hearts("worker", "--once", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (
        1,
        "Error: there is no database var/hearts.db: `hearts database upgrade` creates it\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["hearts.db"]  # the one of the fixture


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_a_worker_that_is_to_run_once_ends_if_the_database_fails(engine):
    with writing(engine) as connection:
        connection.execute(text("DROP TABLE jobs"))
    with pytest.raises(DatabaseError, match="does not answer"):
        Worker(engine, 10, ComputingProcess).run(once=True)


def test_every_kind_is_computed_or_needs_no_computation():
    from server.jobs.computations import COMPUTATIONS

    assert KINDS.keys() - COMPUTATIONS.keys() == {"maintenance"}


def test_computations_get_what_nobody_else_wants(tmp_path):
    """Idle, as is the default; the worker itself is not, since its transactions block others."""
    process = ComputingProcess()
    process.send("maintenance", None)
    try:
        assert process.pid is not None
        wait_until(lambda: os.sched_getscheduler(process.pid) == os.SCHED_IDLE)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == 19
        assert os.sched_getscheduler(0) == os.SCHED_OTHER
    finally:
        process.end()
