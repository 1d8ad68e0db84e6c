"""API keys, of which the database stores only hashes.

A key has 256 random bits, so SHA-256 is enough: there is nothing to gain from a slow password hash.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import Engine, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from server.runtime.errors import ApiKeyError
from server.storage.schema import API_KEYS

PREFIX = "hearts_"
CACHE_SECONDS = 5.0  # how long a valid key is cached: a revocation takes that long


@dataclass(frozen=True)
class KeyEntry:
    """A key without its secret."""

    name: str
    created_at: datetime
    revoked_at: datetime | None


class ValidKey(NamedTuple):
    """A key that may be used."""

    id: int
    name: str


def create(engine: Engine, name: str) -> str:
    """Create a key and return it; it cannot be read again."""
    key = PREFIX + secrets.token_urlsafe(32)
    values = {"name": name, "hash": _hash(key), "created_at": datetime.now(UTC)}
    try:
        with engine.begin() as connection:
            connection.execute(insert(API_KEYS).values(values))
    except IntegrityError:
        raise ApiKeyError(f"there is a key named {name!r} already") from None
    return key


def entries(engine: Engine) -> list[KeyEntry]:
    """All keys, the oldest first."""
    columns = API_KEYS.c.name, API_KEYS.c.created_at, API_KEYS.c.revoked_at
    with engine.connect() as connection:
        found = connection.execute(select(*columns).order_by(API_KEYS.c.id))
        return [KeyEntry(*row) for row in found]


def revoke(engine: Engine, name: str) -> None:
    """Revoke a key."""
    valid = (API_KEYS.c.name == name) & API_KEYS.c.revoked_at.is_(None)
    with engine.begin() as connection:
        revoked = connection.execute(
            update(API_KEYS).where(valid).values(revoked_at=datetime.now(UTC))
        )
    if not revoked.rowcount:
        raise ApiKeyError(f"there is no valid key named {name!r}")


class KeyRing:
    """Finds keys; asks the database at most every few seconds for each valid key."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._known: dict[str, tuple[float, ValidKey]] = {}  # hash: (expiry, key)

    def find(self, key: str) -> ValidKey | None:
        """The entry of a valid key; None for any other."""
        digest, now = _hash(key), time.monotonic()
        until, known = self._known.get(digest, (0.0, None))
        if now < until:
            return known
        try:
            found = self._look_up(digest)
        except SQLAlchemyError:
            if known:
                return known  # a key that was valid stays valid while the database is down
            raise
        if found is None:
            self._known.pop(digest, None)
        else:
            self._known[digest] = (now + CACHE_SECONDS, found)
        return found

    def _look_up(self, digest: str) -> ValidKey | None:
        # The comparison of hashes of 256 random bits leaks nothing about the key.
        valid = (API_KEYS.c.hash == digest) & API_KEYS.c.revoked_at.is_(None)
        with self.engine.connect() as connection:
            row = connection.execute(select(API_KEYS.c.id, API_KEYS.c.name).where(valid)).first()
        return ValidKey(*row) if row else None


def _hash(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
