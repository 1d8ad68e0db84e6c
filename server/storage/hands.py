"""Reads stored hands and replays their passes and plays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from hearts.game.cards import parse_cards
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.rules import PassDirection, Rules
from server.storage.schema import GAMES, HANDS, PLAYS
from server.storage.values import HandRow

Play = tuple[int, int, datetime | None]  # seat, card, and when it was played
_HANDS = select(HANDS, GAMES.c.source, GAMES.c.rules).join(GAMES)


def hands(connection: Connection, game_ids: Sequence[str]) -> list[HandRow]:
    """The hands of some games: games in the given order, hands in theirs."""
    plays = _plays(connection, PLAYS.c.game_id.in_(game_ids))
    found: dict[str, list[HandRow]] = {game_id: [] for game_id in game_ids}
    wanted = _HANDS.where(HANDS.c.game_id.in_(game_ids)).order_by(HANDS.c.game_id, HANDS.c.number)
    for row in connection.execute(wanted):
        found[row.game_id].append(_hand(row, plays[row.game_id, row.number]))
    return [hand for game_id in game_ids for hand in found[game_id]]


def last_hand(connection: Connection, game_id: str) -> HandRow | None:
    """The latest hand of a game; None before the first deal."""
    wanted = _HANDS.where(HANDS.c.game_id == game_id).order_by(HANDS.c.number.desc()).limit(1)
    row = connection.execute(wanted).one_or_none()
    if row is None:
        return None
    here = (PLAYS.c.game_id == game_id) & (PLAYS.c.hand == row.number)
    return _hand(row, _plays(connection, here)[game_id, row.number])


def _plays(connection: Connection, which: ColumnElement[bool]) -> dict[tuple[str, int], list[Play]]:
    key = PLAYS.c.game_id, PLAYS.c.hand
    wanted = select(*key, PLAYS.c.seat, PLAYS.c.card, PLAYS.c.played_at).where(which)
    found: dict[tuple[str, int], list[Play]] = defaultdict(list)
    for game_id, hand, *play in connection.execute(wanted.order_by(*key, PLAYS.c.number)):
        found[game_id, hand].append((play[0], play[1], play[2]))
    return found


def _hand(row: Row[Any], plays: Sequence[Play]) -> HandRow:
    points = None if row.points is None else tuple(row.points)
    deal = _replayed(row, plays)
    return HandRow(
        game_id=row.game_id,
        number=row.number,
        record=Record(deal, row.label, row.source, points, row.extra or {}),
        played_at=tuple(at for _, _, at in plays),
        as_recorded=row.extra is not None,
        commitment=row.commitment,
        nonce=row.nonce,
        shooter=row.shooter,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def _replayed(row: Row[Any], plays: Sequence[Play]) -> Deal:
    """The deal after all its passes and plays."""
    # Under rules without an opening card, the first player was the leader.
    first = plays[0][0] if plays else 0
    leader = first if row.first_player is None else row.first_player
    dealt = [parse_cards(cards) for cards in row.dealt]
    deal = Deal.of(Rules.parse(row.rules), dealt, PassDirection(row.direction), leader)
    for seat, cards in enumerate(row.passed or ()):
        deal = deal.give(seat, parse_cards(cards)) if cards else deal
    for seat, card, _ in plays:
        deal = deal.play(card, seat)
    return deal
