"""Idempotency keys: a request that is sent again changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select

from server.store.tables import IDEMPOTENCY_KEYS


def known_key(connection: Connection, key: str) -> tuple[str, str] | None:
    """The fingerprint of the request that a key came with, and the game that it made."""
    columns = IDEMPOTENCY_KEYS.c
    wanted = select(columns.fingerprint, columns.game_id).where(columns.key == key)
    row = connection.execute(wanted).one_or_none()
    return None if row is None else (row.fingerprint, row.game_id)


def remember_key(connection: Connection, key: str, fingerprint: str, game_id: str) -> None:
    """Remember a key; of two requests at once with the same one, the second is undone."""
    row = {"key": key, "fingerprint": fingerprint, "game_id": game_id}
    connection.execute(insert(IDEMPOTENCY_KEYS), row | {"created_at": datetime.now(UTC)})
