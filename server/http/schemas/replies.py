"""Schemas of answers. They document and test the answers, but do not write them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from marshmallow import INCLUDE, Schema, fields

from hearts.game.cards import SEATS


class ErrorReply(Schema):
    """An error. Some errors have further fields."""

    class Meta:
        unknown = INCLUDE

    status = fields.Constant("error", required=True)
    error_code = fields.String(required=True, metadata={"description": "for programs"})
    message = fields.String(required=True, metadata={"description": "for people"})


class NotReadyReply(ErrorReply):
    """Why the service is not ready."""

    reasons = fields.List(fields.String(), required=True)


class HealthReply(Schema):
    """The service is alive."""

    status = fields.Constant("ok", required=True)
    version = fields.String(required=True)


class ReadyReply(Schema):
    """The service is ready; degraded: it answers moves, but the database is down."""

    status = fields.String(required=True, metadata={"enum": ["ready", "degraded"]})
    reasons = fields.List(fields.String(), metadata={"description": "why it is degraded"})


class Success(Schema):
    """The fields of every answer."""

    status = fields.Constant("success", required=True)
    warnings = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "about unknown fields and corrected values"},
    )


class CardAndPlayer(Schema):
    """A card and its player."""

    card = fields.String(required=True)
    player = fields.Integer(required=True)


def _statistic(description: str, **more: Any) -> fields.Float:
    """A statistic of the simulations; null without any."""
    about = {"description": f"{description}; null: not simulated"}
    return fields.Float(required=True, allow_none=True, metadata=about, **more)


class CardFigures(Schema):
    """The statistics of one legal card; equivalent cards share them."""

    card = fields.String(required=True)
    votes = fields.Float(
        required=True, metadata={"description": "number of worlds in which it is the best card"}
    )
    visits = fields.Integer(
        required=True, metadata={"description": "simulations that start with it"}
    )
    points = _statistic("mean points of this hand")
    points_error = _statistic("standard error of the mean")
    queen = _statistic("probability to take Q♠")
    moon = _statistic("probability to shoot the moon")
    moon_against = _statistic("probability that another seat shoots the moon")
    match_value = _statistic("expected match result: 1: first, 0: last")
    auxiliary_value = _statistic(
        "rollouts: advantage over the mean card in the auxiliary tree, in rewards",
        data_key="advice",
    )
    score = _statistic("the card with the highest score is played")


class HintChoice(Schema):
    """A card, or three to pass, with its expected points."""

    cards = fields.List(fields.String(), required=True)
    points = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "expected points of this hand; null: never tried, or no search"},
    )
    points_error = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "standard error of the points; null: never tried, or no search"},
    )


class Hint(HintChoice):
    """What a player is advised: the choice with the fewest expected points."""

    text = fields.String(required=True, metadata={"description": "the advice in sentences"})
    choices = fields.List(
        fields.Nested(HintChoice),
        required=True,
        metadata={"description": "all choices, the fewest points first; empty without a search"},
    )


def _hint() -> fields.Nested:
    return fields.Nested(Hint, metadata={"description": "with the option `hint`"})


class Searched(Success):
    """The fields of every answer of a search."""

    computation_time_ms = fields.Float(required=True)
    simulations = fields.Integer(
        required=True, metadata={"description": "playouts that were simulated"}
    )
    seed = fields.Integer(required=True)
    model = fields.String(required=True, metadata={"description": "the opponent model"})
    config = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={"description": "the complete config; threads only if the request named them"},
    )
    view_hash = fields.String(
        required=True, metadata={"description": "fingerprint of the view, 16 hex digits"}
    )


class MoveReply(Searched):
    """The card to play."""

    move = fields.Nested(CardAndPlayer, required=True)
    legal_cards = fields.List(fields.String(), required=True)
    worlds = fields.Integer(required=True, metadata={"description": "number of sampled worlds"})
    exact = fields.Boolean(required=True, metadata={"description": "the ending was solved exactly"})
    analysis = fields.List(
        fields.Nested(CardFigures),
        metadata={"description": "every legal card, best first; empty for a forced card"},
    )
    explanation = fields.String()
    hint = _hint()


def _optional(schema: type[Schema]) -> dict[str, fields.Field[Any]]:
    """The fields of a schema, none of them required."""
    found = deepcopy(schema().fields)
    for field in found.values():
        field.required = False
    return found


class _Result(Schema):
    """The result of one state: the answer or the error that /api/move would give."""

    index = fields.Integer(required=True, metadata={"description": "the place of the state"})
    http_status = fields.Integer(required=True, metadata={"description": "200: answered"})
    status = fields.String(required=True, metadata={"enum": ["success", "error"]})
    error_code = fields.String(metadata={"description": "of a rejected state"})
    message = fields.String(metadata={"description": "why the state was rejected"})


MoveResult = _Result.from_dict(
    {name: field for name, field in _optional(MoveReply).items() if name != "status"},
    name="MoveResult",
)


class BatchReply(Success):
    """The results of all states, in their order."""

    results = fields.List(fields.Nested(MoveResult), required=True)
    answered = fields.Integer(required=True, metadata={"description": "number of states"})
    rejected = fields.Integer(required=True, metadata={"description": "number of states"})


class PassCandidate(Schema):
    """The statistics of three cards to pass."""

    cards = fields.List(fields.String(), required=True)
    playouts = fields.Integer(required=True)
    points = fields.Float(required=True)
    points_error = fields.Float(required=True)
    moon = fields.Float(required=True)
    score = fields.Float(required=True)


# `pass` cannot be the name of an attribute.
PassReply = Searched.from_dict(
    {
        "pass": fields.List(fields.String(), required=True, metadata={"description": "3 cards"}),
        "candidates": fields.List(
            fields.Nested(PassCandidate),
            required=True,
            metadata={"description": "best first; empty when passed by rule"},
        ),
        "hint": _hint(),
    },
    name="PassReply",
)


class LegalReply(Success):
    """The legal cards."""

    legal_cards = fields.List(fields.String(), required=True)
    turn = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "the seat to play; null: the hand is over"},
    )
    hearts_broken = fields.Boolean(required=True)
    view_hash = fields.String(required=True)


class SampledWorld(Schema):
    """A sampled deal and its weight."""

    hands = fields.List(fields.List(fields.String()), required=True)
    weight = fields.Float(required=True)


class BeliefsReply(Success):
    """The probabilities of hidden cards."""

    model = fields.String(required=True)
    seed = fields.Integer(required=True)
    probabilities = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.Float(), metadata={"minItems": SEATS, "maxItems": SEATS}),
        required=True,
        metadata={
            "description": "52 cards × 4 seats: the probability that the seat holds the card"
        },
    )
    types = fields.List(
        fields.Dict(keys=fields.String(), values=fields.Float()),
        required=True,
        metadata={
            "description": "OM-3: for each seat, the probability of each kind of player, most"
            " probable first; empty for the own seat, and for models without player types"
        },
    )
    voids = fields.List(
        fields.List(fields.String()),
        required=True,
        metadata={"description": "for each seat, the suits that it is known not to hold"},
    )
    known = fields.List(
        fields.List(fields.String()),
        required=True,
        metadata={"description": "for each seat, the cards that it is known to hold"},
    )
    worlds = fields.List(fields.Nested(SampledWorld), required=True)
    view_hash = fields.String(required=True)


class JudgedDecision(Schema):
    """The decision that was made, the best one, and the cost of the difference."""

    number = fields.Integer(required=True, metadata={"description": "from 0, in order"})
    kind = fields.String(required=True, metadata={"enum": ["play", "pass"]})
    player = fields.Integer(required=True)
    played = fields.Raw(
        required=True, metadata={"description": "a card, three for a pass; null: unknown"}
    )
    best = fields.Raw(
        required=True, metadata={"description": "the best by the search: a card, three for a pass"}
    )
    cost = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "points lost against the best; null: unknown"},
    )
    cost_error = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "standard error of the cost; null: unknown"},
    )
    forced = fields.Boolean(required=True, metadata={"description": "the card was forced"})


class AnalysedDecision(JudgedDecision):
    """One decision of an analysis."""

    simulations = fields.Integer(required=True)
    verdict = fields.String(metadata={"description": "what it cost, in words"})
    explanation = fields.String(metadata={"description": "why the best card is the best"})
    analysis = fields.List(fields.Dict())
    view_hash = fields.String(required=True)
    warnings = fields.List(fields.String())


class AnalysisReply(Success):
    """The analysed decisions."""

    decisions = fields.List(fields.Nested(AnalysedDecision), required=True)
    complete = fields.Boolean(
        required=True, metadata={"description": "false: the deadline ended it early"}
    )
    cost_by_player = fields.List(
        fields.Float(),
        required=True,
        metadata={"description": "4 numbers: the total cost of each seat"},
    )
    simulations = fields.Integer(required=True)
    computation_time_ms = fields.Float(required=True)
    seed = fields.Integer(required=True)
    model = fields.String(required=True)
    config = fields.Dict(keys=fields.String(), required=True)


class ModelsReply(Schema):
    """The choices for a search."""

    status = fields.Constant("success", required=True)
    models = fields.List(fields.Dict(keys=fields.String()), required=True)
    algorithms = fields.List(fields.String(), required=True)
    playouts = fields.List(fields.String(), required=True)
    rewards = fields.List(fields.String(), required=True)
    aggregations = fields.List(fields.String(), required=True)
    opponents = fields.List(fields.String(), required=True)
    best_children = fields.List(fields.String(), required=True)
    passings = fields.List(fields.String(), required=True)
    levels = fields.Dict(keys=fields.String(), required=True)
    player_types = fields.Dict(keys=fields.String(), required=True)
    defaults = fields.Dict(keys=fields.String(), required=True)
    ceilings = fields.Dict(keys=fields.String(), required=True)
