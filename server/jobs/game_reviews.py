"""The reviews that a request asks for: stored ones, and those that jobs make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hearts.analysis.review import without_blunders
from hearts.engine.config import SearchConfig
from hearts.game.records import Record
from server.games.review.reviewer import config_digest
from server.jobs.asking import JobRequests
from server.jobs.reviews import hand_job, record_job
from server.runtime.caller import Caller
from server.runtime.errors import Busy
from server.storage.games import reading
from server.storage.jobs.values import JobRow, NewJob
from server.storage.reviews import ReviewBody, stored_reviews
from server.storage.values import HandRow


@dataclass
class RequestedReviews:
    """Reviews by number of the hand, and the jobs that make the missing ones."""

    requests: JobRequests
    caller: Caller
    wanted: Mapping[int, NewJob]  # by number of the hand
    game_id: str | None = None  # None: a record that was sent
    digest: str = ""
    found: dict[int, ReviewBody] = field(default_factory=dict)
    jobs: list[JobRow] = field(default_factory=list)  # that were unfinished at the last look
    is_begun: bool = False  # whether a review was found, or a job

    @property
    def is_complete(self) -> bool:
        """Whether all reviews are found."""
        return len(self.found) == len(self.wanted)

    @property
    def bodies(self) -> list[ReviewBody]:
        """The reviews that are found, in the order of the hands."""
        return [self.found[number] for number in sorted(self.found)]

    def look(self) -> list[ReviewBody]:
        """Look for missing reviews, queue what is needed, and return those that are new.

        Raises Busy if nothing was found yet, and no job finds a place.
        """
        new = self._read_stored({n: job for n, job in self.wanted.items() if n not in self.found})
        missing = {n: job for n, job in self.wanted.items() if n not in self.found}
        if missing:
            jobs = self._ask(list(missing.values()))
            new |= self._read_results(missing, jobs)
            self.jobs = [row for row in jobs.values() if not row.is_finished]
        return [new[number] for number in sorted(new)]

    def _ask(self, missing: Sequence[NewJob]) -> dict[str, JobRow]:
        """The jobs of missing reviews; none if there is no place, but something to wait for."""
        self.is_begun |= bool(self.found)
        try:
            jobs = self.requests.ask(missing, self.caller)
        except Busy:
            if not self.is_begun:
                raise
            return {}
        self.is_begun = True
        return jobs

    def wait(self, seconds: float) -> Iterator[list[ReviewBody]]:
        """The new reviews after every look, until all are found or the time is over."""
        yield self.look()
        with self.requests.waiting(seconds) as pauses:
            for _ in pauses:
                if self.is_complete:
                    return
                yield self.look() if self._has_changed() else []

    def _has_changed(self) -> bool:
        """Whether a job has ended, or is to be queued; refreshes the progress."""
        missing = [job.key for n, job in self.wanted.items() if n not in self.found]
        now = self.requests.look(missing)
        self.jobs = [row for row in now.values() if not row.is_finished]
        return len(self.jobs) < len(missing)

    def _read_stored(self, missing: Mapping[int, NewJob]) -> dict[int, ReviewBody]:
        if not missing or self.game_id is None:
            return {}
        with reading(self.requests.engine) as connection:
            stored = stored_reviews(connection, self.game_id, self.digest)
        new = {number: body for number, body in stored.items() if number in missing}
        self.found |= new
        return new

    def _read_results(
        self, missing: Mapping[int, NewJob], jobs: Mapping[str, JobRow]
    ) -> dict[int, ReviewBody]:
        """The reviews that finished jobs keep."""
        kept = {n: jobs[job.key].result for n, job in missing.items() if job.key in jobs}
        new = {number: body for number, body in kept.items() if body is not None}
        self.found |= new
        return new


def reviews_of_game(
    requests: JobRequests, caller: Caller, wanted: Sequence[HandRow], config: SearchConfig
) -> RequestedReviews:
    """The reviews of some hands of one game."""
    digest, fields = config_digest(config), config_fields(config)
    jobs = {hand.number: hand_job(hand, fields, digest) for hand in wanted}
    return RequestedReviews(requests, caller, jobs, wanted[0].game_id, digest)


def review_of_record(
    requests: JobRequests, caller: Caller, record: Record, config: SearchConfig
) -> RequestedReviews:
    """The review of a record that a client sent."""
    job = record_job(record, config_fields(config), config_digest(config), caller.key_id)
    return RequestedReviews(requests, caller, {0: job})


def config_fields(config: SearchConfig) -> dict[str, object]:
    """The search of a job: a worker computes on one thread."""
    return vars(without_blunders(config)) | {"threads": 1}
