"""Reviews of hands (the cost of every decision, mistakes, forecasts), and their jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO

from flask import Response

from hearts.analysis.forecasts import forecasts_of
from hearts.analysis.review import without_blunders
from hearts.arena.plot import plot_forecasts
from hearts.engine.config import published
from hearts.game.cards import SEATS
from hearts.game.records import KNOWN as RECORD_FIELDS
from hearts.game.records import Record
from server.games.review.analysis import read_record
from server.games.review.reviewer import (
    QUERIED,
    hands_to_review,
    of_seat,
    review_config,
    seat_labels,
)
from server.http.access.callers import current_caller
from server.http.access.marks import opened_by_token
from server.http.bodies import HeartsBlueprint
from server.http.job_answers import RETRY_SECONDS, described, pending
from server.http.replies import figure, success
from server.http.schemas import examples
from server.http.schemas.headers import TokensHeader, TokensHeaderSchema
from server.http.schemas.jobs import JobReply, PendingReply
from server.http.schemas.review import (
    SVG,
    PlotQuery,
    PlotQuerySchema,
    ReviewQuery,
    ReviewQuerySchema,
    ReviewReply,
    ReviewRequest,
    ReviewRequestSchema,
)
from server.http.services import current_services
from server.http.streaming import event_schema, stream_response
from server.jobs.asking import visible_job
from server.jobs.game_reviews import RequestedReviews, review_of_record, reviews_of_game
from server.jobs.review_stream import UNFINISHED, ReviewStream
from server.runtime.errors import Busy, Conflict, JobFailed, NotFound, NotReady, ParseError
from server.runtime.messages import unknown_fields
from server.search.options import SearchRequest
from server.storage.reviews import ReviewBody
from server.storage.values import GameRow, HandRow

blueprint = HeartsBlueprint("review", __name__, description="Reviews of hands.")

EVENT = event_schema("progress", "hand", "done", "error")
_RECORD = frozenset(RECORD_FIELDS)
_SEATS = tuple(f"seat {seat}" for seat in range(SEATS))


@dataclass(frozen=True)
class Summary:
    """Summarises the reviews of some hands."""

    wanted: int  # hands
    players: Sequence[str]
    search: SearchRequest
    started: float = field(default_factory=time.perf_counter)

    def __call__(self, found: Sequence[ReviewBody]) -> dict[str, object]:
        """The summary of the hands that were reviewed before the deadline."""
        complete = len(found) == self.wanted
        return {
            "complete": complete,
            "players": list(self.players),
            "config": published(vars(without_blunders(self.search.config))),
            "computation_time_ms": round((time.perf_counter() - self.started) * 1000, 3),
            "warnings": self.search.warnings + ([] if complete else [UNFINISHED]),
        }


@blueprint.get("/api/games/<string:game_id>/review")
@opened_by_token
@blueprint.arguments(ReviewQuerySchema(), location="query")
@blueprint.arguments(TokensHeaderSchema(), location="headers")
@blueprint.alt_response(200, schema=SVG, content_type="image/svg+xml")
@blueprint.alt_response(200, schema=EVENT, content_type="text/event-stream")
@blueprint.alt_response(202, schema=PendingReply)
@blueprint.response(200, ReviewReply)
@blueprint.raises(NotFound, Conflict, Busy, JobFailed, NotReady)
def of_game(query: ReviewQuery, header: TokensHeader, game_id: str) -> Response:
    """Review the finished hands of a game, or one of them."""
    here = current_services()
    given = header.credentials(current_caller())
    game, wanted = hands_to_review(here.engine, game_id, query.hand, given)
    if query.plot:
        return _figure_of_game(game, wanted)
    search = review_config(query.options, here.ceilings, QUERIED)
    search.warnings.extend(query.warnings)
    summary = Summary(len(wanted), [seat.player.name for seat in game.seats], search)
    shown = partial(of_seat, query.seat)
    reviews = reviews_of_game(here.jobs, current_caller(), wanted, search.config)
    if query.stream:
        seconds = here.settings.request_seconds
        return stream_response(ReviewStream(reviews, seconds, shown, summary))
    return _answer(reviews, summary, shown)


@blueprint.post("/api/review")
@blueprint.arguments(PlotQuerySchema(), location="query")
@blueprint.arguments(ReviewRequestSchema(), example=examples.REVIEW)
@blueprint.alt_response(200, schema=SVG, content_type="image/svg+xml")
@blueprint.alt_response(202, schema=PendingReply)
@blueprint.response(200, ReviewReply)
@blueprint.raises(Busy, JobFailed, NotReady)
def of_record(query: PlotQuery, request: ReviewRequest) -> Response:
    """Review a hand that is sent as a record."""
    here, record = current_services(), read_record(request.record)
    if query.plot:
        return _figure(record, _SEATS, record.id)
    search = review_config(request.ai_config, here.ceilings)
    search.warnings.extend(request.warnings)
    search.warnings.extend(unknown_fields(request.record, _RECORD, "record."))
    summary = Summary(1, _SEATS, search)
    reviews = review_of_record(here.jobs, current_caller(), record, search.config)
    return _answer(reviews, summary)


@blueprint.get("/api/jobs/<string:job_id>")
@opened_by_token
@blueprint.arguments(TokensHeaderSchema(), location="headers")
@blueprint.response(200, JobReply)
@blueprint.raises(NotFound, NotReady)
def one_job(header: TokensHeader, job_id: str) -> Response:
    """The state of a queued job; finished jobs are deleted after ten minutes."""
    given = header.credentials(current_caller())
    job = visible_job(current_services().engine, job_id, given)
    answer = success(job=described(job), warnings=[])
    if not job.is_finished:
        answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def _answer(
    reviews: RequestedReviews,
    summary: Summary,
    shown: Callable[[ReviewBody], ReviewBody] = lambda body: body,
) -> Response:
    """The reviews, if they are finished before the deadline; otherwise their jobs."""
    for _ in reviews.wait(current_services().settings.request_seconds):
        pass  # the reviews collect what is found
    if not reviews.is_complete:
        return pending(reviews.jobs)
    found = reviews.bodies
    return success(hands=list(map(shown, found)), **summary(found))


def _figure_of_game(game: GameRow, wanted: Sequence[HandRow]) -> Response:
    """The forecasts of the one hand that a query asks for."""
    if len(wanted) > 1:
        numbers = ", ".join(str(hand.number) for hand in wanted)
        raise ParseError(f"a figure shows one hand: choose one of {numbers}", field="hand")
    players = seat_labels([seat.player.name for seat in game.seats])
    return _figure(wanted[0].record, players, f"game {game.id}, hand {wanted[0].number}")


def _figure(record: Record, players: Sequence[str], title: str) -> Response:
    """The forecasts of a hand."""

    def draw(file: BytesIO) -> None:
        plot_forecasts(file, forecasts_of(record.deal), players, title)

    return figure(draw)
