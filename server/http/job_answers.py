"""Jobs as answers."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response

from server.http.replies import json_response
from server.storage.jobs.values import JobRow

RETRY_SECONDS = 1  # after which a client may repeat a request whose work is queued


def pending(jobs: Sequence[JobRow]) -> Response:
    """A 202 with the unfinished jobs of a request; Location names the first of them."""
    headers = {"Retry-After": str(RETRY_SECONDS)}
    if jobs:
        headers["Location"] = f"/api/jobs/{jobs[0].id}"
    return json_response({"status": "pending", "jobs": list(map(described, jobs))}, 202, headers)


def described(job: JobRow) -> dict[str, object]:
    """A job as JSON, without its input and its result."""
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "progress": job.progress,
        "attempts": job.attempts,
        "error": job.error,
        "created_at": job.created_at.isoformat(),
        "finished_at": None if job.finished_at is None else job.finished_at.isoformat(),
    }
