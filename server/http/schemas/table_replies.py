"""Schemas of answers about live tables."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

from server.http.schemas.replies import CardAndPlayer, Success
from server.http.schemas.states import GameStateSchema


def _cards(description: str, **more: Any) -> fields.List[Any]:
    described = {"description": description}
    return fields.List(fields.String(), required=True, metadata=described, **more)


def _numbers(description: str) -> fields.List[Any]:
    shape = {"description": description, "minItems": 4, "maxItems": 4}
    return fields.List(fields.Integer(), required=True, metadata=shape)


def _seat(description: str) -> fields.Integer:
    return fields.Integer(required=True, allow_none=True, metadata={"description": description})


class TablePlayer(Schema):
    """The player at a seat."""

    seat = fields.Integer(required=True)
    kind = fields.String(required=True, metadata={"enum": ["human", "engine"]})
    name = fields.String(required=True)
    level = fields.String(required=True, allow_none=True)
    joined = fields.Boolean(
        required=True,
        metadata={"description": "false: a person's seat whose invitation is not accepted yet"},
    )


class TableFacts(Schema):
    """The public facts of a table."""

    table_id = fields.String(required=True)
    name = fields.String(required=True)
    version = fields.Integer(required=True, metadata={"description": "number of events so far"})
    phase = fields.String(
        required=True, metadata={"enum": ["passing", "playing", "hand_over", "finished"]}
    )
    open = fields.Boolean(required=True)
    private = fields.Boolean(
        required=True, metadata={"description": "not listed, and not shown to strangers"}
    )
    seeded = fields.Boolean(
        required=True, metadata={"description": "the deals come from a known seed"}
    )
    pace_ms = fields.Integer(required=True)
    target_score = fields.Integer(required=True)
    players = fields.List(fields.Nested(TablePlayer), required=True)
    scores = _numbers("match scores before this hand")
    totals = _numbers("match scores after all finished hands")


class TrickOnTable(Schema):
    """The cards of a trick, in order."""

    lead_player = _seat("null while no card can be played")
    cards = fields.List(fields.Nested(CardAndPlayer), required=True)


class TrickDone(TrickOnTable):
    """A finished trick."""

    winner = fields.Integer(required=True)
    points = fields.Integer(required=True)


class TableHand(Schema):
    """The current hand, as the seat of the token sees it."""

    number = fields.Integer(required=True)
    pass_direction = fields.String(required=True)
    commitment = fields.String(required=True, metadata={"description": "SHA-256 of deal and nonce"})
    turn = _seat("the seat to play; null: none")
    waiting_for = fields.List(fields.Integer(), required=True)
    counts = _numbers("number of cards in each hand")
    cards = _cards("the cards of the own seat")
    legal = _cards("own cards that may be played now")
    illegal = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata={"description": "own cards that may not be played, with the reason"},
    )
    passed = _cards("cards that the own seat passed", allow_none=True)
    received = _cards("cards that the own seat received", allow_none=True)
    trick = fields.Nested(TrickOnTable, required=True)
    tricks = fields.List(fields.Nested(TrickDone), required=True)
    points = _numbers("points of each seat in this hand so far")
    hearts_broken = fields.Boolean(required=True)
    tricks_left = fields.Integer(required=True)
    claimable = fields.Boolean(required=True, metadata={"description": "no points are left"})
    claimed_by = _seat("the seat that ended the hand early")
    hands = fields.List(
        fields.List(fields.String()),
        required=True,
        allow_none=True,
        metadata={"description": "all four hands, at an open table or after the hand"},
    )
    thoughts = fields.List(
        fields.Dict(keys=fields.String()),
        required=True,
        allow_none=True,
        metadata={"description": "the latest decisions at an open table"},
    )


class Opening(Schema):
    """The values that verify a commitment."""

    table_id = fields.String(required=True)
    hand = fields.Integer(required=True)
    dealt = fields.List(fields.List(fields.String()), required=True)
    nonce = fields.String(required=True, metadata={"description": "64 hex digits"})


class FinishedHand(Schema):
    """A finished hand."""

    number = fields.Integer(required=True)
    pass_direction = fields.String(required=True)
    points = _numbers("points of each seat, with the moon")
    shooter = _seat("the seat that shot the moon")
    claimed_by = _seat("the seat that ended it early")
    commitment = fields.String(required=True)
    opening = fields.Nested(Opening, required=True)
    record = fields.Dict(keys=fields.String(), required=True)


class MatchResult(Schema):
    """The result of a match."""

    ranking = _numbers("the rank of each seat")
    winners = fields.List(fields.Integer(), required=True)


class TableView(TableFacts):
    """A table, as the seat of the token sees it."""

    seat = _seat("the seat of the view; null: the public view")
    rules = fields.Dict(keys=fields.String(), required=True)
    rules_mask = fields.Integer(required=True)
    hands = fields.List(fields.Nested(FinishedHand), required=True)
    hands_before = fields.Integer(
        required=True,
        metadata={"description": "finished hands before those in `hands`; 0 without `since`"},
    )
    hand = fields.Nested(TableHand, required=True)
    game_state = fields.Nested(
        GameStateSchema,
        required=True,
        allow_none=True,
        metadata={
            "description": "can be posted to /api/move, /api/pass, /api/legal and /api/beliefs"
        },
    )
    result = fields.Nested(MatchResult, required=True, allow_none=True)


class TableReply(TableView, Success):
    """A table."""


class NewTableReply(Success):
    """A new table, with its secrets, which are shown only here."""

    table_id = fields.String(required=True)
    tokens = fields.List(
        fields.String(allow_none=True),
        required=True,
        metadata={"description": "one per seat: that of the creator; null: not the creator's"},
    )
    invitations = fields.List(
        fields.String(allow_none=True),
        required=True,
        metadata={"description": "one per seat of another person; null: none"},
    )
    watch_token = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "shows a private table whose creator has no seat: X-Share-Token"},
    )
    table = fields.Nested(TableView, required=True)


class JoinReply(Success):
    """A seat that was taken, with its token, which is shown only here."""

    table_id = fields.String(required=True)
    seat = fields.Integer(required=True)
    token = fields.String(required=True, metadata={"description": "proves the seat"})
    table = fields.Nested(TableView, required=True)


class TablesReply(Success):
    """A list of tables."""

    tables = fields.List(fields.Nested(TableFacts), required=True)
