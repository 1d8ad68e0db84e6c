"""The reviews of a game as a stream of events.

progress   the hand that is reviewed, the decisions done, and how many there are
hand       the review of one hand, as in the answer without streaming
done       the summary of all hands
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue

from server.games.review.reviewer import Reviewer
from server.search.options import SearchRequest
from server.search.streaming import INTERVAL, SearchStream, StreamEvent
from server.storage.reviews import ReviewBody
from server.storage.values import HandRow


class ReviewStream(SearchStream):
    """The reviews of some hands of one game.

    `shown` selects what is sent of a hand; `summary` summarises the hands that were finished.
    """

    def __init__(
        self,
        reviewer: Reviewer,
        request: SearchRequest,
        wanted: Sequence[HandRow],
        shown: Callable[[ReviewBody], ReviewBody],
        summary: Callable[[Sequence[ReviewBody]], Mapping[str, object]],
    ) -> None:
        super().__init__(reviewer.runner, request)
        self.reviewer, self.wanted = reviewer, wanted
        self.shown, self.summary = shown, summary
        self._progress: dict[str, int] = {}  # empty until the first decision is done
        self._found: SimpleQueue[ReviewBody | None] = SimpleQueue()  # None marks the end

    def events(self) -> Iterator[StreamEvent | None]:
        """Progress, hands, and the summary."""
        working = self.thread.submit(self._work)
        found: list[ReviewBody] = []
        while True:
            try:
                body = self._found.get(timeout=INTERVAL)
            except Empty:
                yield StreamEvent("progress", self._progress) if self._progress else None
                continue
            if body is None:
                break
            found.append(body)
            yield StreamEvent("hand", self.shown(body))
        working.result()
        self.runner.warn_of_deadline(self.slot, self.request)
        yield self.done(self.summary(found))

    def _work(self) -> None:
        try:
            for body in self.reviewer.reviews(self.slot, self.wanted, self.request, self._note):
                self._found.put(body)
        finally:
            self._found.put(None)

    def _note(self, hand: HandRow, done: int, asked: int) -> None:
        self._progress = {"hand": hand.number, "done": done, "decisions": asked}
