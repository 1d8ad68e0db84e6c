"""Schemas of stored games: requests and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from marshmallow import Schema, fields, validate

from server.games.events.append_events import EventsRequest
from server.games.events.event_validator import PostedEvent
from server.games.posted import GameRequest
from server.http.schemas.base import DataclassSchema, RequestSchema
from server.http.schemas.fields import (
    AnyOf,
    Card,
    Cards,
    Choice,
    Limited,
    ListOf,
    Moment,
    Numbers,
    ObjectOf,
    Piles,
    Text,
    Whole,
    Words,
    about,
)
from server.http.schemas.moves import MAX_HANDS
from server.http.schemas.replies import CardAndPlayer, Success
from server.runtime.errors import ParseError
from server.runtime.requests import RequestData
from server.storage.listing import Filters

MAX_RECORDS = 64
MAX_EVENTS = 512
MAX_LISTED = 200
MAX_CURSOR = 200  # characters; a cursor has about 80
LISTED = 50
STATUSES = ("open", "finished", "abandoned")
UNKNOWN_CURSOR = "no page has this cursor"
_RECORD = {"says": "an object"}
_KIND = validate.OneOf(("deal", "pass", "play"), error="must be deal, pass or play")


class GameRequestSchema(RequestSchema):
    """A game to be stored; every field is optional."""

    into = GameRequest
    record = AnyOf(dict, **_RECORD, **about("one hand, as `hearts replay` reads it", type="object"))
    records = ListOf(
        AnyOf(dict, **_RECORD, metadata={"type": "object"}),
        validate=validate.Length(1, MAX_RECORDS, error=f"must be 1 to {MAX_RECORDS} records"),
        **about("the hands of a match, in order"),
    )
    source = Text(**about("where the game comes from; absent: the source of its record"))
    players = ListOf(
        AnyOf(str, dict, says="a name or an object", metadata={"type": ["string", "object"]}),
        **about("4: a name, or {kind, name, level, config, version}"),
    )
    rules = AnyOf(
        int,
        dict,
        says="a bit mask or an object of named flags",
        **about("a 14-bit mask, or an object; absent: 4001", type=["integer", "object"]),
    )
    target_score = Whole(
        **about("the score that ends the match; absent: 100, but none for a single record")
    )


class GameEventSchema(RequestSchema):
    """An event: a deal, a pass or a play."""

    into: ClassVar[type[RequestData]] = PostedEvent
    kind = Text(required=True, validate=_KIND)
    hand = Whole(
        validate=validate.Range(0, MAX_HANDS, error=f"must be 0 to {MAX_HANDS}"),
        **about("from 0; absent: the current hand, or the next one for a deal"),
    )
    dealt = Piles(**about("deal: 4 × 13 cards, before the pass"))
    pass_direction = AnyOf(
        int,
        str,
        says="left, right, across or hold",
        **about("deal: left, right, across, hold, or 1, −1, 2, 0", type=["integer", "string"]),
    )
    leader = Whole(**about("deal: the seat that leads, under rules without an opening card"))
    player = Whole(**about("pass, play: the seat"))
    cards = Cards(**about("pass: 3 cards"))
    card = Card(allow_none=True)
    points = Numbers(**about("last play of a hand: 4 numbers, if the shooter has a choice"))


class EventsRequestSchema(GameEventSchema):
    """One event, or several in order: all of them are stored, or none."""

    into = EventsRequest
    kind = Text(validate=_KIND, **about("absent: see events"))
    number = Whole(
        validate=validate.Range(0, 2**31 - 1, error="must be 0 or more"),
        **about("of the first event, from 0; absent: the next"),
    )
    events = ListOf(
        ObjectOf(GameEventSchema),
        validate=validate.Length(1, MAX_EVENTS, error=f"must be 1 to {MAX_EVENTS} events"),
        **about("instead of a single event"),
    )

    def build(self, given: dict[str, Any], sent: Mapping[str, Any]) -> EventsRequest:
        """The events; a single one is described by the other fields of the request."""
        events, number = given.pop("events", None), given.pop("number", None)
        if (events is None) == ("kind" not in given):
            raise ParseError("send either kind, with the fields of that kind, or events")
        rest = {"number": number, "is_list": events is not None}
        several = [PostedEvent(**given)] if events is None else events
        loaded: EventsRequest = super().build({"events": tuple(several), **rest}, sent)
        return loaded


@dataclass(frozen=True, kw_only=True)
class GamesQuery(RequestData):
    """Which games to list."""

    player: str | None = None
    source: str | None = None
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    cursor: str | None = None
    limit: int = LISTED

    def filters(self, owner_id: int | None) -> Filters:
        """The filters of the query, for the caller with an API key."""
        return Filters(self.player, self.source, self.status, self.since, self.until, owner_id)


class GamesQuerySchema(DataclassSchema):
    """Which games to list."""

    into = GamesQuery
    player = Words("games with a player of this name")
    source = Words()
    status = fields.String(
        validate=validate.OneOf(STATUSES, error="must be open, finished or abandoned")
    )
    since = Moment("created at or after this time: 2026-11-16T12:00:00Z")
    until = Moment("created before this time")
    cursor = fields.String(
        validate=validate.Length(max=MAX_CURSOR, error=UNKNOWN_CURSOR),
        metadata={"description": "`next` of the previous page"},
    )
    limit = Limited(1, MAX_LISTED, f"games per page; absent: {LISTED}")


@dataclass(frozen=True, kw_only=True)
class ExportQuery(RequestData):
    """The format of an export."""

    format: str = "jsonl"


class ExportQuerySchema(DataclassSchema):
    """The format of an export."""

    into = ExportQuery
    format = Choice("jsonl", "text", "csv", description="absent: jsonl")


class NewGameReply(Success):
    """A stored game."""

    game_id = fields.String(required=True)
    events = fields.Integer(required=True, metadata={"description": "number of events so far"})


class EventsReply(NewGameReply):
    """Stored events."""

    finished = fields.Boolean(required=True, metadata={"description": "whether the game is over"})


class ShareReply(Success):
    """A new link to a game."""

    share_token = fields.String(
        required=True, metadata={"description": "for the header X-Share-Token"}
    )
    url = fields.String(
        required=True, metadata={"description": "the page that shows the game, with the token"}
    )


class RevokedReply(Success):
    """Revoked links to a game."""

    revoked = fields.Integer(required=True, metadata={"description": "number of links"})


class Seated(Schema):
    """A player."""

    kind = fields.String(required=True, metadata={"enum": ["human", "client", "engine"]})
    name = fields.String(required=True)
    level = fields.String()
    config = fields.Dict(keys=fields.String())
    version = fields.String()


def _four(description: str, **more: Any) -> fields.List[Any]:
    shape = {"description": description, "minItems": 4, "maxItems": 4}
    return fields.List(fields.Integer(), required=True, metadata=shape, **more)


class GameFacts(Schema):
    """The facts of a game."""

    game_id = fields.String(required=True)
    kind = fields.String(required=True, metadata={"enum": ["log", "table", "record"]})
    source = fields.String(required=True)
    status = fields.String(required=True, metadata={"enum": list(STATUSES)})
    events = fields.Integer(required=True, metadata={"description": "number of events so far"})
    target_score = fields.Integer(
        required=True, allow_none=True, metadata={"description": "null: a single hand"}
    )
    players = fields.List(fields.Nested(Seated), required=True)
    hand_count = fields.Integer(required=True)
    totals = _four("each seat's points in finished hands")
    created_at = fields.String(required=True)
    updated_at = fields.String(required=True)


class KeptPlay(CardAndPlayer):
    """A played card."""

    at = fields.String(
        required=True, allow_none=True, metadata={"description": "when; null: unknown"}
    )


class KeptHand(Schema):
    """A hand; of a table's unfinished hand only what is public."""

    number = fields.Integer(required=True)
    pass_direction = fields.String(required=True)
    plays = fields.List(fields.Nested(KeptPlay), required=True)
    started_at = fields.String(required=True)
    finished_at = fields.String(required=True, allow_none=True)
    finished = fields.Boolean(required=True)
    points = _four("points of each seat, with the moon; null: not finished", allow_none=True)
    shooter = fields.Integer(required=True, allow_none=True)
    commitment = fields.String(required=True, allow_none=True)
    nonce = fields.String(
        required=True, allow_none=True, metadata={"description": "null until the hand is finished"}
    )
    record = fields.Dict(
        keys=fields.String(),
        required=True,
        allow_none=True,
        metadata={"description": "the whole hand; null while a table plays it"},
    )


class GameReply(GameFacts):
    """A game with its hands."""

    rules = fields.Raw(required=True, metadata={"description": "a mask or an object"})
    hands = fields.List(fields.Nested(KeptHand), required=True)


class OneGameReply(Success):
    """A game."""

    game = fields.Nested(GameReply, required=True)


class GamesReply(Success):
    """A page of games, the newest first."""

    games = fields.List(fields.Nested(GameFacts), required=True)
    next = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "the cursor of the next page; null: this is the last"},
    )
