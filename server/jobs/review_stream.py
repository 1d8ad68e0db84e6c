"""The reviews of a game as a stream of events.

progress   the hand that is reviewed, the decisions done, and how many there are
hand       the review of one hand, as in the answer without streaming
done       the summary of all hands
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from server.jobs.game_reviews import RequestedReviews
from server.search.streaming import StreamEvent
from server.storage.reviews import ReviewBody

UNFINISHED = "the review is not finished yet: ask again"


class ReviewStream:
    """The reviews of some hands of one game, and the progress of the jobs that make them.

    `shown` selects what is sent of a hand; `summary` summarises the hands that were finished. The
    constructor queues the jobs, so Busy is raised before the first byte of the answer is sent.
    """

    def __init__(
        self,
        reviews: RequestedReviews,
        seconds: float,
        shown: Callable[[ReviewBody], ReviewBody],
        summary: Callable[[Sequence[ReviewBody]], Mapping[str, object]],
    ) -> None:
        self.reviews, self.seconds = reviews, seconds
        self.shown, self.summary = shown, summary
        self.first = reviews.look()
        self._told: Mapping[str, object] | None = None  # the last progress

    def events(self) -> Iterator[StreamEvent | None]:
        """Progress, hands, and the summary."""
        yield from self._hands(self.first)
        for new in self.reviews.wait(self.seconds):
            yield from self._hands(new)
            yield self._progress()
        yield StreamEvent("done", self.summary(self.reviews.bodies))

    def close(self) -> None:
        """Nothing is to be released: the jobs go on, and their results are stored."""

    def _hands(self, bodies: Sequence[ReviewBody]) -> Iterator[StreamEvent]:
        for body in bodies:
            yield StreamEvent("hand", self.shown(body))

    def _progress(self) -> StreamEvent | None:
        """The progress of the job that runs, if it is new."""
        running = [job.progress for job in self.reviews.jobs if job.progress is not None]
        if not running or running[0] == self._told:
            return None
        self._told = running[0]
        return StreamEvent("progress", running[0])
