"""`python -m tests.jobs_probe`: what a busy worker of jobs costs the moves beside it.

All processes are pinned to one core, so that they compete. By priority of the competitor, it
measures the processor time that a computation takes from moves, and how long a writer waits for
SQLite's write lock if the competitor also claims jobs while moves keep the core busy.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from hearts.engine.decide import decide
from hearts.engine.levels import LEVELS
from hearts.engine.warmup import views
from server.jobs.priority import run_when_idle
from server.storage.database import make_engine, opened_database
from server.storage.games import writing
from server.storage.jobs import queue
from server.storage.jobs.values import NewJob
from server.storage.schema import JOBS

MOVE_SECONDS, WRITES = 4.0, 100  # of each measurement
EPOCHS = 3
PRIORITIES = ("idle", "nice", "normal")
VIEW = next(view for view in views() if view.to_move)


def lower(priority: str) -> None:
    """Give this process a priority."""
    if priority == "idle":
        run_when_idle()
    elif priority == "nice":
        os.nice(19)


def compute(priority: str) -> None:
    """Search without end."""
    lower(priority)
    while True:
        decide(VIEW, LEVELS["hard"])


def claim(priority: str, url: str) -> None:
    """Claim a job and give it back without end, as a worker at this priority would."""
    lower(priority)
    engine = make_engine(url, durable=False)
    while True:
        with writing(engine) as connection:
            job = queue.claim(connection, "probe", 60, ["probe"])
            assert job is not None
            queue.give_back(connection, job)
        time.sleep(0.02)


@contextmanager
def beside(target: Callable[..., None], priority: str, *more: Any) -> Iterator[int]:
    """The id of a competitor that works while the block runs."""
    process = multiprocessing.Process(target=target, args=(priority, *more))
    process.start()
    time.sleep(1)
    try:
        yield process.pid or 0
    finally:
        process.kill()
        process.join()


def share_of(competitor: int) -> float:
    """The share of the processor time that a competitor gets while this process plays moves."""
    before, own = cpu_seconds(competitor), time.process_time()
    until = time.monotonic() + MOVE_SECONDS
    while time.monotonic() < until:
        decide(VIEW, LEVELS["medium"])
    taken = cpu_seconds(competitor) - before
    return taken / (taken + time.process_time() - own)


def cpu_seconds(pid: int) -> float:
    """The processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def time_writes(url: str) -> float:
    """The longest time of a small transaction, in milliseconds."""
    engine, times = make_engine(url, durable=False), []
    for _ in range(WRITES):
        begun = time.perf_counter()
        with suppress(OperationalError), writing(engine) as connection:  # locked for 5 s
            connection.execute(update(JOBS).where(JOBS.c.id == "").values(attempts=0))
        times.append(time.perf_counter() - begun)
        time.sleep(0.005)
    engine.dispose()
    return max(times) * 1000


def main() -> None:
    """Print both tables."""
    os.sched_setaffinity(0, {0})
    shares: dict[str, list[float]] = {each: [] for each in PRIORITIES}
    writes: dict[str, list[float]] = {each: [] for each in PRIORITIES}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'probe.db'}"
        with opened_database(url) as engine, writing(engine) as connection:
            queue.add_job(connection, NewJob("probe", "probe", {}))
        for _ in range(EPOCHS):
            for priority in PRIORITIES:
                with beside(compute, priority) as competitor:
                    shares[priority].append(share_of(competitor))
                with beside(compute, "normal"), beside(claim, priority, url):
                    writes[priority].append(time_writes(url))
    print("priority  share of the core  longest write, ms")  # noqa: T201
    for each in PRIORITIES:
        share, longest = statistics.median(shares[each]), statistics.median(writes[each])
        print(f"{each:8}  {share:17.2%}  {longest:17.1f}")  # noqa: T201


if __name__ == "__main__":
    main()
