"""How many connections each worker has, in memory that all of them share."""

from __future__ import annotations

import mmap

WORKERS = 256  # more than there are, also while old and new ones overlap
MANY = 2**40  # connections of a worker that accepts nothing more
_UNUSED = -1


class ConnectionCounts:
    """One counter for each worker; made before the workers are forked."""

    def __init__(self) -> None:
        self._counts = memoryview(mmap.mmap(-1, 8 * WORKERS)).cast("q")
        for index in range(WORKERS):
            self._counts[index] = _UNUSED

    def allocate(self) -> int:
        """The index of the counter of a new worker."""
        index = self._counts.tolist().index(_UNUSED)
        self._counts[index] = 0
        return index

    def free(self, index: int) -> None:
        """Free the counter of a worker that has ended."""
        self._counts[index] = _UNUSED

    def set(self, index: int, connections: int) -> None:
        """Set the connections of a worker; one that accepts nothing more keeps MANY."""
        if self._counts[index] < MANY:
            self._counts[index] = connections

    def least(self) -> int:
        """The fewest connections of any worker."""
        return min((each for each in self._counts if each != _UNUSED), default=0)
