"""Log set-up: one JSON object per line on standard error."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

import structlog

# Libraries that log every step at level info.
_VERBOSE = ("alembic", "numba")

_SHARED: tuple[structlog.typing.Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)


_handlers: list[logging.StreamHandler[TextIO]] = []  # the one that `configure` has made


def write_info(logger: str, event: str, **fields: object) -> None:
    """Log an event as structlog would, for the line that every request writes.

    structlog's processors and the standard library's records take 0.11 ms for it, this 0.02 ms.
    """
    if not _handlers:
        structlog.stdlib.get_logger(logger).info(event, **fields)
    elif logging.getLogger(logger).isEnabledFor(logging.INFO):
        context = structlog.contextvars.get_contextvars()
        where = {"level": "info", "logger": logger, "timestamp": _now()}
        _write_line(_handlers[0], json.dumps({**fields, "event": event, **context, **where}))


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def _write_line(handler: logging.StreamHandler[TextIO], line: str) -> None:
    """Write a line between those of other threads."""
    handler.acquire()
    try:
        handler.stream.write(line + "\n")
        handler.flush()
    except (OSError, ValueError):  # nobody reads standard error any more
        pass
    finally:
        handler.release()


def configure(level: str) -> None:
    """Send structlog and the standard library's logging through one JSON renderer."""
    handler = logging.StreamHandler(sys.stderr)
    _handlers[:] = [handler]
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
    for library in _VERBOSE:
        logging.getLogger(library).setLevel(max(logging.WARNING, logging.getLogger().level))
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
