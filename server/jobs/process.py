"""A computing process as its worker sees it."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from server.jobs.priority import IDLE

MODULE = "server.jobs.compute"


class ProcessDied(Exception):
    """The process ended during a computation."""


class ComputingProcess:
    """A process that is started with the first task, and again after it has ended."""

    def __init__(self, priority: str = IDLE) -> None:
        self.priority = priority
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
            self.end()
            raise ProcessDied from None

    def end(self) -> None:
        """Kill it: it holds nothing that could be lost."""
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.wait()
        self._process = self._pipe = None

    def _start(self) -> Connection:
        ours, theirs = Pipe()
        with theirs:
            # -P: the working directory must not shadow our packages.
            command = [sys.executable, "-P", "-m", MODULE, str(theirs.fileno()), self.priority]
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )
        return ours
