"""Request logging: an id for every request, one log line and one count for every answer."""

from __future__ import annotations

import re
import time
import uuid
from functools import partial

import structlog
from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import MethodNotAllowed

from server.http.services import current_services
from server.runtime import logs
from server.runtime.metrics import Metrics

# Request ids that clients may choose. Others are replaced, so that none can forge log lines.
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# The methods that metrics tell apart.
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

LOGGER = "hearts.requests"


def log_requests(app: Flask) -> None:
    """Give every request an id; log and count each answer with its status and milliseconds."""
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    claimed = request.headers.get("X-Request-ID", "")
    g.request_id = claimed if REQUEST_ID.fullmatch(claimed) else uuid.uuid4().hex
    g.started = time.perf_counter()
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=g.request_id)


def _end(response: Response) -> Response:
    response.headers["X-Request-ID"] = g.request_id
    report = partial(
        _report, current_services().metrics, request.method, _endpoint(), request.path,
        response.status_code, g.started,
    )  # fmt: skip
    if response.is_streamed:
        response.call_on_close(report)  # a stream is answered when its last byte is sent
    else:
        report()
    return response


def _report(
    metrics: Metrics, method: str, endpoint: str, path: str, status: int, started: float
) -> None:
    seconds = time.perf_counter() - started
    metrics.count_request(method if method in METHODS else "other", endpoint, status, seconds)
    milliseconds = round(seconds * 1000, 2)
    logs.write_info(
        LOGGER, "request", method=method, path=path, status=status, milliseconds=milliseconds
    )


def _endpoint() -> str:
    """The route. Paths are chosen by clients and would make the number of metrics unbounded."""
    if request.url_rule:
        return request.url_rule.rule
    fault = request.routing_exception
    adapter = current_app.create_url_adapter(request)
    if isinstance(fault, MethodNotAllowed) and fault.valid_methods and adapter:
        rule, _ = adapter.match(method=next(iter(fault.valid_methods)), return_rule=True)
        return rule.rule
    return "unknown"
