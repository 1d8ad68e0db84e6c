"""The process that computes, one job after the other, with the lowest priority.

It has no connection to the database: a process that gets no processor time must hold no lock that
a move waits for. `python -m server.jobs.compute FD PRIORITY SECONDS` talks to its worker over a
pipe. It ends with the pipe, that is, with its worker, or if a job takes too much processor time.
"""

from __future__ import annotations

import resource
import signal
import sys
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from server.jobs.messages import DONE, FAILED, PROGRESS, Progress
from server.jobs.priority import IDLE, run_when_idle


def main(descriptor: int, priority: str, seconds: int) -> None:
    """Compute until the worker closes the pipe; each job may take `seconds` of processor time."""
    for name in (signal.SIGINT, signal.SIGTERM):  # sent to all of a group, and for the worker
        signal.signal(name, signal.SIG_IGN)
    if priority == IDLE:
        run_when_idle()
    pipe = Connection(descriptor)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            kind, task = pipe.recv()
            limit_processor_time(seconds)
            pipe.send(answer(kind, task, lambda done: pipe.send((PROGRESS, done))))


def limit_processor_time(seconds: int) -> None:
    """Let the operating system end this process by SIGXCPU after further seconds of computing."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    end = int(time.process_time()) + 1 + seconds
    if hard == resource.RLIM_INFINITY or end < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (end, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # SIGXCPU would leave a memory image


def answer(kind: str, task: Any, progress: Progress) -> tuple[str, Any]:
    """The message with the output of a computation, or with the reason why it failed."""
    from server.jobs.computations import COMPUTATIONS  # numba: imported with the first job

    try:
        return DONE, COMPUTATIONS[kind](task, progress)
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:
        return FAILED, reason(error)


def reason(error: Exception) -> str:
    """What failed and where. Not the message of the error: it may quote cards."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    module = last.filename.rpartition("/")[2]
    return f"{type(error).__name__} in {module}, line {last.lineno}"


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
