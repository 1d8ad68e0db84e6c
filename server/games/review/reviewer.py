"""What is reviewed, and how: hands, searches and their digests.

A hand in play at a live table is never reviewed, because a review shows hidden cards.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, cast

from sqlalchemy import Engine

from hearts.analysis.review import REVIEWING, Progress, review, without_blunders
from hearts.engine.bridge.network import shipped
from hearts.engine.bridge.playouts import softmax_digest
from hearts.engine.config import SearchConfig, published
from hearts.engine.playouts import Playout
from hearts.game.records import Record
from server import version
from server.games.access import Credentials, complete_hands, find_game, visible_hands
from server.runtime.errors import Conflict, NotFound
from server.search.options import AiOptions, Ceilings, SearchRequest, read_config
from server.storage.games import reading
from server.storage.hands import hands
from server.storage.reviews import ReviewBody
from server.storage.values import GameRow, HandRow

QUERIED = ("simulations", "worlds", "level", "seed")  # the options that a query may have
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


def review_hand(
    record: Record, number: int, config: Mapping[str, Any], progress: Progress
) -> ReviewBody:
    """The review of a hand as JSON; `config` has the fields of a SearchConfig."""
    reviewed = review(record, SearchConfig(**config), progress=progress)
    return cast(ReviewBody, reviewed.as_object() | {"number": number})


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
