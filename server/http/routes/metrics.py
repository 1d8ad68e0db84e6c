"""Metrics for Prometheus."""

from __future__ import annotations

from flask import Response

from server.http.bodies import HeartsBlueprint
from server.http.services import current_services
from server.runtime.metrics import CONTENT_TYPE

blueprint = HeartsBlueprint("metrics", __name__, description="Metrics for Prometheus.")


@blueprint.get("/metrics")
@blueprint.response(200, {"type": "string"}, content_type="text/plain")
def metrics() -> Response:
    """Show counts and latencies of requests and searches, and the state of the queue."""
    return Response(current_services().metrics.text(), content_type=CONTENT_TYPE)
