"""Games that are kept: what is asked and what is answered."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from server.http.schemas.fields import (
    AnyOf,
    Card,
    Cards,
    ListOf,
    Numbers,
    ObjectOf,
    Piles,
    RequestSchema,
    Text,
    Whole,
)
from server.http.schemas.replies import CardAndPlayer, Success
from server.http.schemas.requests import MAX_HANDS, about

MAX_RECORDS = 64
MAX_EVENTS = 512
MAX_LISTED = 200
MAX_CURSOR = 200  # characters; ours have about 80
LISTED = 50
_RECORD = {"says": "an object"}


class GameRequest(RequestSchema):
    """A game to be kept; everything is optional."""

    record = AnyOf(dict, **_RECORD, **about("one hand, as `hearts replay` reads it", type="object"))
    records = ListOf(
        AnyOf(dict, **_RECORD, metadata={"type": "object"}),
        validate=validate.Length(1, MAX_RECORDS, error=f"must be 1 to {MAX_RECORDS} records"),
        **about("the hands of a match, in order"),
    )
    source = Text(**about("where the game comes from; absent: what its record says"))
    players = ListOf(
        AnyOf(str, dict, says="a name or an object", metadata={"type": ["string", "object"]}),
        **about("4: a name, or {kind, name, level, config, version}"),
    )
    rules = AnyOf(
        int,
        dict,
        says="a bit mask or an object of named flags",
        **about("a 14-bit mask, or an object; absent: 3009", type=["integer", "object"]),
    )
    target_score = Whole(
        **about("the score that ends the match; absent: 100, and for a single record its end")
    )


class GameEvent(RequestSchema):
    """One thing that happened: a deal, a pass or a play."""

    kind = Text(
        required=True,
        validate=validate.OneOf(("deal", "pass", "play"), error="must be deal, pass or play"),
    )
    hand = Whole(
        validate=validate.Range(0, MAX_HANDS, error=f"must be 0 to {MAX_HANDS}"),
        **about("from 0; absent: the hand that is played, or the next one for a deal"),
    )
    dealt = Piles(**about("deal: 4 × 13 cards, before the pass"))
    pass_direction = AnyOf(
        int,
        str,
        says="left, right, across or hold",
        **about("deal: left, right, across, hold, or 1, −1, 2, 0", type=["integer", "string"]),
    )
    leader = Whole(**about("deal: who leads, under rules in which no card decides that"))
    player = Whole(**about("pass, play: the seat"))
    cards = Cards(**about("pass: 3 cards"))
    card = Card(allow_none=True)
    points = Numbers(**about("play, the last: 4 numbers, if the shooter has a choice"))


class EventsRequest(GameEvent):
    """One event, or several that happened one after the other: all are kept, or none."""

    kind = Text(
        validate=validate.OneOf(("deal", "pass", "play"), error="must be deal, pass or play"),
        **about("absent: see events"),
    )
    number = Whole(
        validate=validate.Range(0, 2**31 - 1, error="must be 0 or more"),
        **about("of the first event, from 0; absent: the next"),
    )
    events = ListOf(
        ObjectOf(GameEvent),
        validate=validate.Length(1, MAX_EVENTS, error=f"must be 1 to {MAX_EVENTS} events"),
        **about("instead of a single one"),
    )


class KeyHeader(Schema):
    """By what a repeated request is recognised."""

    key = fields.String(
        data_key="Idempotency-Key",
        validate=validate.Regexp("^[!-~]{1,200}$", error="must be 1 to 200 visible characters"),
        metadata={"description": "sent again with the same body, it changes nothing"},
    )


class EventsHeader(KeyHeader):
    """By what events are recognised, and what they were meant for."""

    etag = fields.String(
        data_key="If-Match",
        metadata={"description": "the ETag of the game that the events are to follow"},
    )


class VersionHeader(Schema):
    """What the client has already."""

    etag = fields.String(
        data_key="If-None-Match", metadata={"description": "the ETag of an earlier answer"}
    )


class GamesQuery(Schema):
    """Which games."""

    player = fields.String(metadata={"description": "somebody of this name played"})
    source = fields.String()
    status = fields.String(
        validate=validate.OneOf(("open", "finished"), error="must be open or finished")
    )
    since = fields.String(metadata={"description": "made then or later: 2026-11-16T12:00:00Z"})
    until = fields.String(metadata={"description": "made before"})
    cursor = fields.String(
        validate=validate.Length(max=MAX_CURSOR, error="no page has given this one"),
        metadata={"description": "`next` of the page before"},
    )
    limit = fields.Integer(
        validate=validate.Range(1, MAX_LISTED, error=f"must be 1 to {MAX_LISTED}"),
        metadata={"description": f"games in a page; absent: {LISTED}"},
    )


class ExportQuery(Schema):
    """In which form."""

    format = fields.String(
        validate=validate.OneOf(("jsonl", "text", "csv"), error="must be jsonl, text or csv"),
        metadata={"description": "absent: jsonl"},
    )


class NewGameReply(Success):
    """A game is kept."""

    game_id = fields.String(required=True)
    events = fields.Integer(required=True, metadata={"description": "how many so far"})


class EventsReply(NewGameReply):
    """Events are kept."""

    finished = fields.Boolean(required=True, metadata={"description": "the game is over"})


class Seated(Schema):
    """Who plays."""

    kind = fields.String(required=True, metadata={"enum": ["human", "client", "engine"]})
    name = fields.String(required=True)
    level = fields.String()
    config = fields.Dict(keys=fields.String())
    version = fields.String()


def _four(description: str, **more: Any) -> fields.List[Any]:
    shape = {"description": description, "minItems": 4, "maxItems": 4}
    return fields.List(fields.Integer(), required=True, metadata=shape, **more)


class GameFacts(Schema):
    """A game in short."""

    game_id = fields.String(required=True)
    kind = fields.String(required=True, metadata={"enum": ["log", "table", "record"]})
    source = fields.String(required=True)
    status = fields.String(required=True, metadata={"enum": ["open", "finished"]})
    events = fields.Integer(required=True, metadata={"description": "how many so far"})
    target_score = fields.Integer(
        required=True, allow_none=True, metadata={"description": "null: a single hand"}
    )
    players = fields.List(fields.Nested(Seated), required=True)
    hand_count = fields.Integer(required=True)
    totals = _four("each seat's points in finished hands")
    created_at = fields.String(required=True)
    updated_at = fields.String(required=True)


class KeptPlay(CardAndPlayer):
    """A card that was played."""

    at = fields.String(
        required=True, allow_none=True, metadata={"description": "when; null: nobody wrote it down"}
    )


class KeptHand(Schema):
    """A hand; of a table what everybody may know."""

    number = fields.Integer(required=True)
    pass_direction = fields.String(required=True)
    plays = fields.List(fields.Nested(KeptPlay), required=True)
    started_at = fields.String(required=True)
    finished_at = fields.String(required=True, allow_none=True)
    finished = fields.Boolean(required=True)
    points = _four("moon included; null: not over", allow_none=True)
    shooter = fields.Integer(required=True, allow_none=True)
    commitment = fields.String(required=True, allow_none=True)
    nonce = fields.String(
        required=True, allow_none=True, metadata={"description": "null until the hand is over"}
    )
    record = fields.Dict(
        keys=fields.String(),
        required=True,
        allow_none=True,
        metadata={"description": "the whole hand; null while a table still plays it"},
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
        required=True, allow_none=True, metadata={"description": "the cursor of the next page"}
    )
