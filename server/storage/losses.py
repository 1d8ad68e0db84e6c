"""How far beliefs were from what was really held: judged after a hand, when nobody waits.

A chain of OM-2 takes a tenth of a second for a seat, so no request and no transaction waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, select, update

from hearts.engine.config import SearchConfig
from hearts.engine.levels import LEVELS
from hearts.game.errors import InvalidConfig
from hearts.game.records import Record
from models.evaluation.hand_loss import belief_loss
from server.storage.games import reading, writing
from server.storage.hands import hands
from server.storage.schema import PLAYERS, RESULTS

Progress = Callable[[int, int], object]  # seats done, and seats in all

_MISSING = (
    select(RESULTS.c.game_id, RESULTS.c.hand, RESULTS.c.seat, PLAYERS.c.level, PLAYERS.c.config)
    .join(PLAYERS)
    .where(PLAYERS.c.kind == "engine", RESULTS.c.belief_cards.is_(None))
    .order_by(RESULTS.c.game_id, RESULTS.c.hand, RESULTS.c.seat)
)


def fill_losses(
    engine: Engine,
    most: int | None = None,
    progress: Progress = lambda done, asked: None,
    *,
    since: datetime | None = None,
) -> int:
    """Judge seats of our engine that were not judged yet, `most` of them; returns how many.

    Only hands that were finished `since` then are looked at, where that is given.
    """
    wanted = _MISSING if since is None else _MISSING.where(RESULTS.c.finished_at >= since)
    with engine.connect() as connection:
        missing = connection.execute(wanted.limit(most)).all()
    records: dict[tuple[str, int], Record] = {}
    for done, row in enumerate(missing, 1):
        if (row.game_id, row.hand) not in records:
            with reading(engine) as connection:
                found = hands(connection, [row.game_id])
            records = {(hand.game_id, hand.number): hand.record for hand in found}
        belief = _belief(row.level, row.config)
        loss, cards = _judged(records[row.game_id, row.hand], row.seat, belief)
        key = {column: getattr(row, column) for column in ("game_id", "hand", "seat")}
        with writing(engine) as connection:
            judged = update(RESULTS).filter_by(**key)
            connection.execute(judged.values(belief_loss=loss, belief_cards=cards))
        progress(done, len(missing))
    return len(missing)


def _belief(level: str | None, config: Mapping[str, Any] | None) -> str:
    """The belief of an engine, by its config or its level."""
    default = LEVELS.get(level or "", SearchConfig())
    return str((config or {}).get("belief", default.belief))


def _judged(record: Record, seat: int, belief: str) -> tuple[float, int]:
    """The loss of a seat and its cards; none where its belief is not installed any more."""
    try:
        return belief_loss(record, seat, belief)
    except InvalidConfig:
        return 0.0, 0
