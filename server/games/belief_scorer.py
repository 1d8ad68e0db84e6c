"""Scores the engine's beliefs in finished hands: the log-loss of hidden cards, for statistics.

A chain of OM-2 takes a tenth of a second for a seat. So a thread scores a few seats at a time while
no search runs, and no request waits for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import structlog
from sqlalchemy import Engine

from hearts.engine.config import SearchConfig
from hearts.engine.levels import LEVELS
from hearts.game.errors import InvalidConfig
from hearts.game.records import Record
from models.evaluation.hand_loss import belief_loss
from server.search.admission import Slots
from server.storage.games import reading, writing
from server.storage.hands import hands
from server.storage.results import UnscoredSeat, store_loss, unscored_seats

PAUSE = 30.0  # seconds between two batches
BATCH = 20  # seats: a second or two of OM-2
RECENT = timedelta(days=1)  # `hearts stats` scores older hands

log = structlog.stdlib.get_logger("hearts.beliefs")

Progress = Callable[[int, int], object]  # seats done, and seats in all


class BeliefScorer:
    """A thread that scores the beliefs of recent hands."""

    def __init__(self, engine: Engine, slots: Slots) -> None:
        self.engine, self.slots = engine, slots
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, in the process that serves."""
        self._thread = threading.Thread(target=self._run, name="beliefs", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the seat that is being scored."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(5)

    def score_batch(self) -> int:
        """Score some seats unless a search runs; returns how many."""
        if self.slots.running:
            return 0
        return score_beliefs(self.engine, BATCH, since=datetime.now(UTC) - RECENT)

    def _run(self) -> None:
        while not self._closing.wait(PAUSE):
            try:
                self.score_batch()
            except Exception as error:  # no database, or a hand that cannot be scored
                log.warning("beliefs are not scored", error=type(error).__name__)


def score_beliefs(
    engine: Engine,
    limit: int | None = None,
    progress: Progress = lambda done, asked: None,
    *,
    since: datetime | None = None,
) -> int:
    """Score unscored seats of the engine, at most `limit`, and return how many.

    `since` leaves out hands that were finished earlier.
    """
    with engine.connect() as connection:
        unscored = unscored_seats(connection, limit, since)
    records: dict[tuple[str, int], Record] = {}  # of one game at a time
    for done, seat in enumerate(unscored, 1):
        if (seat.game_id, seat.hand) not in records:
            records = _records(engine, seat.game_id)
        loss, cards = _loss(records[seat.game_id, seat.hand], seat)
        with writing(engine) as connection:
            store_loss(connection, seat, loss, cards)
        progress(done, len(unscored))
    return len(unscored)


def _records(engine: Engine, game_id: str) -> dict[tuple[str, int], Record]:
    with reading(engine) as connection:
        found = hands(connection, [game_id])
    return {(hand.game_id, hand.number): hand.record for hand in found}


def _loss(record: Record, seat: UnscoredSeat) -> tuple[float, int]:
    """The loss of a seat and its number of cards; none if its belief is not installed any more."""
    try:
        return belief_loss(record, seat.seat, _belief(seat))
    except InvalidConfig:
        return 0.0, 0


def _belief(seat: UnscoredSeat) -> str:
    """The belief of an engine, by its config or its level."""
    default = LEVELS.get(seat.level or "", SearchConfig())
    return str((seat.config or {}).get("belief", default.belief))
