"""Reviews of stored games, and of records that clients send.

Complete reviews of finished hands are stored, so that none is computed twice. A hand in play at a
live table is never reviewed, because a review shows hidden cards.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import cast

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from hearts.analysis.review import REVIEWING, Progress, Review, review, without_blunders
from hearts.engine.bridge.network import shipped
from hearts.engine.bridge.playouts import softmax_digest
from hearts.engine.config import SearchConfig, published
from hearts.engine.playouts import Playout
from hearts.game.records import Record
from server import version
from server.games.access import Credentials, complete_hands, find_game, visible_hands
from server.runtime.errors import Conflict, NotFound
from server.search.admission import Slot
from server.search.options import AiOptions, Ceilings, SearchRequest, read_config
from server.search.run import SearchRunner
from server.storage.games import reading, writing
from server.storage.hands import hands
from server.storage.reviews import ReviewBody, store_review, stored_reviews
from server.storage.values import GameRow, HandRow

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
    engine: Engine, game_id: str, number: int | None, given: Credentials
) -> tuple[GameRow, list[HandRow]]:
    """A game and its hands that may be reviewed: all, or the one of a number."""
    with reading(engine) as connection:
        found, access = find_game(connection, game_id, given)
        every = visible_hands(access, hands(connection, [game_id]))
    if number is not None and number not in (hand.number for hand in every):
        raise NotFound(f"game {game_id} has no hand {number}", field="hand")
    if not every:
        raise Conflict(f"game {game_id} has no hand yet")
    wanted = [hand for hand in every if number in (None, hand.number)]
    over = complete_hands(access, wanted)
    if not over:
        numbers = " and ".join(str(hand.number) for hand in wanted)
        reason = "not over yet, and a review would show cards that are hidden"
        raise Conflict(f"{numbers} of table {game_id} is {reason}", field="hand")
    return found, over


@dataclass(frozen=True)
class Reviewer:
    """Reviews hands in search slots, and stores complete reviews."""

    engine: Engine
    runner: SearchRunner

    def review_game(self, wanted: Sequence[HandRow], request: SearchRequest) -> list[ReviewBody]:
        """The reviews of some hands of one game; takes no slot if all of them are stored."""
        stored = self._stored(wanted, request)
        if all(hand.number in stored for hand in wanted):
            return [stored[hand.number] for hand in wanted]
        with self.runner.slot(request) as slot:
            return list(self.reviews(slot, wanted, request))

    def reviews(
        self,
        slot: Slot,
        wanted: Sequence[HandRow],
        request: SearchRequest,
        progress: Callable[[HandRow, int, int], object] = lambda hand, done, asked: None,
    ) -> Iterator[ReviewBody]:
        """The reviews of some hands of one game in order, until the deadline."""
        stored = self._stored(wanted, request)
        for hand in wanted:
            body = stored.get(hand.number)
            if body is None:
                reviewed = self._review(slot, hand.record, request, partial(progress, hand))
                body = _body(reviewed, hand.number)
                if body["complete"] and hand.finished_at is not None:
                    _store(self.engine, hand, config_digest(request.config), body)
            yield body
            if slot.is_over:
                return

    def review_record(self, record: Record, request: SearchRequest) -> ReviewBody:
        """The review of a record that a client sent."""
        with self.runner.slot(request) as slot:
            return _body(self._review(slot, record, request), 0)

    def _stored(self, wanted: Sequence[HandRow], request: SearchRequest) -> dict[int, ReviewBody]:
        """The stored reviews of a game, by number of the hand."""
        with reading(self.engine) as connection:
            return stored_reviews(connection, wanted[0].game_id, config_digest(request.config))

    def _review(
        self,
        slot: Slot,
        record: Record,
        request: SearchRequest,
        progress: Progress = lambda done, asked: None,
    ) -> Review:
        """The review of a record, without the decisions that came after the deadline."""
        config = request.config_for(slot.threads)
        reviewed = review(record, config, stop=slot.stop, progress=progress)
        for each in reviewed.answers:
            self.runner.count(each.decision, ENDPOINT)
        return reviewed


def config_digest(config: SearchConfig) -> str:
    """A digest of all that a review depends on apart from the hand."""
    # The names of version 0.1 are used, so that its reviews are found.
    inputs = published(vars(replace(without_blunders(config), threads=1))) | {"version": version()}
    if config.algorithm == "rollouts":
        inputs["network"] = shipped().digest
    if config.playout == Playout.SOFTMAX.value:
        inputs["odds"] = softmax_digest()
    return sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def seat_labels(names: Sequence[str]) -> list[str]:
    """Labels of the seats, with the names of players, which may be equal."""
    return [f"seat {seat} ({name})" for seat, name in enumerate(names)]


def of_seat(seat: int | None, body: ReviewBody) -> ReviewBody:
    """A review with the decisions and mistakes of one seat; None: of all seats."""
    if seat is None:
        return body
    decisions = [each for each in body["decisions"] if each["player"] == seat]
    mistakes = {str(seat): body["mistakes"][str(seat)]}
    return {**body, "decisions": decisions, "mistakes": mistakes}


def _body(reviewed: Review, number: int) -> ReviewBody:
    return cast(ReviewBody, reviewed.as_object() | {"number": number})


def _store(engine: Engine, hand: HandRow, digest: str, body: ReviewBody) -> None:
    """Store a review; if that fails, the client gets it all the same."""
    try:
        with writing(engine) as connection:
            store_review(connection, hand.game_id, hand.number, digest, body)
    except SQLAlchemyError:
        log.warning("a review could not be stored", game=hand.game_id, hand=hand.number)
