"""The periodic job that deletes what is no longer kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from sqlalchemy import Connection, Engine

from server.runtime.settings import Settings
from server.storage.cluster.leases import pause_unwatched
from server.storage.games import writing
from server.storage.jobs.queue import add_job, period, prune_jobs
from server.storage.jobs.values import FIRST, NewJob
from server.storage.retention import prune as retention
from server.storage.retention.prune import Retention

log = structlog.stdlib.get_logger("hearts.maintenance")

MAINTENANCE = "maintenance"
PERIOD = 3600  # seconds
UNWATCHED = 3600.0  # seconds: long after a table without people pauses


def schedule(engine: Engine) -> None:
    """Queue the maintenance of this hour, unless another worker has done so.

    Finished rows stay for more than an hour, so the key of an hour is used once.
    """
    with writing(engine) as connection:
        prune_jobs(connection)
        key = f"{MAINTENANCE} {period(connection, PERIOD)}"
        add_job(connection, NewJob(MAINTENANCE, key, {}, FIRST))


def prune(engine: Engine, _body: Mapping[str, Any]) -> None:
    """Let lost tables pause, and delete what the retention settings allow; computes nothing."""
    with writing(engine) as connection:
        pause_unwatched(connection, UNWATCHED)
    counts = retention.prune(engine, Retention.of(Settings.from_environment()))
    if any(counts.values()):
        log.info("old rows are deleted", **counts)


def store(_connection: Connection, _body: Mapping[str, Any], _output: Any) -> None:
    """There is nothing to store."""
