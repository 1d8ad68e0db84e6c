"""The service's own worker of jobs: a process that lives as long as gunicorn's master."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress

import structlog

log = structlog.stdlib.get_logger("hearts.jobs")

# The service answers first: a worker that waits for jobs takes 0.4 s to start, and 60 MB.
START_SECONDS = 2.0
RESTART_SECONDS = 2.0  # between two starts
STOP_SECONDS = 5.0  # to give running jobs back


class JobWorkers:
    """Keeps `hearts worker` running, with a number of jobs at the same time; 0: none."""

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self._process: subprocess.Popen[bytes] | None = None
        self._due: float | None = None  # when a worker may be started

    def keep(self) -> None:
        """Start the worker if it does not run; called about once a second."""
        if self._due is None:  # first called when the service is ready
            self._due = time.monotonic() + START_SECONDS
        if self._process is not None and self._process.poll() is not None:
            log.warning("the worker of jobs has ended, starting another", pid=self._process.pid)
            self._process = None
        if self.concurrency and self._process is None and time.monotonic() >= self._due:
            self._due = time.monotonic() + RESTART_SECONDS
            self._process = self._start()

    def terminate(self) -> None:
        """Ask the worker to stop, and start none any more."""
        self.concurrency = 0
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.terminate()

    def wait(self) -> None:
        """Wait for the end of the worker; kill it after a while."""
        if self._process is None:
            return
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _start(self) -> subprocess.Popen[bytes] | None:
        # -P: the working directory must not shadow our packages. The worker stops by itself when
        # this process is gone, also after kill -9.
        command = [sys.executable, "-P", "-m", "server.cli", "worker"]
        options = ["--concurrency", str(self.concurrency), "--parent", str(os.getpid())]
        try:
            return subprocess.Popen(command + options, stdin=subprocess.DEVNULL)
        except OSError as error:
            log.error("cannot start a worker of jobs, trying again", reason=str(error))
            return None
