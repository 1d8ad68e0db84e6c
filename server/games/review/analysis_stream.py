"""An analysis as a stream of events.

partial    the statistics of one decision so far
decision   one decision, as in the answer without streaming
done       the summary of all decisions
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait

from hearts.analysis.review import Answer, Question, examine, without_blunders
from hearts.engine.config import SearchConfig
from hearts.engine.decide import ranked
from hearts.engine.search.result import Watch
from hearts.game.cards import name
from server.games.review.analysis import Asked, Summary
from server.search.options import SearchRequest
from server.search.run import SearchRunner
from server.search.streaming import INTERVAL, SearchStream, StreamEvent


class AnalysisStream(SearchStream):
    """The answers to some questions, with partial statistics while each is searched."""

    def __init__(
        self, runner: SearchRunner, questions: Sequence[Asked], request: SearchRequest
    ) -> None:
        super().__init__(runner, request)
        self.questions = questions

    def events(self) -> Iterator[StreamEvent | None]:
        """Partial statistics, decisions, and the summary."""
        config = without_blunders(self.request.config_for(self.slot.threads))
        summary = Summary(self.questions, self.request, self.runner)
        for question in self.questions:
            watch, stop = Watch(), self.slot.stop
            future = self.thread.submit(examine, question, config, stop=stop, watch=watch)
            yield from _partial(question, config, watch, future)
            found = summary.add(question, future.result(), self.slot)
            if found is None:
                break
            yield StreamEvent("decision", found)
        self.runner.warn_of_deadline(self.slot, self.request)
        yield self.done(summary.as_object())


def _partial(
    question: Question, config: SearchConfig, watch: Watch, searching: Future[Answer]
) -> Iterator[StreamEvent | None]:
    """The statistics so far, at intervals, until the search has ended."""
    while not wait([searching], INTERVAL).done:
        result = watch.result()
        if result is None or not result.simulations:
            yield None
            continue
        cards = ranked(result, config)
        data = {
            "number": question.number,
            "player": question.view.seat,
            "best": name(cards[0].card),
            "simulations": result.simulations,
            "analysis": [move.as_object() for move in cards],
        }
        yield StreamEvent("partial", data)
