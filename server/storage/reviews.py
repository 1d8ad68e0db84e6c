"""Stored reviews, by game, hand and digest of the search config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from server.storage.schema import REVIEWS


class ReviewBody(TypedDict):
    """The review of a hand as JSON, as it is stored and answered."""

    decisions: list[Mapping[str, Any]]  # each of one `player`
    mistakes: Mapping[str, list[Mapping[str, Any]]]  # by seat
    cost_by_player: list[float]
    chances: Mapping[str, Any]
    complete: bool
    number: int  # of the hand


def stored_reviews(connection: Connection, game_id: str, digest: str) -> dict[int, ReviewBody]:
    """The stored reviews of a game with this config, by number of the hand."""
    wanted = select(REVIEWS.c.hand, REVIEWS.c.body)
    found = connection.execute(wanted.filter_by(game_id=game_id, config_digest=digest))
    return {row.hand: row.body for row in found}


def store_review(
    connection: Connection, game_id: str, hand: int, digest: str, body: ReviewBody
) -> None:
    """Store a review, unless another process has stored it already."""
    values = {"game_id": game_id, "hand": hand, "config_digest": digest, "body": body}
    try:
        with connection.begin_nested():
            connection.execute(insert(REVIEWS), values)
    except IntegrityError:
        pass  # another process was first
