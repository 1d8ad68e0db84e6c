"""The reviews of a game as a stream of events.

progress   the hand that is reviewed, the decisions done, and how many there are
hand       the review of one hand, as in the answer without streaming
done       the summary of all hands
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from server.games.review.reviewer import Reviewer
from server.search.options import SearchRequest
from server.search.streaming import INTERVAL, SearchStream, StreamEvent
from server.storage.values import HandRow

Body = Mapping[str, Any]


class ReviewStream(SearchStream):
    """The reviews of some hands of one game.

    `shown` selects what is sent of a hand; `summary` summarises the hands that were finished.
    """

    def __init__(
        self,
        reviewer: Reviewer,
        request: SearchRequest,
        wanted: Sequence[HandRow],
        shown: Callable[[Body], Body],
        summary: Callable[[Sequence[Body]], Body],
    ) -> None:
        super().__init__(reviewer.runner, request)
        self.reviewer, self.wanted = reviewer, wanted
        self.shown, self.summary = shown, summary
        self._progress: dict[str, int] = {}  # empty until the first decision is done
        self._found: SimpleQueue[Body | None] = SimpleQueue()  # None marks the end

    def events(self) -> Iterator[StreamEvent | None]:
        """Progress, hands, and the summary."""
        working, found = self.thread.submit(self._work), []
        while (body := self._next()) is not None:
            if body:
                found.append(body)
                yield StreamEvent("hand", self.shown(body))
            else:
                yield StreamEvent("progress", self._progress) if self._progress else None
        working.result()
        self.runner.warn_of_deadline(self.slot, self.request)
        yield self.done(self.summary(found))

    def _next(self) -> Body | None:
        """The next hand; empty when it takes longer than an interval, None at the end."""
        try:
            return self._found.get(timeout=INTERVAL)
        except Empty:
            return {}

    def _work(self) -> None:
        try:
            for body in self.reviewer.reviews(self.slot, self.wanted, self.request, self._note):
                self._found.put(body)
        finally:
            self._found.put(None)

    def _note(self, hand: HandRow, done: int, asked: int) -> None:
        self._progress = {"hand": hand.number, "done": done, "decisions": asked}
