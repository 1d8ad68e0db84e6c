"""Jobs that score the engine's beliefs in a finished hand of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine

from hearts.game.records import Record
from server.storage.games import reading
from server.storage.hands import hands
from server.storage.results import UnscoredSeat, store_loss, unscored_seats

Loss = tuple[UnscoredSeat, float, int]  # a seat, its log-loss, and over how many cards


@dataclass(frozen=True)
class BeliefTask:
    """The input of a scoring: a hand, and its seats without a score."""

    record: Record
    seats: Sequence[UnscoredSeat]


def prepare(engine: Engine, body: Mapping[str, Any]) -> BeliefTask | None:
    """The seats of the engine in the hand of a job; None if all are scored."""
    game_id, number = body["game_id"], body["hand"]
    with reading(engine) as connection:
        seats = unscored_seats(connection, hand=(game_id, number))
        found = {each.number: each.record for each in hands(connection, [game_id])}
    return BeliefTask(found[number], seats) if seats else None


def store(connection: Connection, _body: Mapping[str, Any], losses: Sequence[Loss]) -> None:
    """Store the losses of the seats."""
    for seat, loss, cards in losses:
        store_loss(connection, seat, loss, cards)
