"""Reviews: what is asked and what is answered."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from hearts.game.cards import SEATS
from server.http.schemas.fields import AnyOf, ObjectOf, RequestSchema
from server.http.schemas.replies import JudgedDecision, Success
from server.http.schemas.requests import AiConfig, about

MOST = 2**31 - 1
SVG = {"type": "string", "description": "a figure"}  # for the OpenAPI document


def whole(low: int, high: int, description: str) -> fields.Integer:
    """A whole number in a query."""
    limits = validate.Range(low, high, error=f"must be {low} to {high}")
    return fields.Integer(validate=limits, metadata={"description": description})


def flag(description: str) -> fields.String:
    """0 or 1 in a query."""
    choice = validate.OneOf(("0", "1"), error="must be 0 or 1")
    return fields.String(validate=choice, metadata={"description": description})


class PlotQuery(Schema):
    """How the answer is sent."""

    plot = flag("1: the chances of one hand as SVG")


class ReviewQuery(PlotQuery):
    """Which decisions, and how they are searched."""

    stream = flag("1: server-sent events, progress while it thinks")
    hand = whole(0, MOST, "the number of a hand; absent: all that are over")
    seat = whole(0, SEATS - 1, "only the decisions of this seat")
    simulations = whole(1, MOST, "playouts of each decision; absent: 20000")
    worlds = whole(1, MOST, "worlds of each decision; absent: 60")
    level = fields.String(metadata={"description": "search as this level does"})
    seed = whole(0, MOST, "absent: 0")


class ReviewRequest(RequestSchema):
    """The record of a hand, and how it is searched."""

    record = AnyOf(
        dict,
        says="an object",
        required=True,
        metadata={"description": "a hand as `hearts replay` reads it", "type": "object"},
    )
    ai_config = ObjectOf(AiConfig, **about("as for a move; absent: 60 worlds, 20000 simulations"))


class ReviewedDecision(JudgedDecision):
    """One decision after the fact."""

    explanation = fields.String(required=True, metadata={"description": "what it cost, in words"})


class Mistake(Schema):
    """One of the worst decisions of a seat."""

    number = fields.Integer(required=True, metadata={"description": "of the decision"})
    cost = fields.Float(required=True)
    explanation = fields.String(required=True)


def _by_trick(description: str) -> fields.List[Any]:
    row = fields.List(fields.Float(), metadata={"minItems": SEATS, "maxItems": SEATS})
    return fields.List(row, required=True, metadata={"description": description})


class ChancesByTrick(Schema):
    """Chances from the true deal, before each trick and at the end: rows of four seats."""

    queen = _by_trick("to take Q♠")
    moon = _by_trick("to shoot the moon")


class ReviewedHand(Schema):
    """One hand after the fact."""

    number = fields.Integer(required=True)
    complete = fields.Boolean(
        required=True, metadata={"description": "false: the deadline came first"}
    )
    decisions = fields.List(fields.Nested(ReviewedDecision), required=True)
    mistakes = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.Nested(Mistake)),
        required=True,
        metadata={"description": "by seat, the three worst, the most expensive first"},
    )
    cost_by_player = fields.List(
        fields.Float(), required=True, metadata={"description": "4 numbers: the sum of each seat"}
    )
    chances = fields.Nested(ChancesByTrick, required=True)


class ReviewReply(Success):
    """Hands after the fact."""

    hands = fields.List(fields.Nested(ReviewedHand), required=True)
    complete = fields.Boolean(
        required=True, metadata={"description": "false: the deadline came first, ask again"}
    )
    players = fields.List(fields.String(), required=True, metadata={"description": "4 names"})
    config = fields.Dict(keys=fields.String(), required=True)
    computation_time_ms = fields.Float(required=True)
