"""Searches as server-sent events: figures while it thinks; who hangs up ends the search.

event: partial    the figures of one decision so far
event: decision   one decision, as in the answer without streaming
event: done       what is true of all decisions together
event: error      the envelope of an error: nothing follows
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from typing import Any

import structlog
from flask import Response

from hearts.analysis.review import Question, examine, fair
from hearts.engine.config import SearchConfig
from hearts.engine.decide import ranked
from hearts.engine.search.result import Watch
from hearts.game.cards import name
from server.games.analysis import Asked, Summary
from server.http.errors import envelope
from server.http.replies import json_bytes
from server.http.services import Parts
from server.http.thinking import config_in, warn_of_deadline
from server.search.admission import Slot
from server.search.options import GivenConfig

INTERVAL = 0.25  # seconds between two looks at a search; a client that is gone is noticed so soon
log = structlog.stdlib.get_logger("hearts.streams")


def event_schema(*kinds: str) -> dict[str, Any]:
    """One event in the OpenAPI document, of one of some kinds; `data` is JSON as a text."""
    return {
        "type": "object",
        "properties": {
            "event": {"type": "string", "enum": list(kinds)},
            "data": {"type": "string"},
        },
        "required": ["event", "data"],
    }


EVENT = event_schema("partial", "decision", "done", "error")


class Stream(ABC):
    """Work that is watched; it has its slot before the first byte of the answer."""

    def __init__(self, here: Parts, given: GivenConfig) -> None:
        self.here, self.given = here, given
        self._open = ExitStack()
        self.slot: Slot = self._open.enter_context(here.slots.taken())
        self.thread = self._open.enter_context(ThreadPoolExecutor(1, "stream"))

    def response(self) -> Response:
        """The answer; its end, however it comes, ends the search and frees the slot."""
        response = Response(self._guarded(), content_type="text/event-stream; charset=utf-8")
        response.headers["Cache-Control"] = "no-store"
        response.call_on_close(self.close)
        return response

    def close(self) -> None:
        """Stop what runs, wait for it, and give the slot back."""
        self.slot.stop[0] = 1
        self._open.close()

    def _guarded(self) -> Iterator[bytes]:
        """The events; a crash is one too, since the status has long been sent."""
        yield b": the figures follow\n\n"  # so that the client has the headers at once
        try:
            yield from self.events()
        except Exception:
            log.exception("a stream broke off")
            self.close()
            yield event("error", envelope("INTERNAL_ERROR", "the analysis broke off"))

    @abstractmethod
    def events(self) -> Iterator[bytes]:
        """What is told."""

    def end(self, summary: Mapping[str, Any]) -> bytes:
        """The last event; the slot is free by then, so who has read it may ask again at once."""
        self.close()
        return event("done", summary)


class AnalysisStream(Stream):
    """One analysis."""

    def __init__(self, here: Parts, questions: list[Asked], given: GivenConfig) -> None:
        super().__init__(here, given)
        self.questions = questions

    def events(self) -> Iterator[bytes]:
        """Figures so far, decisions, and what is true of all of them."""
        config = fair(config_in(self.slot, self.given))
        summary = Summary(self.questions, self.given, self.here.metrics)
        for question in self.questions:
            watch, stop = Watch(), self.slot.stop
            future = self.thread.submit(examine, question, config, stop=stop, watch=watch)
            yield from self._partial(question, config, watch, future)
            found = summary.add(question, future.result(), self.slot)
            if found is None:
                break
            yield event("decision", found)
        warn_of_deadline(self.slot, self.here, self.given)
        yield self.end(summary.as_object())

    def _partial(
        self, question: Question, config: SearchConfig, watch: Watch, searching: Future[Any]
    ) -> Iterator[bytes]:
        """The figures so far, again and again, until the search has ended."""
        while not wait([searching], INTERVAL).done:
            findings = watch.findings()
            if findings is None or not findings.simulations:
                yield b": thinking\n\n"
                continue
            cards = ranked(findings, config)
            yield event(
                "partial",
                {
                    "number": question.number,
                    "player": question.view.seat,
                    "best": name(cards[0].card),
                    "simulations": findings.simulations,
                    "analysis": [figures.as_object() for figures in cards],
                },
            )


def event(kind: str, data: object) -> bytes:
    """One server-sent event; `data` is sent as JSON."""
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), json_bytes(data))
