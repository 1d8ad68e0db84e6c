"""Schemas of reviews: requests and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, fields

from hearts.game.cards import SEATS
from server.http.schemas.base import DataclassSchema
from server.http.schemas.fields import AnyOf, Limited, ObjectOf, Switch, about
from server.http.schemas.replies import JudgedDecision, Success
from server.http.schemas.search import AiConfigSchema, SearchRequestSchema
from server.runtime.requests import RequestData
from server.search.options import NO_OPTIONS, AiOptions

MOST = 2**31 - 1
SVG = {"type": "string", "description": "an image"}  # for the OpenAPI document


@dataclass(frozen=True, kw_only=True)
class PlotQuery(RequestData):
    """How the answer is sent."""

    plot: bool = False


class PlotQuerySchema(DataclassSchema):
    """How the answer is sent."""

    into = PlotQuery
    plot = Switch("1: the forecasts of one hand as SVG")


@dataclass(frozen=True, kw_only=True)
class ReviewQuery(PlotQuery):
    """Which decisions to review, and how to search."""

    stream: bool = False
    hand: int | None = None  # None: all finished hands
    seat: int | None = None  # None: all seats
    simulations: int | None = None
    worlds: int | None = None
    level: str | None = None
    seed: int | None = None

    @property
    def options(self) -> AiOptions:
        """The search options."""
        named = {"simulations": self.simulations, "worlds": self.worlds, "seed": self.seed}
        knobs = {name: value for name, value in named.items() if value is not None}
        return AiOptions(knobs=knobs, level=self.level)


class ReviewQuerySchema(PlotQuerySchema):
    """Which decisions to review, and how to search."""

    into = ReviewQuery
    stream = Switch("1: server-sent events, with progress during the search")
    hand = Limited(0, MOST, "the number of a hand; absent: all finished hands")
    seat = Limited(0, SEATS - 1, "only the decisions of this seat")
    simulations = Limited(1, MOST, "playouts per decision; absent: as `expert`")
    worlds = Limited(1, MOST, "worlds per decision; absent: as `expert`")
    level = fields.String(metadata={"description": "search with the config of this level"})
    seed = Limited(0, MOST, "absent: 0")


@dataclass(frozen=True, kw_only=True)
class ReviewRequest(RequestData):
    """The record of a hand, and how to search."""

    record: Mapping[str, Any]
    ai_config: AiOptions = NO_OPTIONS


class ReviewRequestSchema(SearchRequestSchema):
    """The record of a hand, and how to search."""

    into = ReviewRequest
    record = AnyOf(
        dict,
        says="an object",
        required=True,
        metadata={"description": "a hand as `hearts replay` reads it", "type": "object"},
    )
    ai_config = ObjectOf(AiConfigSchema, **about("as for a move; absent: the level expert"))


class ReviewedDecision(JudgedDecision):
    """A reviewed decision."""

    explanation = fields.String(required=True, metadata={"description": "the cost in words"})


class Mistake(Schema):
    """One of the costliest decisions of a seat."""

    number = fields.Integer(required=True, metadata={"description": "number of the decision"})
    cost = fields.Float(required=True)
    explanation = fields.String(required=True)


def _by_trick(description: str) -> fields.List[Any]:
    row = fields.List(fields.Float(), metadata={"minItems": SEATS, "maxItems": SEATS})
    return fields.List(row, required=True, metadata={"description": description})


class ChancesByTrick(Schema):
    """Probabilities from the true deal, before each trick and at the end, for each seat."""

    queen = _by_trick("probability to take Q♠")
    moon = _by_trick("probability to shoot the moon")


class ReviewedHand(Schema):
    """A reviewed hand."""

    number = fields.Integer(required=True)
    complete = fields.Boolean(
        required=True, metadata={"description": "always true: every decision is reviewed"}
    )
    decisions = fields.List(fields.Nested(ReviewedDecision), required=True)
    mistakes = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.Nested(Mistake)),
        required=True,
        metadata={"description": "by seat, the three costliest decisions, costliest first"},
    )
    cost_by_player = fields.List(
        fields.Float(),
        required=True,
        metadata={"description": "4 numbers: the total cost of each seat"},
    )
    chances = fields.Nested(ChancesByTrick, required=True)


class ReviewReply(Success):
    """The reviewed hands."""

    hands = fields.List(fields.Nested(ReviewedHand), required=True)
    complete = fields.Boolean(
        required=True, metadata={"description": "always true; a stream may end with false"}
    )
    players = fields.List(fields.String(), required=True, metadata={"description": "4 names"})
    config = fields.Dict(keys=fields.String(), required=True)
    computation_time_ms = fields.Float(required=True)
