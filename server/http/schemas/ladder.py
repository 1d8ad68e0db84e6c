"""The ladder of levels: what is answered."""

from __future__ import annotations

from marshmallow import Schema, fields

from server.http.schemas.replies import Success


class LadderPlayer(Schema):
    """A player's place on the scale."""

    player = fields.String(required=True, metadata={"description": "a level, or a rule-based one"})
    rating = fields.Float(
        required=True, metadata={"description": "400 more are odds of ten to one; the mean is 0"}
    )
    rating_low = fields.Float(required=True, metadata={"description": "95% interval over deals"})
    rating_high = fields.Float(required=True)
    won = fields.Float(required=True, metadata={"description": "share of all its tables"})


class LadderRung(Schema):
    """How a player did against its neighbour, two against two."""

    player = fields.String(required=True)
    against = fields.String(required=True)
    deals = fields.Integer(required=True, metadata={"description": "each in every seating"})
    difference = fields.Float(
        required=True, metadata={"description": "points per hand, less those of the other"}
    )
    difference_low = fields.Float(required=True)
    difference_high = fields.Float(required=True)
    won = fields.Float(required=True, metadata={"description": "share of first places"})
    ms_per_move = fields.Float(required=True, metadata={"description": "of one core's time"})


class LadderReply(Success):
    """The ladder, best first."""

    measured = fields.String(
        required=True, allow_none=True, metadata={"description": "a day; null: never"}
    )
    players = fields.List(fields.Nested(LadderPlayer), required=True)
    rungs = fields.List(fields.Nested(LadderRung), required=True)
    stale = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "levels that have changed since they were measured"},
    )
