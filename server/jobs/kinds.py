"""The kinds of jobs, and what a worker does before and after the computation of each.

This module and those that it imports load neither numpy nor numba: a worker that waits for work
stays small. `server.jobs.compute` has the computations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine

from server.jobs import beliefs, maintenance, reviews
from server.storage.jobs.values import BELIEFS

Body = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """The database's side of a kind of jobs.

    `prepare` reads the input of the computation; None: there is nothing to compute. `store` writes
    its output, and returns what the job itself keeps of it.
    """

    prepare: Callable[[Engine, Body], Any]
    store: Callable[[Connection, Body, Any], Any]


KINDS = {
    reviews.HAND: Kind(reviews.prepare_hand, reviews.store_hand),
    reviews.RECORD: Kind(reviews.prepare_record, reviews.keep),
    BELIEFS: Kind(beliefs.prepare, beliefs.store),
    maintenance.MAINTENANCE: Kind(maintenance.prune, maintenance.store),
}
