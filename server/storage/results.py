"""Results of finished hands, one row per seat: they are inserted, and their beliefs scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, func, insert, select, tuple_, update

from hearts.game.cards import SEATS as FOUR
from hearts.game.records import Record
from hearts.game.scoring import points_of, ranking
from hearts.game.summary import summarise
from server.storage.hands import last_hand
from server.storage.jobs.queue import add_job
from server.storage.jobs.values import belief_job
from server.storage.schema import DECISIONS, GAMES, HANDS, PLAYERS, RESULTS, SEATS, RowValues
from server.storage.values import FINISHED, TABLE, HandRow

NO_POINTS = (0,) * FOUR
# Clients name the players of posted games, so only players of our own tables are scored.
_UNSCORED = (
    select(RESULTS.c.game_id, RESULTS.c.hand, RESULTS.c.seat, PLAYERS.c.level, PLAYERS.c.config)
    .join(PLAYERS)
    .join(GAMES, GAMES.c.id == RESULTS.c.game_id)
    .where(PLAYERS.c.kind == "engine", GAMES.c.kind == TABLE, RESULTS.c.belief_cards.is_(None))
    .order_by(RESULTS.c.game_id, RESULTS.c.hand, RESULTS.c.seat)
)


@dataclass(frozen=True)
class UnscoredSeat:
    """A seat of the engine in a finished hand whose beliefs are not scored yet."""

    game_id: str
    hand: int
    seat: int
    level: str | None
    config: Mapping[str, object] | None


def finish_hand(
    connection: Connection, game_id: str, at: datetime, points: Sequence[int] | None = None
) -> None:
    """Score the hand whose last card has just been played, and end the game if it is over.

    `points` are those that the last play states; None: they are computed.
    """
    hand = last_hand(connection, game_id)
    assert hand is not None
    before = totals(connection, game_id)
    scored = tuple(points or points_of(hand.record.deal, before))
    record = replace(hand.record, points=scored)
    columns = select(GAMES.c.target_score, GAMES.c.kind)
    target, kind = connection.execute(columns.where(GAMES.c.id == game_id)).one()
    won = winners([a + b for a, b in zip(before, scored, strict=True)], target)
    _update_hand(connection, hand, scored, at)
    if won is not None:
        connection.execute(update(GAMES).where(GAMES.c.id == game_id).values(status=FINISHED))
    values = result_values(record, _player_ids(connection, game_id), won)
    keys: RowValues = {"game_id": game_id, "hand": hand.number, "finished_at": at}
    for seat, of_seat in enumerate(values):
        of_seat.update(keys | _decision_totals(connection, game_id, hand.number, seat))
    connection.execute(insert(RESULTS), values)
    if kind == TABLE:
        add_job(connection, belief_job(game_id, hand.number))


def winners(totals: Sequence[int], target: int | None) -> list[bool] | None:
    """Which seats have won, by the totals after a hand; None: the match goes on."""
    if target is not None and max(totals) < target:
        return None
    return [place == 1 for place in ranking(totals)]


def result_values(
    record: Record, players: Sequence[int], won: Sequence[bool] | None
) -> list[RowValues]:
    """The results of a finished hand by seat, without the keys of the hand."""
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


def update_decision_totals(connection: Connection, game_id: str, hand: int, seat: int) -> None:
    """Count a seat's decisions again: they may be written after its hand was finished."""
    key = (RESULTS.c.game_id == game_id) & (RESULTS.c.hand == hand) & (RESULTS.c.seat == seat)
    counted = _decision_totals(connection, game_id, hand, seat)
    connection.execute(update(RESULTS).where(key).values(counted))


def totals(connection: Connection, game_id: str) -> tuple[int, ...]:
    """Each seat's points in the finished hands of a game."""
    finished = (HANDS.c.game_id == game_id) & HANDS.c.finished_at.is_not(None)
    scored = connection.scalars(select(HANDS.c.points).where(finished)).all()
    return tuple(sum(each) for each in zip(*scored, strict=True)) if scored else NO_POINTS


def unscored_seats(
    connection: Connection, limit: int | None = None, hand: tuple[str, int] | None = None
) -> list[UnscoredSeat]:
    """Seats whose beliefs are not scored, at most `limit`: all, or those of one hand of a game."""
    key = tuple_(RESULTS.c.game_id, RESULTS.c.hand)
    wanted = _UNSCORED if hand is None else _UNSCORED.where(key == tuple_(*hand))
    return [UnscoredSeat(*row) for row in connection.execute(wanted.limit(limit))]


def store_loss(connection: Connection, seat: UnscoredSeat, loss: float, cards: int) -> None:
    """Store the log-loss of a seat's beliefs, summed over hidden cards."""
    here = update(RESULTS).filter_by(game_id=seat.game_id, hand=seat.hand, seat=seat.seat)
    connection.execute(here.values(belief_loss=loss, belief_cards=cards))


def _update_hand(
    connection: Connection, hand: HandRow, points: Sequence[int], at: datetime
) -> None:
    here = (HANDS.c.game_id == hand.game_id) & (HANDS.c.number == hand.number)
    shooter = hand.record.deal.shooter
    values = {"points": list(points), "shooter": shooter, "finished_at": at}
    connection.execute(update(HANDS).where(here).values(values))


def _decision_totals(connection: Connection, game_id: str, hand: int, seat: int) -> RowValues:
    """The number of logged decisions of a seat in a hand, and their time."""
    columns = DECISIONS.c
    here = (columns.game_id == game_id) & (columns.hand == hand) & (columns.seat == seat)
    counted = select(func.count(), func.coalesce(func.sum(columns.ms), 0.0)).where(here)
    moves, ms = connection.execute(counted).one()
    return {"moves": moves, "ms": ms}


def _player_ids(connection: Connection, game_id: str) -> list[int]:
    seated = select(SEATS.c.player_id).where(SEATS.c.game_id == game_id)
    return list(connection.scalars(seated.order_by(SEATS.c.seat)))
