"""Idempotency keys: a request that is repeated with its key changes nothing.

A key is valid within a scope: new games, or the events of one game.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, insert, select

from server.storage.schema import IDEMPOTENCY_KEYS


class OtherBody(Exception):
    """The key was sent before with another body."""


def game_of_key(
    connection: Connection, key: str, body: Mapping[str, Any], scope: str = ""
) -> str | None:
    """The game that the same request created or changed; None: the key is new."""
    columns = IDEMPOTENCY_KEYS.c
    wanted = select(columns.fingerprint, columns.game_id).where(columns.key == _digest(scope, key))
    row = connection.execute(wanted).one_or_none()
    if row is None:
        return None
    if row.fingerprint != _fingerprint(body):
        raise OtherBody
    return str(row.game_id)


def remember_key(
    connection: Connection, key: str, body: Mapping[str, Any], game_id: str, scope: str = ""
) -> None:
    """Store a key; of two simultaneous requests with one key, the second is rolled back."""
    values = {
        "key": _digest(scope, key),
        "fingerprint": _fingerprint(body),
        "game_id": game_id,
        "created_at": datetime.now(UTC),
    }
    connection.execute(insert(IDEMPOTENCY_KEYS), values)


def _digest(scope: str, key: str) -> str:
    return sha256(f"{scope} {key}".encode()).hexdigest()


def _fingerprint(body: Mapping[str, Any]) -> str:
    return sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
