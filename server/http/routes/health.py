"""Is the service alive, and does it want requests?"""

from __future__ import annotations

from flask import Response

from server import version
from server.http.bodies import HeartsBlueprint
from server.http.replies import json_response
from server.http.schemas.replies import HealthReply, NotReadyReply, ReadyReply
from server.http.services import current_services
from server.runtime.errors import NotReady

blueprint = HeartsBlueprint("health", __name__, description="Is the service alive, is it ready?")


@blueprint.get("/api/health")
@blueprint.get("/healthz")
@blueprint.response(200, HealthReply)
def health() -> Response:
    """Say that the service is alive, and its version."""
    return json_response({"status": "ok", "version": version()})


@blueprint.get("/readyz")
@blueprint.alt_response(503, schema=NotReadyReply)
@blueprint.response(200, ReadyReply)
def ready() -> Response:
    """Say whether the kernels are compiled and the database is usable.

    Without a database moves are still answered: that is degraded, and no reason to stop asking.
    """
    here = current_services()
    found = here.probe.status()
    refusing = [here.warm_up.problem, found.problem if found.answers else None]
    reasons = [reason for reason in refusing if reason is not None]
    if reasons:
        raise NotReady("; ".join(reasons), reasons=reasons)
    weak = [None if found.answers else found.problem, here.decisions.problem]
    reasons = list(dict.fromkeys(reason for reason in weak if reason is not None))
    if reasons:
        return json_response({"status": "degraded", "reasons": reasons})
    return json_response({"status": "ready"})
