"""Logs: one JSON object per line on standard error, with the id of the request it belongs to."""

from __future__ import annotations

import logging
import re
import sys
import time
import uuid

import structlog
from flask import Flask, Response, g, request
from gunicorn.glogging import Logger

from server.parts import parts

# What a client may choose as id; anything else is replaced, so that nothing odd reaches the log.
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

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
    logging.getLogger("alembic").setLevel(max(logging.WARNING, logging.getLogger().level))
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
    seconds = time.perf_counter() - g.started
    # The route and not the path, which strangers choose and which would make metrics without end.
    endpoint = request.url_rule.rule if request.url_rule else "unknown"
    parts().metrics.count_request(request.method, endpoint, response.status_code, seconds)
    log.info(
        "request",
        method=request.method,
        path=request.path,
        status=response.status_code,
        milliseconds=round(seconds * 1000, 2),
    )
    return response
