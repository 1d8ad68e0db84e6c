"""The computations of jobs: pure functions of their task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from server.games.belief_scorer import loss_of
from server.games.review.reviewer import review_hand
from server.jobs import beliefs, reviews
from server.jobs.messages import Progress
from server.storage.jobs.values import BELIEFS


def review(task: reviews.ReviewTask, progress: Progress) -> Mapping[str, Any]:
    """Review a hand."""

    def note(done: int, asked: int) -> None:
        progress({"hand": task.number, "done": done, "decisions": asked})

    return review_hand(task.record, task.number, task.config, note)


def score_beliefs(task: beliefs.BeliefTask, progress: Progress) -> list[beliefs.Loss]:
    """Score the beliefs of some seats."""
    losses: list[beliefs.Loss] = []
    for seat in task.seats:
        losses.append((seat, *loss_of(task.record, seat)))
        progress({"done": len(losses), "seats": len(task.seats)})
    return losses


COMPUTATIONS: dict[str, Callable[[Any, Progress], Any]] = {
    reviews.HAND: review,
    reviews.RECORD: review,
    BELIEFS: score_beliefs,
}
