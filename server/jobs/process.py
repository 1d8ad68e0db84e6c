"""A computing process as its worker sees it."""

from __future__ import annotations

import signal
import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from server.jobs.priority import IDLE

MODULE = "server.jobs.compute"
JOB_SECONDS = 600  # the most processor time of one job


class ProcessDied(Exception):
    """The process ended during a computation."""


class TimeLimitExceeded(ProcessDied):
    """The computation took more processor time than a job may."""


class ComputingProcess:
    """A process that is started with the first task, and again after it has ended."""

    def __init__(self, priority: str = IDLE, seconds: int = JOB_SECONDS) -> None:
        self.priority, self.seconds = priority, seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    @property
    def pid(self) -> int | None:
        """Its id while it runs."""
        return None if self._process is None else self._process.pid

    def send(self, kind: str, task: Any) -> None:
        """Begin a computation."""
        if self._pipe is None:
            self._pipe = self._start()
        try:
            self._pipe.send((kind, task))
        except OSError:
            self.end()
            raise ProcessDied from None

    def receive(self, seconds: float) -> tuple[str, Any] | None:
        """The next message; None if none comes in time."""
        assert self._pipe is not None
        try:
            return self._pipe.recv() if self._pipe.poll(seconds) else None
        except (EOFError, OSError):
            over = self.end() == -signal.SIGXCPU
            raise (TimeLimitExceeded if over else ProcessDied) from None

    def end(self) -> int | None:
        """Kill it, since it holds nothing that could be lost, and return its exit status."""
        process, pipe = self._process, self._pipe
        self._process = self._pipe = None
        if process is None or pipe is None:
            return None
        pipe.close()
        process.kill()
        return process.wait()

    def _start(self) -> Connection:
        ours, theirs = Pipe()
        with theirs:
            # -P: the working directory must not shadow our packages.
            command = [sys.executable, "-P", "-m", MODULE]
            options = [str(theirs.fileno()), self.priority, str(self.seconds)]
            self._process = subprocess.Popen(
                command + options, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )
        return ours
