"""Liveness and readiness."""

from __future__ import annotations

from flask import Response

from server import version
from server.http.access.marks import stateless
from server.http.bodies import HeartsBlueprint
from server.http.replies import json_response
from server.http.schemas.replies import HealthReply, NotReadyReply, ReadyReply
from server.http.services import current_services
from server.runtime.errors import NotReady

blueprint = HeartsBlueprint("health", __name__, description="Liveness and readiness.")


@blueprint.get("/api/health")
@blueprint.get("/healthz")
@stateless
@blueprint.response(200, HealthReply)
def health() -> Response:
    """Show that the service is alive, and its version."""
    return json_response({"status": "ok", "version": version()})


@blueprint.get("/readyz")
@stateless
@blueprint.alt_response(503, schema=NotReadyReply)
@blueprint.response(200, ReadyReply)
def ready() -> Response:
    """Show whether the kernels are compiled and the database is usable.

    Moves do not need the database: without it the service is degraded, but ready.
    """
    here = current_services()
    database = here.probe.status()
    blocking = [here.warm_up.problem, database.problem if database.answers else None]
    if reasons := _distinct(blocking):
        raise NotReady("; ".join(reasons), reasons=reasons)
    degrading = [None if database.answers else database.problem, here.decisions.problem]
    if reasons := _distinct(degrading):
        return json_response({"status": "degraded", "reasons": reasons})
    return json_response({"status": "ready"})


def _distinct(reasons: list[str | None]) -> list[str]:
    """The reasons that there are, each once."""
    return list(dict.fromkeys(reason for reason in reasons if reason is not None))
