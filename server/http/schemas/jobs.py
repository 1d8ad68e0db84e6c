"""Schemas of jobs: long work that is queued."""

from __future__ import annotations

from marshmallow import Schema, fields

from server.http.schemas.replies import Success
from server.storage.jobs.values import DONE, FAILED, RUNNING, WAITING


class Job(Schema):
    """Queued work."""

    id = fields.String(required=True)
    kind = fields.String(required=True)
    status = fields.String(required=True, metadata={"enum": [WAITING, RUNNING, DONE, FAILED]})
    progress = fields.Dict(
        keys=fields.String(),
        allow_none=True,
        required=True,
        metadata={"description": "of a review: hand, done and decisions; null: not begun"},
    )
    attempts = fields.Integer(required=True, metadata={"description": "begun so far, at most 3"})
    error = fields.String(
        allow_none=True,
        required=True,
        metadata={"description": "why the last attempt failed; null: none did"},
    )
    created_at = fields.String(required=True)
    finished_at = fields.String(allow_none=True, required=True)


class JobReply(Success):
    """A job."""

    job = fields.Nested(Job, required=True)


class PendingReply(Schema):
    """The work is queued: repeat the request after Retry-After seconds."""

    status = fields.Constant("pending", required=True)
    jobs = fields.List(fields.Nested(Job), required=True)
