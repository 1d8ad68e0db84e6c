"""Idempotency keys: a request that is repeated with its key changes nothing.

A key belongs to an API key, and is valid within a scope: new games, or the events of one game.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select

from server.storage.schema import GAMES, IDEMPOTENCY_KEYS


class OtherBody(Exception):
    """The key was sent before with another body."""


@dataclass(frozen=True)
class ScopedKey:
    """An Idempotency-Key with its owner and scope."""

    key: str
    owner_id: int | None = None  # the API key; None: of nobody, on a service without keys
    scope: str = ""  # "" for new games, else the id of a game

    @property
    def digest(self) -> str:
        """The SHA-256 by which the key is found."""
        owner = "" if self.owner_id is None else f"{self.owner_id}:"
        return sha256(f"{owner}{self.scope} {self.key}".encode()).hexdigest()


def game_of_key(connection: Connection, key: ScopedKey, body: Mapping[str, Any]) -> str | None:
    """The game that the same request created or changed; None: the key is new."""
    columns = IDEMPOTENCY_KEYS.c
    wanted = select(columns.fingerprint, columns.game_id).join(GAMES)
    row = connection.execute(wanted.where(_is_known_as(key))).first()
    if row is None:
        return None
    if row.fingerprint != _fingerprint(body):
        raise OtherBody
    return str(row.game_id)


def remember_key(
    connection: Connection, key: ScopedKey, body: Mapping[str, Any], game_id: str
) -> None:
    """Store a key; of two simultaneous requests with one key, the second is rolled back."""
    values = {
        "key": key.digest,
        "fingerprint": _fingerprint(body),
        "game_id": game_id,
        "created_at": datetime.now(UTC),
    }
    connection.execute(insert(IDEMPOTENCY_KEYS), values)


def _is_known_as(key: ScopedKey) -> ColumnElement[bool]:
    """The row of a key; that of an adopted game was stored without an owner."""
    own = IDEMPOTENCY_KEYS.c.key == key.digest
    adopted = IDEMPOTENCY_KEYS.c.key == replace(key, owner_id=None).digest
    return own | (adopted & (GAMES.c.owner_id == key.owner_id))


def _fingerprint(body: Mapping[str, Any]) -> str:
    return sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
