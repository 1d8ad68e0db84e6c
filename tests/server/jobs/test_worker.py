"""Workers as processes, on both databases: they share the queue, die, and stop."""

from __future__ import annotations

import json
import os
import signal
import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import sleep

import pytest
from sqlalchemy import Engine, delete, func, select, update

from hearts.engine.config import SearchConfig
from server.jobs import maintenance
from server.jobs.asking import JobRequests
from server.jobs.game_reviews import reviews_of_game
from server.jobs.kinds import KINDS
from server.jobs.lane import Lane
from server.jobs.process import ComputingProcess
from server.runtime.caller import Caller
from server.runtime.errors import Busy
from server.storage.games import reading, writing
from server.storage.hands import hands
from server.storage.jobs import queue
from server.storage.jobs.values import DONE, RUNNING, WAITING, NewJob
from server.storage.schema import JOBS, REVIEWS
from tests.server.jobs.working import children, is_alive, worker_process, working
from tests.server.service import PATIENCE, hearts_process, wait_until
from tests.server.storage.played import keep, sample_records

RECORDS = sample_records(6)
ANN, BOB = Caller(1, "ann", "10.0.0.1"), Caller(2, "bob", "10.0.0.2")
LEASE = "3"  # seconds: a worker on a busy machine must not lose it


def ask(engine: Engine, game: str, caller: Caller = ANN, most: int = 256, **search: int) -> None:
    """Ask for the reviews of a game, without waiting."""
    with reading(engine) as connection:
        wanted = hands(connection, [game])
    config = SearchConfig(**{"simulations": 60, "worlds": 6} | search)
    reviews_of_game(JobRequests(engine, most), caller, wanted, config).look()


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


def test_work_that_cannot_be_done_ends(engine, migrated_url):
    """A kind that a newer version knows, a game that is gone, and a job that kills its process."""
    game = keep(engine, RECORDS[:1])
    ask(engine, game)
    with writing(engine) as connection:
        queue.add_job(connection, NewJob("puzzle", "puzzle", {}))
        gone = {"game_id": "0" * 32}
        connection.execute(update(JOBS).where(JOBS.c.kind == "review").values(body=broken(gone)))
    with working(migrated_url) as worker:
        wait_until(lambda: worker.done >= 2)
    with engine.connect() as connection:
        found = connection.execute(select(JOBS).where(JOBS.c.kind != "maintenance")).all()
    ended = {row.kind: (row.status, row.error) for row in found}
    assert ended == {
        "puzzle": ("failed", "kind 'puzzle' is unknown"),
        "review": ("done", None),
    }


def broken(other: dict[str, object]) -> dict[str, object]:
    """The body of a review with other fields."""
    body = {"hand": 0, "config": {}, "digest": "d", "finished": True}
    return body | other


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
        job = queue.claim(connection, "first", 0.4)
    assert job is not None
    lane = Lane(engine, 0.4, threading.Event(), ComputingProcess())
    thread = threading.Thread(target=lane.do, args=(job,))
    thread.start()
    taken = []
    while thread.is_alive():
        with writing(engine) as connection:
            taken += [queue.claim(connection, "second", 60)]
        thread.join(0.05)
    assert not any(taken)
    with engine.connect() as connection:
        assert queue.job(connection, job.id).status == DONE


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
