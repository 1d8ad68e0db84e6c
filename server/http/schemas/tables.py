"""Schemas of requests to live tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError, fields, validate

from server.http.schemas.base import DataclassSchema, RequestSchema
from server.http.schemas.fields import (
    AnyOf,
    Card,
    Cards,
    Choice,
    Flag,
    Limited,
    ListOf,
    Text,
    Whole,
    about,
)
from server.http.schemas.search import AiConfigSchema
from server.runtime.requests import RequestData
from server.search.options import AiOptions
from server.tables.setup import ENGINE, HUMAN, SeatRequest, TableRequest

MAX_WAIT = 25  # seconds of a long-poll: below the 30 that proxies often allow
MAX_LISTED = 100
_SEAT_FIELDS = frozenset({"kind", "name", "level", "ai_config"})


class Seat(AnyOf):
    """A seat: 'human', a level, or an object; loads a SeatRequest."""

    def __init__(self) -> None:
        says = "'human', a level or an object"
        super().__init__(str, dict, says=says, metadata={"type": ["string", "object"]})

    def is_plain(self, value: object) -> bool:
        """Whether it is a text; the fields of an object are checked when it is loaded."""
        return type(value) is str

    def loads_objects(self) -> bool:
        """A plain seat is still to be loaded."""
        return True

    def load_plain(self, value: str) -> SeatRequest:
        """Load a seat that is a text."""
        if value == HUMAN:
            return SeatRequest(kind=HUMAN)
        return SeatRequest(level=value, options=AiOptions(level=value))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> SeatRequest:
        given = super()._deserialize(value, attr, data, **kwargs)
        return self.load_plain(given) if isinstance(given, str) else _seat_of(given)


def _seat_of(given: Mapping[str, Any]) -> SeatRequest:
    """The seat that an object describes."""
    known = {key: value for key, value in given.items() if key in _SEAT_FIELDS}
    unknown = tuple(sorted(given.keys() - _SEAT_FIELDS))
    return SeatRequest(**known, options=_options_of(given), unknown=unknown)


def _options_of(seat: Mapping[str, Any]) -> AiOptions | None:
    """The search options of an engine; None for others, or if `ai_config` is not an object."""
    given, level = seat.get("ai_config"), seat.get("level")
    if (seat.get("kind") or ENGINE) != ENGINE or not isinstance(given, Mapping | None):
        return None
    named = {} if level is None else {"level": level}
    try:
        options: AiOptions = AiConfigSchema().load({**(given or {}), **named})
    except ValidationError as error:
        faults = dict(error.messages_dict)
        own = {"level": faults.pop("level")} if named and "level" in faults else {}
        raise ValidationError(own | ({"ai_config": faults} if faults else {})) from None
    return options


class TableRequestSchema(RequestSchema):
    """A table to be created; every field is optional."""

    into = TableRequest
    seats = ListOf(
        Seat(),
        **about("4: 'human', a level, or {kind, level, ai_config, name}; absent: you and 3 × hard"),
    )
    rules = AnyOf(
        int,
        dict,
        says="a bit mask or an object of named flags",
        **about("a 14-bit mask, or an object; absent: 4001", type=["integer", "object"]),
    )
    target_score = Whole(**about("the score that ends the match; absent: 100"))
    seed = Whole(**about("makes the deals reproducible, and known; with at most one person"))
    open = Flag(**about("everybody sees all cards and searches; only for tables without people"))
    name = Text(**about("a name for people"))
    public = Flag(**about("lists the table and shows it to everybody; absent: only without people"))
    seat = Whole(**about("the person's seat that you take; absent: the first one; null: none"))
    pace_ms = Whole(
        **about("least time of engine moves; absent: 150, 500 without people; 0: at once")
    )


@dataclass(frozen=True, kw_only=True)
class JoinRequest(RequestData):
    """A person who takes a seat."""

    invitation: str
    name: str = ""
    token: str | None = None


class JoinRequestSchema(RequestSchema):
    """A person who takes a seat."""

    into = JoinRequest
    invitation = Text(required=True, metadata={"description": "as the creator received it"})
    name = Text(**about("for people; absent: the name that the creator gave the seat"))
    token = Text(
        **about("32 to 128 random letters, digits, - and _: with it the request may be repeated")
    )


@dataclass(frozen=True, kw_only=True)
class PassMove(RequestData):
    """Three cards to pass."""

    cards: list[str]
    version: int | None = None  # of the view that the client looked at


class PassMoveSchema(RequestSchema):
    """Three cards to pass."""

    into = PassMove
    cards = Cards(required=True, metadata={"description": "3 cards of the hand"})
    version = Whole(**about("of the view that the move is based on; an old one is rejected"))


@dataclass(frozen=True, kw_only=True)
class PlayMove(RequestData):
    """A card to play."""

    card: str
    version: int | None = None  # of the view that the client looked at


class PlayMoveSchema(RequestSchema):
    """A card to play."""

    into = PlayMove
    card = Card(required=True)
    version = Whole(**about("as for a pass"))


class NoMoveSchema(RequestSchema):
    """An object without fields."""

    into = RequestData


@dataclass(frozen=True, kw_only=True)
class TableQuery(RequestData):
    """Which change of a table to wait for."""

    after: int | None = None  # the version that the client knows; None: do not wait
    wait: float = 0.0  # seconds
    since: int | None = None


def _since() -> fields.Integer:
    return fields.Integer(
        validate=validate.Range(0, 2**31, error="must be 0 or more"),
        metadata={"description": "send only the hands that finished after this version"},
    )


@dataclass(frozen=True, kw_only=True)
class SinceQuery(RequestData):
    """Which finished hands a client has already."""

    since: int | None = None  # the version that it knows; None: send all hands


class SinceQuerySchema(DataclassSchema):
    """Which finished hands a client has already."""

    into = SinceQuery
    since = _since()


@dataclass(frozen=True)
class LastEventHeader:
    """The last event that a client has received."""

    id: int | None = None  # the version of the table


class LastEventHeaderSchema(DataclassSchema):
    """The last event that a client has received."""

    into = LastEventHeader
    id = fields.Integer(
        data_key="Last-Event-ID",
        validate=validate.Range(0, 2**31, error="must be 0 or more"),
        metadata={"description": "the version of the last event; with `since`, it takes its place"},
    )


class TableQuerySchema(DataclassSchema):
    """Which change of a table to wait for."""

    into = TableQuery
    since = _since()
    after = fields.Integer(
        validate=validate.Range(0, 2**31, error="must be 0 or more"),
        metadata={"description": "the version that the client knows"},
    )
    wait = fields.Float(
        validate=validate.Range(0, MAX_WAIT, error=f"must be 0 to {MAX_WAIT}"),
        metadata={"description": "seconds to wait for another version than `after`"},
    )


@dataclass(frozen=True, kw_only=True)
class TablesQuery(RequestData):
    """Which tables to list."""

    status: str = "open"
    limit: int = 20


class TablesQuerySchema(DataclassSchema):
    """Which tables to list."""

    into = TablesQuery
    status = Choice("open", "finished", description="absent: open")
    limit = Limited(1, MAX_LISTED, "number of tables, the newest first; absent: 20")
