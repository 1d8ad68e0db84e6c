"""A counting semaphore that all worker processes of a machine share.

A unit of the semaphore is a byte of a file that a process has locked. The kernel releases the locks
of a killed process, so no unit is ever lost. A process that waits for a unit blocks on a wake-up
socket that was made before the workers were forked, and a process that releases one writes a byte
to it. A killed process writes none, so every wait ends after WAIT_SECONDS.
"""

from __future__ import annotations

import array
import fcntl
import mmap
import os
import socket
import struct
import tempfile
import termios
import weakref
from contextlib import suppress
from typing import Any

WAIT_SECONDS = 0.1
# Counters of waiters, by process id; two processes with one counter are less fair to each other.
COUNTERS = 251


class SharedSemaphore:
    """A semaphore; used by one thread of a process at a time, except for `wait`."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the process lives
        self._flags = mmap.mmap(-1, size)  # 1: acquired; that of a killed process stays
        self._waiters = mmap.mmap(-1, COUNTERS)  # threads that wait, by process
        self._own: set[int] = set()  # units of this process
        self._writer, self._reader = socket.socketpair()  # the wake-up socket
        self._writer.setblocking(False)
        weakref.finalize(self, _close, self._file, self._writer, self._reader)
        timeout = struct.pack("ll", 0, int(WAIT_SECONDS * 1e6))
        # Not settimeout: with it one byte wakes up all that wait, and Python asks each of them.
        self._reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeout)

    @property
    def acquired(self) -> int:
        """How many units all living processes have."""
        for unit, flag in enumerate(self._flags[:]):
            if flag and unit not in self._own and self._lock(unit):  # its process was killed
                self._flags[unit] = 0
                self._unlock(unit)
        return sum(self._flags[:])

    def acquire(self) -> int | None:
        """Acquire a unit without waiting; None if all are taken."""
        for unit in sorted(range(self.size), key=self._flags.__getitem__):
            if unit not in self._own and self._lock(unit):
                self._own.add(unit)
                self._flags[unit] = 1
                return unit
        return None

    def release(self, unit: int) -> None:
        """Release a unit, and wake up a process that waits."""
        self._own.discard(unit)
        self._flags[unit] = 0
        self._unlock(unit)

    @property
    def waiters(self) -> int:
        """How many threads of all processes wait, as far as they have told."""
        return sum(self._waiters[:])

    @property
    def others_wait(self) -> bool:
        """Whether threads of other processes wait."""
        return self.waiters > self._waiters[_counter(os.getpid())]

    def set_waiters(self, threads: int) -> None:
        """Tell other processes how many threads of this one wait."""
        self._waiters[_counter(os.getpid())] = min(threads, 255)

    def forget(self, pid: int) -> None:
        """Forget the waiters of a process that has ended."""
        self._waiters[_counter(pid)] = 0

    def wake_up(self) -> None:
        """Wake up a process that waits, or keep the next one from waiting."""
        unread = array.array("i", [0])
        fcntl.ioctl(self._reader, termios.FIONREAD, unread)
        if unread[0] < self.size:
            with suppress(BlockingIOError):
                self._writer.send(b"!")

    def wait(self) -> None:
        """Wait until a unit is released, or for WAIT_SECONDS."""
        with suppress(BlockingIOError):
            self._reader.recv(1)

    def _lock(self, unit: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, unit)
        except OSError:
            return False
        return True

    def _unlock(self, unit: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, unit)
        self.wake_up()


def _counter(pid: int) -> int:
    return pid % COUNTERS


def _close(*files: Any) -> None:
    for each in files:
        each.close()
