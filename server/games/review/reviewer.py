"""Reviews for requests: of games that are kept, and of records that clients send.

A review of a finished hand is kept, so that nobody searches twice for the same; one that a deadline
has ended is not. A hand that is still played at a live table is never reviewed: it would show cards
that are hidden.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from hearts.analysis.review import REVIEWING, Progress, fair, review
from hearts.engine.bridge.network import shipped
from hearts.engine.bridge.playouts import softmax_digest
from hearts.engine.config import SearchConfig, published
from hearts.engine.playouts import Playout
from hearts.game.records import Record
from server import version
from server.runtime.errors import Conflict, NotFound
from server.search.admission import Slot
from server.search.options import AiOptions, Ceilings, SearchRequest, read_config
from server.search.run import SearchRunner
from server.storage.games import game, reading, writing
from server.storage.hands import hands
from server.storage.reviews import keep_review, kept_reviews
from server.storage.values import TABLE, GameRow, HandRow, is_id

log = structlog.stdlib.get_logger("hearts.reviews")

QUERIED = ("simulations", "worlds", "level", "seed")  # the options that a query may have
ENDPOINT = "/api/review"  # the label of its searches in the metrics
SEED = 0  # fixed, so that the same request gets the same answer


def review_config(
    options: AiOptions, ceilings: Ceilings, beside: Collection[str] = ()
) -> SearchRequest:
    """The search of a review; options `beside` are parameters of a query, not of an `ai_config`."""
    seeded = replace(options, knobs={"seed": SEED} | dict(options.knobs))
    return read_config(seeded, ceilings, base=REVIEWING, beside=beside)


def hands_to_review(
    engine: Engine, game_id: str, number: int | None
) -> tuple[GameRow, list[HandRow]]:
    """A game and its hands that may be looked at, or the one that is asked for."""
    with reading(engine) as connection:
        found = game(connection, game_id) if is_id(game_id) else None
        if found is None:
            raise NotFound(f"there is no game {game_id[:40]!r}")
        every = hands(connection, [game_id])
    if number is not None and number not in (hand.number for hand in every):
        raise NotFound(f"game {game_id} has no hand {number}", field="hand")
    if not every:
        raise Conflict(f"game {game_id} has no hand yet")
    wanted = [hand for hand in every if number in (None, hand.number)]
    over = [hand for hand in wanted if hand.finished_at is not None or found.kind != TABLE]
    if not over:
        numbers = " and ".join(str(hand.number) for hand in wanted)
        reason = "not over yet, and a review would show cards that are hidden"
        raise Conflict(f"{numbers} of table {game_id} is {reason}", field="hand")
    return found, over


@dataclass(frozen=True)
class Reviewer:
    """Reviews hands in search slots and keeps complete reviews in the database."""

    engine: Engine
    runner: SearchRunner

    def review_kept(
        self, wanted: Sequence[HandRow], request: SearchRequest
    ) -> list[dict[str, Any]]:
        """The reviews of some hands of one game; those that are kept need no slot."""
        game_id, digest = wanted[0].game_id, config_digest(request.config)
        with reading(self.engine) as connection:
            kept = kept_reviews(connection, game_id, digest)
        if all(hand.number in kept for hand in wanted):
            return [kept[hand.number] for hand in wanted]
        with self.runner.slot(request) as slot:
            return list(self.reviews(slot, wanted, request))

    def reviews(
        self,
        slot: Slot,
        wanted: Sequence[HandRow],
        request: SearchRequest,
        progress: Callable[[HandRow, int, int], object] = lambda hand, done, asked: None,
    ) -> Iterator[dict[str, Any]]:
        """The reviews of some hands of one game in order, until the deadline."""
        game_id, digest = wanted[0].game_id, config_digest(request.config)
        with reading(self.engine) as connection:
            kept = kept_reviews(connection, game_id, digest)
        for hand in wanted:
            body = kept.get(hand.number)
            if body is None:
                found = self._review(slot, hand.record, request, partial(progress, hand))
                body = found | {"number": hand.number}
                if body["complete"] and hand.finished_at is not None:
                    _keep(self.engine, hand, digest, body)
            yield body
            if slot.is_over:
                return

    def review_sent(self, record: Record, request: SearchRequest) -> dict[str, Any]:
        """The review of a record that a client sent."""
        with self.runner.slot(request) as slot:
            return self._review(slot, record, request) | {"number": 0}

    def _review(
        self,
        slot: Slot,
        record: Record,
        request: SearchRequest,
        progress: Progress = lambda done, asked: None,
    ) -> dict[str, Any]:
        """A review as JSON; without the decisions that came after the deadline."""
        config = request.config_for(slot.threads)
        found = review(record, config, stop=slot.stop, progress=progress)
        for each in found.answers:
            self.runner.count(each.decision, ENDPOINT)
        return found.as_object()


def config_digest(config: SearchConfig) -> str:
    """Names all that a review depends on beside the hand itself."""
    # By published names, so that reviews of earlier versions are found.
    told = published(vars(replace(fair(config), threads=1))) | {"version": version()}
    if config.algorithm == "rollouts":
        told["network"] = shipped().digest
    if config.playout == Playout.SOFTMAX.value:
        told["odds"] = softmax_digest()
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def seat_labels(names: Sequence[str]) -> list[str]:
    """The seats and who sits there: names alone may be the same."""
    return [f"seat {seat} ({name})" for seat, name in enumerate(names)]


def of_seat(seat: int | None, found: Mapping[str, Any]) -> Mapping[str, Any]:
    """A review with the decisions and mistakes of one seat; None: of all."""
    if seat is None:
        return found
    decisions = [each for each in found["decisions"] if each["player"] == seat]
    return dict(found) | {
        "decisions": decisions,
        "mistakes": {str(seat): found["mistakes"][str(seat)]},
    }


def _keep(engine: Engine, hand: HandRow, digest: str, body: Mapping[str, Any]) -> None:
    """Keep a review; a database that will not is no reason to hold it back."""
    try:
        with writing(engine) as connection:
            keep_review(connection, hand.game_id, hand.number, digest, body)
    except SQLAlchemyError:
        log.warning("a review could not be kept", game=hand.game_id, hand=hand.number)
