"""Stored reviews, by game, hand and digest of the search config: a few of each hand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypedDict

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from server.storage.schema import REVIEWS

KEPT = 5  # reviews of one hand; every seed makes another one


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
    """Store a review, unless another process has stored it already; the oldest ones go."""
    values = {"game_id": game_id, "hand": hand, "config_digest": digest, "body": body}
    try:
        with connection.begin_nested():
            connection.execute(insert(REVIEWS), values | {"created_at": datetime.now(UTC)})
    except IntegrityError:
        return  # another process was first
    _delete_oldest(connection, game_id, hand)


def _delete_oldest(connection: Connection, game_id: str, hand: int) -> None:
    """Delete all reviews of a hand but the newest; those of version 0.1 have no time."""
    here = (REVIEWS.c.game_id == game_id) & (REVIEWS.c.hand == hand)
    newest_first = REVIEWS.c.created_at.desc().nulls_last()
    oldest = select(REVIEWS.c.config_digest).where(here).order_by(newest_first).offset(KEPT)
    digests = connection.scalars(oldest).all()
    if digests:
        connection.execute(delete(REVIEWS).where(here, REVIEWS.c.config_digest.in_(digests)))
