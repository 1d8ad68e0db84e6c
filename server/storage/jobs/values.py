"""Jobs as they are queued and read."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from json import dumps
from typing import Any

WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"
UNFINISHED = (WAITING, RUNNING)
BELIEFS = "beliefs"  # the kind of job that is queued when a hand is finished
# Priorities, the lowest first: it computes nothing, somebody waits for it, nobody waits for it.
FIRST, REQUESTED, BACKGROUND = -1, 0, 9


@dataclass(frozen=True)
class NewJob:
    """Work to be queued, unless the same work is queued already."""

    kind: str
    key: str  # of at most 64 characters; jobs with the same key are the same work
    body: Mapping[str, Any]
    priority: int = REQUESTED
    owner_id: int | None = None
    caller: str | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def values(self) -> dict[str, Any]:
        """The row of the new job."""
        return asdict(self) | {"status": WAITING, "attempts": 0}


@dataclass(frozen=True)
class JobRow:
    """A job in the queue."""

    id: str
    kind: str
    key: str
    body: Mapping[str, Any]
    owner_id: int | None
    caller: str | None
    priority: int
    status: str
    attempts: int
    progress: Mapping[str, Any] | None
    result: Any
    error: str | None
    worker: str | None
    lease_until: float | None
    created_at: datetime
    finished_at: datetime | None

    @property
    def is_finished(self) -> bool:
        """Whether no worker will touch it any more."""
        return self.status not in UNFINISHED

    @property
    def is_requested(self) -> bool:
        """Whether a caller has asked for it."""
        return self.priority == REQUESTED


def job_key(kind: str, *inputs: object) -> str:
    """The key of a job that depends on `inputs` alone."""
    return sha256(dumps([kind, *inputs], sort_keys=True).encode()).hexdigest()


def counts_by_status(found: Sequence[tuple[str, int]]) -> dict[str, int]:
    """The number of jobs of every status, also of those without a job."""
    return dict.fromkeys((WAITING, RUNNING, DONE, FAILED), 0) | dict(found)


def belief_job(game_id: str, hand: int) -> NewJob:
    """The scoring of the engine's beliefs in a finished hand."""
    body = {"game_id": game_id, "hand": hand}
    return NewJob(BELIEFS, f"{BELIEFS} {game_id} {hand}", body, BACKGROUND)
