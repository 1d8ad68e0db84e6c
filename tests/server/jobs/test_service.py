"""The worker that `hearts serve` keeps: it starts, is started again, and ends with the service."""

from __future__ import annotations

import os
import signal
import statistics
import time
from pathlib import Path

import pytest

from server.storage.database import make_engine
from tests.server.api import OPENING
from tests.server.jobs.working import children, is_alive, statuses
from tests.server.service import PATIENCE, Service, serving, wait_until
from tests.server.storage.played import keep, sample_records

(RECORD,) = sample_records(1)
QUICK = "level=easy&simulations=60&worlds=6"


def workers(service: Service) -> list[int]:
    """The ids of the service's workers of jobs."""
    found = []
    for pid in children(service.process.pid):
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        found += [pid] if b"worker" in command and is_alive(pid) else []
    return found


def game_in(url: str) -> str:
    engine = make_engine(url)
    try:
        return keep(engine, [RECORD])
    finally:
        engine.dispose()


@pytest.fixture
def waiting(migrated_url: str, tmp_path: Path) -> str:
    """A review that was asked for, of a service without a worker that is gone by now."""
    settings = {"HEARTS_DATABASE_URL": migrated_url, "HEARTS_REQUEST_SECONDS": "1"}
    with serving(tmp_path, **settings) as service:
        path = f"/api/games/{game_in(migrated_url)}/review?{QUICK}"
        assert service.get(path)[0] == 202
        assert workers(service) == []
    return path


@pytest.mark.parametrize(
    "migrated_url",
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.thorough)],
    indirect=True,
)
def test_the_worker_of_a_service(waiting, migrated_url, tmp_path):
    with serving(tmp_path, HEARTS_DATABASE_URL=migrated_url, HEARTS_JOB_WORKERS="1") as service:
        # The queue empties after a restart.
        wait_until(lambda: statuses(migrated_url)["waiting"] == 0, PATIENCE)
        wait_until(lambda: service.get(waiting)[0] == 200, PATIENCE)
        # A worker that is killed is replaced, and the review of another game is made.
        (first,) = workers(service)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: len(set(workers(service)) - {first}) == 1, PATIENCE)
        path = f"/api/games/{game_in(migrated_url)}/review?{QUICK}"
        wait_until(lambda: service.get(path)[0] == 200, PATIENCE)
        # It ends with the service, also if that is killed.
        (second,) = workers(service)
        (computing,) = children(second)
        service.kill()
        wait_until(lambda: not is_alive(second) and not is_alive(computing))


@pytest.mark.thorough
def test_a_busy_worker_takes_no_core_from_moves(tmp_path):
    """Moves of a service with as many long jobs as cores, compared with those without any."""
    body = {
        "game_state": {"player_hand": OPENING},
        "ai_config": {"simulations": 4000, "threads": 1},
    }

    def median(service: Service) -> float:
        times = []
        for _ in range(30):
            begun = time.perf_counter()
            service.post("/api/move", body)
            times.append(time.perf_counter() - begun)
        return statistics.median(times)

    cores = os.cpu_count() or 1
    settings = {"HEARTS_JOB_WORKERS": str(cores), "HEARTS_REQUEST_SECONDS": "1"}
    with serving(tmp_path, **settings) as service:
        game = game_in(f"sqlite:///{tmp_path}/var/hearts.db")
        quiet = [median(service) for _ in range(3)]
        for seed in range(cores):
            long = f"/api/games/{game}/review?simulations=1000000&worlds=10000&seed={seed}"
            assert service.get(long)[0] == 202
        (worker,) = workers(service)
        idle = cores * [os.SCHED_IDLE]
        wait_until(lambda: [*map(os.sched_getscheduler, children(worker))] == idle, PATIENCE)
        busy = [median(service) for _ in range(3)]
    assert min(busy) < 1.5 * min(quiet)  # at ordinary priority: twice as long


def test_the_worker_stops_with_the_master_alone(tmp_path):
    """Nobody but the master is killed: its children notice."""
    with serving(tmp_path, HEARTS_JOB_WORKERS="1") as service:
        wait_until(lambda: len(workers(service)) == 1)
        (worker,) = workers(service)
        service.stop(signal.SIGKILL)
        wait_until(lambda: not is_alive(worker))
