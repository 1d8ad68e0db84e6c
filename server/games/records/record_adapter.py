"""Converts game records to stored games: their players, target score and events."""

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


def checked_text(text: str, place: str, limit: int = MAX_NAME) -> str:
    """A text that fits a column of the database and can be printed; raises InvalidRecord."""
    if len(text) > limit:
        raise InvalidRecord(place, f"has more than {limit} characters")
    if not text.isprintable():
        raise InvalidRecord(place, "has characters that cannot be shown")
    return text


def check_texts(record: Record) -> None:
    """Check the id and the source of a record."""
    checked_text(record.id, "id", MAX_LABEL)
    checked_text(record.source, "source")


def players_of(record: Record | None, source: str) -> list[Player]:
    """The players of a record; without them, one client named after the source has all seats."""
    given = None if record is None else record.extra.get("players")
    if not (isinstance(given, list) and len(given) == SEATS):
        return [Player("client", source or UNKNOWN)] * SEATS
    return [player_of(each, f"players[{seat}]") for seat, each in enumerate(given)]


def player_of(given: object, place: str) -> Player:
    """The player of a name, or of an object as `Player.as_object` writes it."""
    fields = {"name": given} if isinstance(given, str) else given
    if not isinstance(fields, Mapping):
        raise InvalidRecord(place, f"must be a name or an object, not {quoted(given)}")
    kind = _text(fields, "kind", place) or "client"
    if kind not in KINDS_OF_PLAYERS:
        raise InvalidRecord(f"{place}.kind", f"{kind!r}: choose {', '.join(KINDS_OF_PLAYERS)}")
    config = fields.get("config")
    if config is not None and not isinstance(config, Mapping):
        raise InvalidRecord(f"{place}.config", f"must be an object, not {quoted(config)}")
    name = _text(fields, "name", place, MAX_NAME)
    if not name:
        raise InvalidRecord(f"{place}.name", "is missing")
    level, version = _text(fields, "level", place), _text(fields, "version", place)
    return Player(kind, name, level, config and canonical(config), version)


def target_of(record: Record) -> int | None:
    """The target score of a record's match; None: the record has none."""
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
    """Raise InvalidRecord unless the records can be the hands of one match."""
    for number, record in enumerate(records):
        if record.deal.rules != records[0].deal.rules:
            raise InvalidRecord(f"records[{number}].rules", "differ from those of records[0]")
        if not record.deal.finished and number < len(records) - 1:
            raise InvalidRecord(f"records[{number}].plays", "only the last hand may stop early")


def events_of(record: Record, number: int) -> Iterator[Event]:
    """The events of a record as hand `number` of a game."""
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


def _text(fields: Mapping[str, Any], field: str, place: str, limit: int = MAX_WORD) -> str | None:
    value = fields.get(field)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidRecord(f"{place}.{field}", f"must be a text, not {quoted(value)}")
    return checked_text(value, f"{place}.{field}", limit)
