"""The shapes of requests and answers, one schema each."""

from marshmallow import Schema, fields


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
