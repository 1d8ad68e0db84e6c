"""Schemas of the ladder of levels."""

from __future__ import annotations

from marshmallow import Schema, fields

from server.http.schemas.replies import Success


class LadderPlayer(Schema):
    """The rating of a player."""

    player = fields.String(
        required=True, metadata={"description": "a level or a rule-based player"}
    )
    rating = fields.Float(
        required=True,
        metadata={"description": "Elo scale, with mean 0: 400 points are odds of ten to one"},
    )
    rating_low = fields.Float(
        required=True, metadata={"description": "lower bound of the 95% interval over deals"}
    )
    rating_high = fields.Float(required=True)
    won = fields.Float(
        required=True, metadata={"description": "share of first places at its tables"}
    )


class LadderRung(Schema):
    """A player against its neighbour, two seats against two."""

    player = fields.String(required=True)
    against = fields.String(required=True)
    deals = fields.Integer(
        required=True, metadata={"description": "number of deals, each played in every seating"}
    )
    difference = fields.Float(
        required=True, metadata={"description": "points per hand minus those of the other"}
    )
    difference_low = fields.Float(required=True)
    difference_high = fields.Float(required=True)
    won = fields.Float(required=True, metadata={"description": "share of first places"})
    ms_per_move = fields.Float(required=True, metadata={"description": "CPU time of one core"})


class LadderReply(Success):
    """The ladder, best first."""

    measured = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "the day of the measurement; null: never"},
    )
    players = fields.List(fields.Nested(LadderPlayer), required=True)
    rungs = fields.List(fields.Nested(LadderRung), required=True)
    stale = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "levels that have changed since they were measured"},
    )
