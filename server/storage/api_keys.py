"""API keys: made once, shown once; the database has only their hashes.

A key has 256 random bits, so a plain SHA-256 is as good as a slow hash for passwords.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from sqlalchemy import Engine, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from server.runtime.errors import ApiKeyError
from server.storage.schema import API_KEYS

PREFIX = "hearts_"
REMEMBERED = 5.0  # seconds that an answer of the database is believed: a revocation takes so long


@dataclass(frozen=True)
class KeyEntry:
    """What is known of a key."""

    name: str
    created_at: datetime
    revoked_at: datetime | None


def create(engine: Engine, name: str) -> str:
    """Make a key; this is the only time that it can be seen."""
    key = PREFIX + secrets.token_urlsafe(32)
    row = {"name": name, "hash": _hash(key), "created_at": datetime.now(UTC)}
    try:
        with engine.begin() as connection:
            connection.execute(insert(API_KEYS).values(row))
    except IntegrityError:
        raise ApiKeyError(f"there is a key named {name!r} already") from None
    return key


def entries(engine: Engine) -> list[KeyEntry]:
    """All keys, the oldest first."""
    columns = API_KEYS.c.name, API_KEYS.c.created_at, API_KEYS.c.revoked_at
    with engine.connect() as connection:
        rows = connection.execute(select(*columns).order_by(API_KEYS.c.id))
        return [KeyEntry(*row) for row in rows]


def revoke(engine: Engine, name: str) -> None:
    """Make a key worthless."""
    valid = (API_KEYS.c.name == name) & API_KEYS.c.revoked_at.is_(None)
    with engine.begin() as connection:
        done = connection.execute(
            update(API_KEYS).where(valid).values(revoked_at=datetime.now(UTC))
        )
    if not done.rowcount:
        raise ApiKeyError(f"there is no valid key named {name!r}")


class KeyRing:
    """Knows whose a key is; asks the database at most every few seconds for each."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._known: dict[str, tuple[float, str]] = {}  # hash: until when, and the name

    def name_of(self, key: str) -> str | None:
        """The name of a valid key, else None."""
        digest, now = _hash(key), time.monotonic()
        until, name = self._known.get(digest, (0.0, ""))
        if now < until:
            return name
        # The database compares hashes of 256 random bits: timing tells nothing about the key.
        valid = (API_KEYS.c.hash == digest) & API_KEYS.c.revoked_at.is_(None)
        try:
            with self.engine.connect() as connection:
                found: str | None = connection.scalar(select(API_KEYS.c.name).where(valid))
        except SQLAlchemyError:
            if name:
                return name  # who was known before goes on while the database is gone
            raise
        if found is None:
            self._known.pop(digest, None)
        else:
            self._known[digest] = (now + REMEMBERED, found)
        return found


def _hash(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
