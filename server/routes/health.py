"""Is the service alive, and does it want requests?"""

from __future__ import annotations

from flask import Response, jsonify
from flask_smorest import Blueprint

from server import database, version
from server.parts import parts
from server.schemas import HealthReply, NotReadyReply, ReadyReply

blueprint = Blueprint("health", __name__, description="Is the service alive, is it ready?")


@blueprint.get("/api/health")
@blueprint.get("/healthz")
@blueprint.response(200, HealthReply)
def health() -> dict[str, str]:
    """Say that the service is alive, and its version."""
    return {"version": version()}


@blueprint.get("/readyz")
@blueprint.alt_response(503, schema=NotReadyReply)
@blueprint.response(200, ReadyReply)
def ready() -> Response | dict[str, str]:
    """Say whether the database is usable and the kernels are compiled."""
    reasons = not_ready()
    return refusal(reasons) if reasons else {}


def not_ready() -> list[str]:
    """The reasons not to send requests here; empty when there is none."""
    here = parts()
    found = (here.warm_up.problem, database.status(here.engine).problem)
    return [reason for reason in found if reason is not None]


def refusal(reasons: list[str]) -> Response:
    """The 503 that gives `reasons`."""
    body = {"error_code": "NOT_READY", "message": "; ".join(reasons), "reasons": reasons}
    # A finished response: a mere dictionary would go through the schema of the 200.
    response = jsonify(NotReadyReply().dump(body))
    response.status_code = 503
    return response
