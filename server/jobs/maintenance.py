"""The periodic job that deletes what is no longer kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine

from server.storage.games import writing
from server.storage.jobs.queue import add_job, period, prune_jobs
from server.storage.jobs.values import BACKGROUND, NewJob

MAINTENANCE = "maintenance"
PERIOD = 3600  # seconds


def schedule(engine: Engine) -> None:
    """Queue the maintenance of this hour, unless another worker has done so.

    Finished rows stay for more than an hour, so the key of an hour is used once.
    """
    with writing(engine) as connection:
        prune_jobs(connection)
        key = f"{MAINTENANCE} {period(connection, PERIOD)}"
        add_job(connection, NewJob(MAINTENANCE, key, {}, BACKGROUND))


def prune(engine: Engine, _body: Mapping[str, Any]) -> None:
    """Delete what the retention settings allow; nothing is left to compute."""


def store(_connection: Connection, _body: Mapping[str, Any], _output: Any) -> None:
    """There is nothing to store."""
