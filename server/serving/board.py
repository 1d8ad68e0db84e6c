"""How many connections each worker has, in memory that all of them share."""

from __future__ import annotations

import mmap

PLACES = 256  # more than there are workers, also while old and new ones overlap
MANY = 2**40  # connections of a worker that accepts nothing more
_FREE = -1


class Board:
    """One number for each worker; made before the workers are forked."""

    def __init__(self) -> None:
        self._counts = memoryview(mmap.mmap(-1, 8 * PLACES)).cast("q")
        for place in range(PLACES):
            self._counts[place] = _FREE

    def enter(self) -> int:
        """A place for a new worker."""
        place = self._counts.tolist().index(_FREE)
        self._counts[place] = 0
        return place

    def leave(self, place: int) -> None:
        """Free the place of a worker that has ended."""
        self._counts[place] = _FREE

    def put(self, place: int, connections: int) -> None:
        """Write the connections of a worker; one that accepts nothing more keeps MANY."""
        if self._counts[place] < MANY:
            self._counts[place] = connections

    def least(self) -> int:
        """The fewest connections of any worker."""
        return min((each for each in self._counts if each != _FREE), default=0)
