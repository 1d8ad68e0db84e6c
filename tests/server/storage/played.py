"""Games to keep: recorded hands as events, and players."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, func, select

from hearts.engine.config import SearchConfig
from hearts.game.records import Record, read_records
from hearts.game.rules import Rules
from server.storage.events import DealEvent, Event, PassEvent, PlayEvent
from server.storage.games import append, create_game, writing
from server.storage.schema import DECISIONS
from server.storage.values import NewGame, Player, Seat, new_id

CONFIG = SearchConfig(simulations=60, worlds=4, seed=2**64 - 1)
DATA = Path(__file__).parents[2] / "data"
NAMES = ("ann", "bob", "cid", "dora")


def sample_records(n: int, file: str = "heuristics-dev") -> list[Record]:
    """The first recorded hands of a file."""
    return list(islice(read_records(DATA / f"{file}.jsonl.gz"), n))


def a_game(rules: Rules, **more: Any) -> NewGame:
    """A game of four clients."""
    seats = tuple(Seat(Player("client", each)) for each in NAMES)
    return NewGame(**{"id": new_id(), "kind": "log", "rules": rules, "seats": seats} | more)


def events_of(record: Record, hand: int = 0) -> Iterator[Event]:
    """What happened in a hand."""
    deal = record.deal
    yield DealEvent(hand, deal.dealt, deal.direction)
    for seat, cards in enumerate(deal.passes):
        if cards:
            yield PassEvent(hand, seat, cards)
    for seat, card in deal.plays:
        yield PlayEvent(hand, seat, card)


def play(connection: Connection, game_id: str, record: Record, hand: int = 0, at: int = 0) -> int:
    """Append a whole hand; returns the game's version."""
    for event in events_of(record, hand):
        at = append(connection, game_id, at, event)
    return at


def keep(engine: Engine, records: list[Record], **more: Any) -> str:
    """Keep hands as one game; returns its id."""
    game = a_game(records[0].deal.rules, **more)
    with writing(engine) as connection:
        create_game(connection, game)
        version = 0
        for number, record in enumerate(records):
            version = play(connection, game.id, record, number, version)
    return game.id


def stored_decisions(engine: Engine) -> int:
    """How many decisions the database has."""
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(DECISIONS)) or 0
