"""Reviews that were made once: kept by game, hand and how they were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from server.storage.schema import REVIEWS


def kept_reviews(connection: Connection, game_id: str, digest: str) -> dict[int, dict[str, Any]]:
    """The reviews of a game's hands that were made in this way, by the number of the hand."""
    wanted = select(REVIEWS.c.hand, REVIEWS.c.body)
    found = connection.execute(wanted.filter_by(game_id=game_id, config_digest=digest))
    return {row.hand: row.body for row in found}


def keep_review(
    connection: Connection, game_id: str, hand: int, digest: str, body: Mapping[str, Any]
) -> None:
    """Keep a review, unless somebody was quicker."""
    row = {"game_id": game_id, "hand": hand, "config_digest": digest, "body": body}
    try:
        with connection.begin_nested():
            connection.execute(insert(REVIEWS), row)
    except IntegrityError:
        pass  # it is there
