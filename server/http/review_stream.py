"""Reviews of a game as server-sent events: how far they are, and each hand once it is done.

event: progress   the hand that is looked at, decisions done, and decisions in all
event: hand       the review of one hand, as in the answer without streaming
event: done       what is true of all hands together
event: error      the envelope of an error: nothing follows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from server.games.reviews import reviews
from server.http.services import Parts
from server.http.streaming import INTERVAL, Stream, event, event_schema
from server.http.thinking import warn_of_deadline
from server.search.options import GivenConfig
from server.storage.values import HandRow

EVENT = event_schema("progress", "hand", "done", "error")
Body = Mapping[str, Any]


class ReviewStream(Stream):
    """The reviews of some hands of one game.

    `shown` says what of a hand is told, `summary` what is told of all that were finished.
    """

    def __init__(
        self,
        here: Parts,
        given: GivenConfig,
        wanted: Sequence[HandRow],
        shown: Callable[[Body], Body],
        summary: Callable[[Sequence[Body]], Body],
    ) -> None:
        super().__init__(here, given)
        self.wanted, self.shown, self.summary = wanted, shown, summary
        self._progress: dict[str, int] = {}  # empty before the first decision is done
        self._found: SimpleQueue[Body | None] = SimpleQueue()  # None: that was the last

    def events(self) -> Iterator[bytes]:
        """Progress, hands, and the end."""
        working, found = self.thread.submit(self._work), []
        while (body := self._next()) is not None:
            if body:
                found.append(body)
                yield event("hand", self.shown(body))
            elif self._progress:
                yield event("progress", self._progress)
            else:
                yield b": thinking\n\n"
        working.result()
        warn_of_deadline(self.slot, self.here, self.given)
        yield self.end(self.summary(found))

    def _next(self) -> Body | None:
        """The next hand; an empty one where it takes longer, None at the end."""
        try:
            return self._found.get(timeout=INTERVAL)
        except Empty:
            return {}

    def _work(self) -> None:
        try:
            for body in reviews(self.slot, self.wanted, self.given, self.here, self._note):
                self._found.put(body)
        finally:
            self._found.put(None)

    def _note(self, hand: HandRow, done: int, asked: int) -> None:
        self._progress = {"hand": hand.number, "done": done, "decisions": asked}
