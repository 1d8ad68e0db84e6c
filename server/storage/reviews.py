"""Stored reviews, by game, hand and digest of the search config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from server.storage.schema import REVIEWS


def kept_reviews(connection: Connection, game_id: str, digest: str) -> dict[int, dict[str, Any]]:
    """The stored reviews of a game with this config, by number of the hand."""
    wanted = select(REVIEWS.c.hand, REVIEWS.c.body)
    found = connection.execute(wanted.filter_by(game_id=game_id, config_digest=digest))
    return {row.hand: row.body for row in found}


def keep_review(
    connection: Connection, game_id: str, hand: int, digest: str, body: Mapping[str, Any]
) -> None:
    """Store a review, unless another process has stored it already."""
    values = {"game_id": game_id, "hand": hand, "config_digest": digest, "body": body}
    try:
        with connection.begin_nested():
            connection.execute(insert(REVIEWS), values)
    except IntegrityError:
        pass  # another process was first
