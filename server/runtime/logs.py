"""Logs: one JSON object per line on standard error, with the id of the request it belongs to."""

from __future__ import annotations

import logging
import re
import sys
import time
import uuid
from functools import partial

import structlog
from flask import Flask, Response, current_app, g, request
from gunicorn.glogging import Logger
from werkzeug.exceptions import MethodNotAllowed

from server.http.services import parts
from server.runtime.metrics import Metrics

# What a client may choose as id; anything else is replaced, so that nothing odd reaches the log.
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# The methods that metrics tell apart.
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
# Libraries that tell of their every step.
_TALKATIVE = ("alembic", "numba")

_SHARED: tuple[structlog.typing.Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)
log = structlog.stdlib.get_logger("hearts.requests")


def configure(level: str) -> None:
    """Send structlog and the standard library's logging through one JSON renderer."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *_SHARED],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for library in _TALKATIVE:
        logging.getLogger(library).setLevel(max(logging.WARNING, logging.getLogger().level))
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


class GunicornLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's messages go where all others go."""

    def setup(self, cfg: object) -> None:
        """Let gunicorn's loggers have no handlers of their own."""
        super().setup(cfg)
        for logger in (self.error_log, self.access_log):
            logger.handlers.clear()
            logger.propagate = True


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
        _report, parts().metrics, request.method, _endpoint(), request.path,
        response.status_code, g.started,
    )  # fmt: skip
    if response.is_streamed:
        response.call_on_close(report)  # it is answered when its last byte is
    else:
        report()
    return response


def _report(
    metrics: Metrics, method: str, endpoint: str, path: str, status: int, started: float
) -> None:
    seconds = time.perf_counter() - started
    metrics.count_request(method if method in METHODS else "other", endpoint, status, seconds)
    milliseconds = round(seconds * 1000, 2)
    log.info("request", method=method, path=path, status=status, milliseconds=milliseconds)


def _endpoint() -> str:
    """The route and not the path, which strangers choose: it would make metrics without end."""
    if request.url_rule:
        return request.url_rule.rule
    fault = request.routing_exception
    adapter = current_app.create_url_adapter(request)
    if isinstance(fault, MethodNotAllowed) and fault.valid_methods and adapter:
        rule, _ = adapter.match(method=next(iter(fault.valid_methods)), return_rule=True)
        return rule.rule
    return "unknown"
