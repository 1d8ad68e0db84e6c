"""Scores the engine's beliefs in finished hands: the log-loss of hidden cards, for statistics.

A chain of OM-2 takes a tenth of a second for a seat, so a job scores the hands of tables, and
`hearts stats` those that were left out.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Engine

from hearts.engine.config import SearchConfig
from hearts.engine.levels import LEVELS
from hearts.game.errors import InvalidConfig
from hearts.game.records import Record
from models.evaluation.hand_loss import belief_loss
from server.storage.games import reading, writing
from server.storage.hands import hands
from server.storage.results import UnscoredSeat, store_loss, unscored_seats

Progress = Callable[[int, int], object]  # seats done, and seats in all


def score_beliefs(
    engine: Engine,
    limit: int | None = None,
    progress: Progress = lambda done, asked: None,
) -> int:
    """Score unscored seats of the engine, at most `limit`, and return how many."""
    with engine.connect() as connection:
        unscored = unscored_seats(connection, limit)
    records: dict[tuple[str, int], Record] = {}  # of one game at a time
    for done, seat in enumerate(unscored, 1):
        if (seat.game_id, seat.hand) not in records:
            records = _records(engine, seat.game_id)
        loss, cards = loss_of(records[seat.game_id, seat.hand], seat)
        with writing(engine) as connection:
            store_loss(connection, seat, loss, cards)
        progress(done, len(unscored))
    return len(unscored)


def _records(engine: Engine, game_id: str) -> dict[tuple[str, int], Record]:
    with reading(engine) as connection:
        found = hands(connection, [game_id])
    return {(hand.game_id, hand.number): hand.record for hand in found}


def loss_of(record: Record, seat: UnscoredSeat) -> tuple[float, int]:
    """The loss of a seat and its number of cards; none if its belief is not installed any more."""
    try:
        return belief_loss(record, seat.seat, _belief(seat))
    except InvalidConfig:
        return 0.0, 0


def _belief(seat: UnscoredSeat) -> str:
    """The belief of an engine, by its config or its level."""
    default = LEVELS.get(seat.level or "", SearchConfig())
    return str((seat.config or {}).get("belief", default.belief))
