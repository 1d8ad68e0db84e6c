"""Game records as games of the database: who played, and what happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hearts.engine.config import canonical
from hearts.game.cards import SEATS
from hearts.game.errors import InvalidRecord, InvalidRules
from hearts.game.records import Record
from server.runtime.messages import quoted
from server.storage.events import DealEvent, Event, PassEvent, PlayEvent
from server.storage.values import KINDS_OF_PLAYERS, Player

MAX_NAME = 100  # characters of a name or a source
MAX_LABEL = 200  # characters of a record's id
MAX_WORD = 32  # characters of a level or a version
UNKNOWN = "unknown"


def words(text: str, place: str, most: int = MAX_NAME) -> str:
    """A text that a database can keep and a page can show."""
    if len(text) > most:
        raise InvalidRecord(place, f"has more than {most} characters")
    if not text.isprintable():
        raise InvalidRecord(place, "has characters that cannot be shown")
    return text


def check_words(record: Record) -> None:
    """Refuse texts that no database could keep and no page show."""
    words(record.id, "id", MAX_LABEL)
    words(record.source, "source")


def players_of(record: Record | None, source: str) -> list[Player]:
    """The four players that a record names, or one after its source who plays all seats."""
    given = None if record is None else record.extra.get("players")
    if not (isinstance(given, list) and len(given) == SEATS):  # or it means something else
        return [Player("client", source or UNKNOWN)] * SEATS
    return [player_of(each, f"players[{seat}]") for seat, each in enumerate(given)]


def player_of(given: object, place: str) -> Player:
    """A player, from a name or from what `Player.as_object` wrote."""
    fields = {"name": given} if isinstance(given, str) else given
    if not isinstance(fields, Mapping):
        raise InvalidRecord(place, f"must be a name or an object, not {quoted(given)}")
    kind = _text(fields, "kind", place) or "client"
    if kind not in KINDS_OF_PLAYERS:
        raise InvalidRecord(f"{place}.kind", f"{kind!r}: choose {', '.join(KINDS_OF_PLAYERS)}")
    config = fields.get("config")
    if config is not None and not isinstance(config, Mapping):
        raise InvalidRecord(f"{place}.config", f"must be an object, not {quoted(config)}")
    called = _text(fields, "name", place, MAX_NAME)
    if not called:
        raise InvalidRecord(f"{place}.name", "is missing")
    level, version = _text(fields, "level", place), _text(fields, "version", place)
    return Player(kind, called, level, config and canonical(config), version)


def target_of(record: Record) -> int | None:
    """The score that ends the match of a record; None: it says none."""
    target = record.extra.get("target_score")
    if target is None:
        return None
    if type(target) is not int:
        raise InvalidRecord("target_score", f"must be a whole number, not {quoted(target)}")
    try:
        return replace(record.deal.rules, target_score=target).target_score
    except InvalidRules as error:
        raise InvalidRecord(error.path, error.reason) from None


def check_match(records: Sequence[Record]) -> None:
    """Refuse records that cannot be the hands of one match."""
    for number, record in enumerate(records):
        if record.deal.rules != records[0].deal.rules:
            raise InvalidRecord(f"records[{number}].rules", "differ from those of records[0]")
        if not record.deal.finished and number < len(records) - 1:
            raise InvalidRecord(f"records[{number}].plays", "only the last hand may stop early")


def events_of(record: Record, number: int) -> Iterator[Event]:
    """What happened in a record, as the hand `number` of a game."""
    deal = record.deal
    leader = next(deal.plays, (0, 0))[0]
    yield DealEvent(
        number, deal.dealt, deal.direction, leader, record_id=record.id, extra=record.extra
    )
    for seat, cards in enumerate(deal.passes):
        if cards:
            yield PassEvent(number, seat, cards)
    plays = [PlayEvent(number, seat, card) for seat, card in deal.plays]
    yield from plays[:-1]
    if plays:
        yield replace(plays[-1], points=record.points if deal.finished else None)


def _text(fields: Mapping[str, Any], field: str, place: str, most: int = MAX_WORD) -> str | None:
    value = fields.get(field)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidRecord(f"{place}.{field}", f"must be a text, not {quoted(value)}")
    return words(value, f"{place}.{field}", most)
