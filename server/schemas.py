"""The shapes of requests and answers, one schema each."""

from marshmallow import INCLUDE, Schema, fields


class ErrorReply(Schema):
    """The one shape of every error."""

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
    """The service wants requests."""

    status = fields.Constant("ready", required=True)


class MoveRequest(Schema):
    """What one player knows, and how to search; API_SPEC.md names the fields of both."""

    class Meta:
        unknown = INCLUDE

    game_state = fields.Dict(keys=fields.String(), required=True)
    ai_config = fields.Dict(keys=fields.String())


class CardPlayed(Schema):
    """A card and who plays it."""

    card = fields.String(required=True)
    player = fields.Integer(required=True)


class MoveReply(Schema):
    """The card to play."""

    status = fields.Constant("success", required=True)
    move = fields.Nested(CardPlayed, required=True)
    computation_time_ms = fields.Float(required=True)
    simulations = fields.Integer(required=True)
    explanation = fields.String(required=True)
