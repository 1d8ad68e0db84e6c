"""What finished hands came to: a row per seat, which statistics are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from hearts.game.cards import SEATS as FOUR
from hearts.game.records import Record
from hearts.game.scoring import points_of, ranking
from hearts.game.summary import summarise
from server.storage.hands import last_hand
from server.storage.schema import DECISIONS, GAMES, HANDS, RESULTS, SEATS
from server.storage.values import FINISHED

NO_POINTS = (0,) * FOUR


def finish_hand(
    connection: Connection, game_id: str, at: datetime, points: Sequence[int] | None = None
) -> None:
    """Score the hand whose last card has just been played; it may have ended the game.

    `points` are given where the shooter has chosen how a moon is scored.
    """
    last = last_hand(connection, game_id)
    assert last is not None
    before = totals(connection, game_id)
    number, deal = last.number, last.record.deal
    record = replace(last.record, points=tuple(points or points_of(deal, before)))
    assert record.points is not None
    here = (HANDS.c.game_id == game_id) & (HANDS.c.number == number)
    values = {"points": list(record.points), "shooter": deal.shooter, "finished_at": at}
    connection.execute(update(HANDS).where(here).values(values))
    target = connection.scalar(select(GAMES.c.target_score).where(GAMES.c.id == game_id))
    won = winners([a + b for a, b in zip(before, record.points, strict=True)], target)
    if won is not None:
        connection.execute(update(GAMES).where(GAMES.c.id == game_id).values(status=FINISHED))
    players = _players(connection, game_id)
    rows = [
        row | _effort(connection, game_id, number, row["seat"])
        for row in result_rows(record, players, won)
    ]
    keys = {"game_id": game_id, "hand": number, "finished_at": at}
    connection.execute(insert(RESULTS), [row | keys for row in rows])


def winners(totals: Sequence[int], target: int | None) -> list[bool] | None:
    """Which seats have won by the totals after a hand; None while the match goes on."""
    if target is not None and max(totals) < target:
        return None
    return [place == 1 for place in ranking(totals)]


def result_rows(
    record: Record, players: Sequence[int], won: Sequence[bool] | None
) -> list[dict[str, Any]]:
    """The rows of a finished hand, without what tells it from other hands."""
    return [
        {
            "seat": seat,
            "player_id": players[seat],
            **vars(summary),
            "passed": bool(record.deal.passes[seat]),
            "won": None if won is None else won[seat],
            "moves": 0,
            "ms": 0.0,
        }
        for seat, summary in enumerate(summarise(record))
    ]


def count_efforts(connection: Connection, game_id: str, hand: int, seat: int) -> None:
    """Count a seat's decisions anew, in case its hand was finished before they were written."""
    key = (RESULTS.c.game_id == game_id) & (RESULTS.c.hand == hand) & (RESULTS.c.seat == seat)
    effort = _effort(connection, game_id, hand, seat)
    connection.execute(update(RESULTS).where(key).values(effort))


def _effort(connection: Connection, game_id: str, hand: int, seat: int) -> dict[str, Any]:
    """How many decisions of a seat in a hand were logged, and how long they took."""
    columns = DECISIONS.c
    here = (columns.game_id == game_id) & (columns.hand == hand) & (columns.seat == seat)
    took = select(func.count(), func.coalesce(func.sum(columns.ms), 0.0)).where(here)
    moves, ms = connection.execute(took).one()
    return {"moves": moves, "ms": ms}


def _players(connection: Connection, game_id: str) -> list[int]:
    seated = select(SEATS.c.player_id).where(SEATS.c.game_id == game_id)
    return list(connection.scalars(seated.order_by(SEATS.c.seat)))


def totals(connection: Connection, game_id: str) -> tuple[int, ...]:
    """Each seat's points in the finished hands of a game."""
    finished = (HANDS.c.game_id == game_id) & HANDS.c.finished_at.is_not(None)
    scored = connection.scalars(select(HANDS.c.points).where(finished)).all()
    return tuple(sum(each) for each in zip(*scored, strict=True)) if scored else NO_POINTS
