"""Live tables: what is asked and what is answered."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from server.http.schemas.fields import AnyOf, Card, Cards, Flag, ListOf, RequestSchema, Text, Whole
from server.http.schemas.replies import CardAndPlayer, Success
from server.http.schemas.requests import about

MAX_WAIT = 25  # seconds of a long-poll: below the 30 that proxies often allow
MAX_LISTED = 100


class TableRequest(RequestSchema):
    """A table to be made; everything is optional."""

    seats = ListOf(
        AnyOf(
            str,
            dict,
            says="'human', a level or an object",
            metadata={"type": ["string", "object"]},
        ),
        **about("4: 'human', a level, or {kind, level, ai_config, name}; absent: you and 3 × hard"),
    )
    rules = AnyOf(
        int,
        dict,
        says="a bit mask or an object of named flags",
        **about("a 14-bit mask, or an object; absent: 4001", type=["integer", "object"]),
    )
    target_score = Whole(**about("the score that ends the match; absent: 100"))
    seed = Whole(**about("deals are a function of it, and the table says so; absent: nobody knows"))
    open = Flag(**about("everybody sees all cards and thoughts; only without people"))
    name = Text(**about("for people"))
    pace_ms = Whole(**about("least time between moves of ours; absent: 0, 500 without people"))


class PassMove(RequestSchema):
    """Three cards to pass."""

    cards = Cards(required=True, metadata={"description": "3 cards of the hand"})
    version = Whole(**about("of the view that was looked at: the move is refused if it is old"))


class PlayMove(RequestSchema):
    """A card to play."""

    card = Card(required=True)
    version = Whole(**about("as for a pass"))


class NoMove(RequestSchema):
    """Nothing needs to be said."""


class SeatHeader(Schema):
    """Who asks."""

    token = fields.String(
        data_key="X-Seat-Token",
        metadata={"description": "the token of a seat; absent: what everybody sees"},
    )


class TableQuery(Schema):
    """For how long, and for what, to wait."""

    after = fields.Integer(
        validate=validate.Range(0, 2**31, error="must be 0 or more"),
        metadata={"description": "the version that is known"},
    )
    wait = fields.Float(
        validate=validate.Range(0, MAX_WAIT, error=f"must be 0 to {MAX_WAIT}"),
        metadata={"description": "seconds to wait for another version than `after`"},
    )


class TablesQuery(Schema):
    """Which tables."""

    status = fields.String(
        validate=validate.OneOf(("open", "finished"), error="must be open or finished"),
        metadata={"description": "absent: open"},
    )
    limit = fields.Integer(
        validate=validate.Range(1, MAX_LISTED, error=f"must be 1 to {MAX_LISTED}"),
        metadata={"description": "at most so many, the newest first; absent: 20"},
    )


def _cards(about_them: str, **more: Any) -> fields.List[Any]:
    described = {"description": about_them}
    return fields.List(fields.String(), required=True, metadata=described, **more)


def _numbers(about_them: str) -> fields.List[Any]:
    shape = {"description": about_them, "minItems": 4, "maxItems": 4}
    return fields.List(fields.Integer(), required=True, metadata=shape)


def _seat(about_it: str) -> fields.Integer:
    return fields.Integer(required=True, allow_none=True, metadata={"description": about_it})


class TablePlayer(Schema):
    """Who sits at a seat."""

    seat = fields.Integer(required=True)
    kind = fields.String(required=True, metadata={"enum": ["human", "engine"]})
    name = fields.String(required=True)
    level = fields.String(required=True, allow_none=True)


class TableFacts(Schema):
    """What everybody may know of a table, in short."""

    table_id = fields.String(required=True)
    name = fields.String(required=True)
    version = fields.Integer(required=True, metadata={"description": "how many events so far"})
    phase = fields.String(
        required=True, metadata={"enum": ["passing", "playing", "hand_over", "finished"]}
    )
    open = fields.Boolean(required=True)
    seeded = fields.Boolean(required=True, metadata={"description": "deals come from a seed"})
    pace_ms = fields.Integer(required=True)
    target_score = fields.Integer(required=True)
    players = fields.List(fields.Nested(TablePlayer), required=True)
    scores = _numbers("the match before this hand")
    totals = _numbers("the match after all finished hands")


class TrickOnTable(Schema):
    """The cards of a trick, in order."""

    lead_player = _seat("null while nobody is to play")
    cards = fields.List(fields.Nested(CardAndPlayer), required=True)


class TrickDone(TrickOnTable):
    """A trick that is over."""

    winner = fields.Integer(required=True)
    points = fields.Integer(required=True)


class TableHand(Schema):
    """The hand on the table, as who looks may see it."""

    number = fields.Integer(required=True)
    pass_direction = fields.String(required=True)
    commitment = fields.String(required=True, metadata={"description": "SHA-256 of deal and nonce"})
    turn = _seat("who is to play; null: nobody")
    waiting_for = fields.List(fields.Integer(), required=True)
    counts = _numbers("cards that each seat holds")
    cards = _cards("the own ones")
    legal = _cards("those that may be played now")
    illegal = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata={"description": "the others of the own cards, and why not"},
    )
    passed = _cards("given by the own seat", allow_none=True)
    received = _cards("got by the own seat", allow_none=True)
    trick = fields.Nested(TrickOnTable, required=True)
    tricks = fields.List(fields.Nested(TrickDone), required=True)
    points = _numbers("of each seat in this hand so far")
    hearts_broken = fields.Boolean(required=True)
    tricks_left = fields.Integer(required=True)
    claimable = fields.Boolean(required=True, metadata={"description": "no points are left"})
    claimed_by = _seat("who ended the hand early")
    hands = fields.List(
        fields.List(fields.String()),
        required=True,
        allow_none=True,
        metadata={"description": "all four: at an open table, or once the hand is over"},
    )
    thoughts = fields.List(
        fields.Dict(keys=fields.String()),
        required=True,
        allow_none=True,
        metadata={"description": "the latest decisions at an open table"},
    )


class Opening(Schema):
    """What opens a commitment."""

    table_id = fields.String(required=True)
    hand = fields.Integer(required=True)
    dealt = fields.List(fields.List(fields.String()), required=True)
    nonce = fields.String(required=True, metadata={"description": "64 hex digits"})


class FinishedHand(Schema):
    """A hand that is over."""

    number = fields.Integer(required=True)
    pass_direction = fields.String(required=True)
    points = _numbers("moon included")
    shooter = _seat("who shot the moon")
    claimed_by = _seat("who ended it early")
    commitment = fields.String(required=True)
    opening = fields.Nested(Opening, required=True)
    record = fields.Dict(keys=fields.String(), required=True)


class MatchResult(Schema):
    """How the match ended."""

    ranking = _numbers("the place of each seat")
    winners = fields.List(fields.Integer(), required=True)


class TableView(TableFacts):
    """A table as who looks may see it."""

    seat = _seat("whose view this is; null: everybody's")
    rules = fields.Dict(keys=fields.String(), required=True)
    rules_mask = fields.Integer(required=True)
    hands = fields.List(fields.Nested(FinishedHand), required=True)
    hand = fields.Nested(TableHand, required=True)
    game_state = fields.Dict(
        keys=fields.String(),
        required=True,
        allow_none=True,
        metadata={"description": "to be posted to /api/move, /api/pass, /api/legal, /api/beliefs"},
    )
    result = fields.Nested(MatchResult, required=True, allow_none=True)


class TableReply(TableView, Success):
    """A table."""


class NewTableReply(Success):
    """A table that was made, and what proves its seats: shown this once."""

    table_id = fields.String(required=True)
    tokens = fields.List(
        fields.String(allow_none=True),
        required=True,
        metadata={"description": "one per seat; null where it is ours"},
    )
    table = fields.Nested(TableView, required=True)


class TablesReply(Success):
    """Some tables."""

    tables = fields.List(fields.Nested(TableFacts), required=True)
