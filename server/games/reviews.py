"""Reviews for requests: of games that are kept, and of records that clients send.

A review of a finished hand is kept, so that nobody searches twice for the same; one that a deadline
has ended is not. A hand that is still played at a live table is never reviewed: it would show cards
that are hidden.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from hearts.analysis.review import REVIEWING, Progress, fair, review
from hearts.engine.bridge.network import shipped
from hearts.engine.bridge.playouts import Playout, softmax_digest
from hearts.engine.config import SearchConfig
from hearts.game.records import Record
from server import version
from server.http.services import Parts
from server.http.thinking import config_in, thinking
from server.runtime.errors import Conflict, InvalidAiConfig, NotFound
from server.search.admission import Slot
from server.search.options import GivenConfig, read_config
from server.storage.games import game, reading, writing
from server.storage.hands import hands
from server.storage.reviews import keep_review, kept_reviews
from server.storage.values import TABLE, GameRow, HandRow, is_id

log = structlog.stdlib.get_logger("hearts.reviews")

QUERIED = ("simulations", "worlds", "level", "seed")  # what a query may say about the search
SEED = 0  # where none is named: who asks again gets the same answer


def review_config(options: Mapping[str, Any], here: Parts) -> GivenConfig:
    """How to review, by the `ai_config` of a request."""
    return read_config({"seed": SEED} | dict(options), here.ceilings, base=REVIEWING)


def queried_config(query: Mapping[str, Any], here: Parts) -> GivenConfig:
    """How to review, by what a query names."""
    try:
        return review_config({key: query[key] for key in QUERIED if key in query}, here)
    except InvalidAiConfig as error:
        field = error.field.removeprefix("ai_config.")
        raise InvalidAiConfig(error.reason, field=field) from None


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


def review_kept(here: Parts, wanted: Sequence[HandRow], given: GivenConfig) -> list[dict[str, Any]]:
    """The reviews of some hands of one game, from the database where they are there."""
    game_id, digest = wanted[0].game_id, config_digest(given.config)
    with reading(here.engine) as connection:
        kept = kept_reviews(connection, game_id, digest)
    if all(hand.number in kept for hand in wanted):
        return [kept[hand.number] for hand in wanted]
    with thinking(given) as slot:
        return list(reviews(slot, wanted, given, here))


def reviews(
    slot: Slot,
    wanted: Sequence[HandRow],
    given: GivenConfig,
    here: Parts,
    progress: Callable[[HandRow, int, int], object] = lambda hand, done, asked: None,
) -> Iterator[dict[str, Any]]:
    """The reviews of some hands of one game, one after the other, until the deadline."""
    game_id, digest = wanted[0].game_id, config_digest(given.config)
    with reading(here.engine) as connection:
        kept = kept_reviews(connection, game_id, digest)
    for hand in wanted:
        body = kept.get(hand.number)
        if body is None:
            found = review_in(slot, hand.record, given, here, partial(progress, hand))
            body = found | {"number": hand.number}
            if body["complete"] and hand.finished_at is not None:
                _keep(here.engine, hand, digest, body)
        yield body
        if slot.is_over:
            return


def review_sent(here: Parts, record: Record, given: GivenConfig) -> dict[str, Any]:
    """The review of a record that a client sent."""
    with thinking(given) as slot:
        return review_in(slot, record, given, here) | {"number": 0}


def review_in(
    slot: Slot,
    record: Record,
    given: GivenConfig,
    here: Parts,
    progress: Progress = lambda done, asked: None,
) -> dict[str, Any]:
    """A review in a slot, as JSON has it; without what its deadline came before."""
    found = review(record, config_in(slot, given), stop=slot.stop, progress=progress)
    for each in found.answers:
        decision = each.decision
        here.metrics.count_search("/api/review", decision.seconds, decision.simulations)
    return found.as_object()


def config_digest(config: SearchConfig) -> str:
    """Names all that a review depends on beside the hand itself."""
    told = vars(replace(fair(config), threads=1)) | {"version": version()}
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
