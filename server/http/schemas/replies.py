"""What clients receive. Only for the OpenAPI document and the tests: see server.http.replies."""

from __future__ import annotations

from marshmallow import INCLUDE, Schema, fields

from hearts.game.cards import SEATS


class ErrorReply(Schema):
    """The one shape of every error; some say more."""

    class Meta:
        unknown = INCLUDE

    status = fields.Constant("error", required=True)
    error_code = fields.String(required=True, metadata={"description": "what programs look at"})
    message = fields.String(required=True, metadata={"description": "what people read"})


class NotReadyReply(ErrorReply):
    """Why the service does not want requests yet."""

    reasons = fields.List(fields.String(), required=True)


class HealthReply(Schema):
    """The service is alive."""

    status = fields.Constant("ok", required=True)
    version = fields.String(required=True)


class ReadyReply(Schema):
    """The service wants requests; degraded: it moves, but the database does not answer."""

    status = fields.String(required=True, metadata={"enum": ["ready", "degraded"]})
    reasons = fields.List(fields.String(), metadata={"description": "why it is degraded"})


class Success(Schema):
    """What every answer has."""

    status = fields.Constant("success", required=True)
    warnings = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "what was unknown, corrected or not believed"},
    )


class CardAndPlayer(Schema):
    """A card and who plays it."""

    card = fields.String(required=True)
    player = fields.Integer(required=True)


def _figure(description: str) -> fields.Float:
    """A number that simulations give; null where there was none."""
    about = {"description": f"{description}; null: never tried"}
    return fields.Float(required=True, allow_none=True, metadata=about)


class CardFigures(Schema):
    """What a search found out about one legal card; cards that are equal in play share it."""

    card = fields.String(required=True)
    votes = fields.Float(required=True, metadata={"description": "worlds whose best card it is"})
    visits = fields.Integer(required=True, metadata={"description": "simulations begun with it"})
    points = _figure("mean points of this hand")
    points_error = _figure("its standard error")
    queen = _figure("chance to take Q♠")
    moon = _figure("chance to shoot the moon")
    moon_against = _figure("chance that somebody else does")
    match_value = _figure("1: certain to win the match, 0: to be last")
    advice = _figure("how much better than the mean a tree beside rollouts finds it, in rewards")
    score = _figure("the highest is played")


class Searched(Success):
    """What every answer has that a search gave."""

    computation_time_ms = fields.Float(required=True)
    simulations = fields.Integer(required=True, metadata={"description": "playouts really done"})
    seed = fields.Integer(required=True)
    model = fields.String(required=True, metadata={"description": "the opponent model"})
    config = fields.Dict(
        keys=fields.String(), required=True, metadata={"description": "the whole config"}
    )
    view_hash = fields.String(
        required=True, metadata={"description": "names what the seat knows: 16 hex digits"}
    )


class MoveReply(Searched):
    """The card to play."""

    move = fields.Nested(CardAndPlayer, required=True)
    legal_cards = fields.List(fields.String(), required=True)
    worlds = fields.Integer(required=True, metadata={"description": "worlds sampled"})
    exact = fields.Boolean(required=True, metadata={"description": "solved, not sampled"})
    analysis = fields.List(
        fields.Nested(CardFigures),
        metadata={"description": "every legal card, best first; empty where there was no choice"},
    )
    explanation = fields.String()


class PassCandidate(Schema):
    """What the race found out about one triple."""

    cards = fields.List(fields.String(), required=True)
    playouts = fields.Integer(required=True)
    points = fields.Float(required=True)
    points_error = fields.Float(required=True)
    moon = fields.Float(required=True)
    score = fields.Float(required=True)


# `pass` is no name that Python lets a class have.
PassReply = Searched.from_dict(
    {
        "pass": fields.List(fields.String(), required=True, metadata={"description": "3 cards"}),
        "candidates": fields.List(
            fields.Nested(PassCandidate),
            required=True,
            metadata={"description": "best first; empty when passed by rule"},
        ),
    },
    name="PassReply",
)


class LegalReply(Success):
    """What may be played."""

    legal_cards = fields.List(fields.String(), required=True)
    turn = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "the seat to play; null: the hand is over"},
    )
    hearts_broken = fields.Boolean(required=True)
    view_hash = fields.String(required=True)


class SampledWorld(Schema):
    """A deal that fits, and its weight."""

    hands = fields.List(fields.List(fields.String()), required=True)
    weight = fields.Float(required=True)


class BeliefsReply(Success):
    """Who holds what."""

    model = fields.String(required=True)
    seed = fields.Integer(required=True)
    probabilities = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.Float(), metadata={"minItems": SEATS, "maxItems": SEATS}),
        required=True,
        metadata={"description": "52 cards × 4 seats: the chance that the seat holds the card"},
    )
    voids = fields.List(
        fields.List(fields.String()),
        required=True,
        metadata={"description": "for each seat the suits that it certainly does not have"},
    )
    known = fields.List(
        fields.List(fields.String()),
        required=True,
        metadata={"description": "for each seat the cards that it certainly holds"},
    )
    worlds = fields.List(fields.Nested(SampledWorld), required=True)
    view_hash = fields.String(required=True)


class JudgedDecision(Schema):
    """What was done, what was best, what the difference cost."""

    number = fields.Integer(required=True, metadata={"description": "from 0, in order"})
    kind = fields.String(required=True, metadata={"enum": ["play", "pass"]})
    player = fields.Integer(required=True)
    played = fields.Raw(
        required=True, metadata={"description": "a card, three for a pass; null: unknown"}
    )
    best = fields.Raw(
        required=True, metadata={"description": "what the search prefers: a card, three for a pass"}
    )
    cost = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "points that it cost against the best; null: unknown"},
    )
    cost_error = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "standard error of the cost, a difference; null: unknown"},
    )
    forced = fields.Boolean(required=True, metadata={"description": "there was no choice"})


class AnalysedDecision(JudgedDecision):
    """One decision of an analysis."""

    simulations = fields.Integer(required=True)
    verdict = fields.String(metadata={"description": "what it cost, in words"})
    explanation = fields.String(metadata={"description": "why the best card is the best"})
    analysis = fields.List(fields.Dict())
    view_hash = fields.String(required=True)
    warnings = fields.List(fields.String())


class AnalysisReply(Success):
    """Every decision that was asked for."""

    decisions = fields.List(fields.Nested(AnalysedDecision), required=True)
    complete = fields.Boolean(
        required=True, metadata={"description": "false: the deadline came first"}
    )
    cost_by_player = fields.List(
        fields.Float(), required=True, metadata={"description": "4 numbers: the sum of each seat"}
    )
    simulations = fields.Integer(required=True)
    computation_time_ms = fields.Float(required=True)
    seed = fields.Integer(required=True)
    model = fields.String(required=True)
    config = fields.Dict(keys=fields.String(), required=True)


class ModelsReply(Schema):
    """Everything that can be chosen."""

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
