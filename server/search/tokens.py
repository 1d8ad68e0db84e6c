"""Tokens that all worker processes of a machine share.

A token is a byte of a file that a process has locked. The kernel releases the locks of a killed
process, so no token is ever lost. A process that waits for a token blocks on a socket that was made
before the workers were forked, and a process that gives one back writes a byte to it. A killed
process writes none, so every wait ends after NAP seconds.
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

NAP = 0.1  # seconds
PROCESSES = 251  # places for processes; two with the same place are only less fair to each other


class Tokens:
    """A number of tokens; used by one thread of a process at a time, except for `nap`."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the process lives
        self._taken = mmap.mmap(-1, size)  # 1: probably taken; shared by all processes
        self._wanted = mmap.mmap(-1, PROCESSES)  # requests that wait, by process
        self._mine: set[int] = set()
        self._ringer, self._bell = socket.socketpair()
        self._ringer.setblocking(False)
        weakref.finalize(self, _close, self._file, self._ringer, self._bell)
        seconds = struct.pack("ll", 0, int(NAP * 1e6))
        # Not settimeout: with it all sleepers wake up for one byte, and Python asks each of them.
        self._bell.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, seconds)

    @property
    def taken(self) -> int:
        """How many all processes have; those of a killed one count until they are reused."""
        return sum(self._taken[:])

    def take(self) -> int | None:
        """Take a token; None if all are taken."""
        for token in sorted(range(self.size), key=self._taken.__getitem__):
            if token not in self._mine and self._lock(token):
                self._mine.add(token)
                self._taken[token] = 1
                return token
        return None

    def give_back(self, token: int) -> None:
        """Give a token back, and wake up a process that sleeps."""
        self._taken[token] = 0
        self._mine.discard(token)
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, token)
        self.ring()

    def want(self, requests: int) -> None:
        """Tell other processes how many requests of this one wait."""
        self._wanted[os.getpid() % len(self._wanted)] = min(requests, 255)

    @property
    def wanted_elsewhere(self) -> bool:
        """Whether requests of other processes wait; a killed one may count for a while."""
        return sum(self._wanted[:]) > self._wanted[os.getpid() % len(self._wanted)]

    def ring(self) -> None:
        """Wake up a process that sleeps, or keep the next one from sleeping."""
        rung = array.array("i", [0])
        fcntl.ioctl(self._bell, termios.FIONREAD, rung)
        if rung[0] < self.size:
            with suppress(BlockingIOError):
                self._ringer.send(b"!")

    def nap(self) -> None:
        """Sleep until the bell rings, or for NAP seconds."""
        with suppress(BlockingIOError):
            self._bell.recv(1)

    def _lock(self, token: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, token)
        except OSError:
            return False
        return True


def _close(*files: Any) -> None:
    for each in files:
        each.close()
