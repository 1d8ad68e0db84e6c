"""When bots move: at times that are independent of their cards.

A bot with one legal card needs no search, so the time of an immediate answer would tell everybody
that the card was forced, which reveals voids. At tables with people the time of a move is therefore
drawn before the move is decided: the table's pace, or longer if this kind of search takes longer,
plus a random part. A forced card waits for a search slot too, so that a busy service delays all
moves alike.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from random import SystemRandom

from hearts.engine.config import SearchConfig
from server.tables.setup import Setup

SPREAD = 0.25  # seconds: the width of the random part
KEPT = 64  # searches of one kind that are remembered
QUANTILE = 0.9  # of their times: a single slow one must not slow all bots down
MARGIN = 1.5  # times that quantile covers nearly all of them
MOST = 2.0  # seconds
UNKNOWN = 0.4  # seconds for a kind of search that has not been measured
OVERHEAD = 0.05  # seconds that a search takes beyond its `time_ms`

Kind = tuple[SearchConfig | None, bool]  # the config of a seat, and whether it passes


class Pacing:
    """Draws the times of moves, from the searches that this process has measured."""

    def __init__(self) -> None:
        self._seconds: dict[Kind, deque[float]] = defaultdict(lambda: deque(maxlen=KEPT))
        self._lock = threading.Lock()
        self._random = SystemRandom()  # nobody can predict it, not even of a seeded table

    def note(self, kind: Kind, seconds: float) -> None:
        """Remember how long a search took."""
        with self._lock:
            self._seconds[kind].append(seconds)

    def draw(self, setup: Setup, usual: float, turn_at: float, search_at: float) -> float:
        """The time of a move, on the clock of time.monotonic.

        `usual` is what such searches take, `turn_at` when it became the bot's turn, `search_at`
        when it got a slot to search in.
        """
        pace = setup.pace_ms / 1000
        if not setup.hides_timing:
            return turn_at + pace
        earliest = max(turn_at + pace, search_at + usual)
        return earliest + self._random.uniform(0, SPREAD)

    def usual(self, kind: Kind) -> float:
        """Seconds that nearly all searches of a kind stay below."""
        config, _ = kind
        with self._lock:
            known = sorted(self._seconds[kind])
        slow = MARGIN * known[int(QUANTILE * len(known))] if known else UNKNOWN
        limit = 0.0 if config is None or config.time_ms is None else config.time_ms / 1000
        return min(MOST, max(slow, limit + OVERHEAD if limit else 0.0))
