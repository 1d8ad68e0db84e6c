"""Child processes for tests of what processes share."""

import os
import signal
import time
from collections.abc import Callable


def in_child(work: Callable[[], object]) -> int:
    """The process id of a child that has done some work and sleeps."""
    done, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        work()
        os.write(tell, b"!")
        time.sleep(60)
        os._exit(0)
    os.read(done, 1)
    for end in (done, tell):
        os.close(end)
    return pid


def kill(pid: int) -> None:
    """End a child without a warning."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
