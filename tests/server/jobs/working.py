"""Workers for the tests: in a thread of this process, and as processes of their own."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from server.jobs.process import ComputingProcess
from server.jobs.worker import Worker
from server.storage.database import make_engine
from server.storage.jobs import queue
from tests.server.service import HEARTS, clean_environment


class LastingProcess(ComputingProcess):
    """A computing process that several workers use, one after the other: it takes 1 s to start."""

    is_computing = False

    def send(self, kind: str, task: Any) -> None:
        self.is_computing = True
        super().send(kind, task)

    def receive(self, seconds: float) -> tuple[str, Any] | None:
        message = super().receive(seconds)
        self.is_computing = message is None or message[0] == "progress"
        return message

    def end(self) -> int | None:
        if not self.is_computing:
            return None
        self.is_computing = False
        return super().end()


# Other tests use the processors as well: what only gets their rest may take long.
_PROCESS = LastingProcess("normal")


@contextmanager
def working(url: str) -> Iterator[Worker]:
    """A worker on a database, in threads of this process."""
    engine = make_engine(url, durable=False)
    worker = Worker(engine, 10, lambda: _PROCESS)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield worker
    finally:
        worker.close()
        thread.join()
        engine.dispose()


@contextmanager
def worker_process(folder: Path, url: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A `hearts worker`; its log is `worker.log` in `folder`.

    It has an ordinary priority: with the rest of a busy machine it may take long.
    """
    with (folder / "worker.log").open("ab") as log:
        process = subprocess.Popen(
            [HEARTS, "worker", "--priority", "normal", *options],
            cwd=folder,
            env=clean_environment(HEARTS_DATABASE_URL=url),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(60)


def children(pid: int) -> list[int]:
    """The ids of the processes that a process has started."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def statuses(url: str) -> dict[str, int]:
    """The number of jobs by status."""
    engine = make_engine(url)
    try:
        with engine.connect() as connection:
            return queue.job_counts(connection)
    finally:
        engine.dispose()
