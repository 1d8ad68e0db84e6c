"""API keys, of which the database stores only hashes.

A key has 256 random bits, so SHA-256 is enough: there is nothing to gain from a slow password hash.
"""

from __future__ import annotations

import secrets
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from threading import Lock
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from server.runtime.errors import ApiKeyError, Busy, NotReady
from server.storage.games import writing
from server.storage.schema import API_KEYS, GAMES, SEATS, SHARES

PREFIX = "hearts_"
CACHE_SECONDS = 5.0  # how long a valid key is cached: a revocation takes that long
LOOKUP_SECONDS = 2.0  # how long a request with an unknown key waits for the database
REFRESH_SECONDS = 0.25  # the same with a key that was valid, which then stays valid
RETRY_SECONDS = 1.0  # until the database is asked again about such a key
UNCONFIRMED_SECONDS = 900.0  # how long it stays valid while the database does not answer
QUERIES = 4  # at the same time
MAX_ASKED = 16  # keys that are being looked up; requests with further unknown keys get Busy


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


class _Known(NamedTuple):
    """A key that the database has confirmed."""

    key: ValidKey
    confirmed_at: float  # by time.monotonic()
    until: float  # when to ask again


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
    """Revoke a key, and with it the links to its games and its open invitations."""
    with writing(engine) as connection:
        key_id = _valid_id(connection, name)
        now = {"revoked_at": datetime.now(UTC)}
        connection.execute(update(API_KEYS).where(API_KEYS.c.id == key_id).values(now))
        games = select(GAMES.c.id).where(GAMES.c.owner_id == key_id)
        connection.execute(delete(SHARES).where(SHARES.c.game_id.in_(games)))
        invited = SEATS.c.game_id.in_(games) & SEATS.c.invitation_hash.is_not(None)
        connection.execute(update(SEATS).where(invited).values(invitation_hash=None))


def adopt(engine: Engine, name: str, *, revoked: bool = False, dry_run: bool = False) -> int:
    """Give the games without an owner to a key, and return how many there are.

    `revoked` adds the games of revoked keys of the same name; `dry_run` only counts.
    """
    with writing(engine) as connection:
        key_id = _valid_id(connection, name)
        wanted: ColumnElement[bool] = GAMES.c.owner_id.is_(None)
        if revoked:
            before = (API_KEYS.c.name == name) & API_KEYS.c.revoked_at.is_not(None)
            wanted |= GAMES.c.owner_id.in_(select(API_KEYS.c.id).where(before))
        if dry_run:
            return connection.scalar(select(func.count()).select_from(GAMES).where(wanted)) or 0
        return connection.execute(update(GAMES).where(wanted).values(owner_id=key_id)).rowcount


def _valid_id(connection: Connection, name: str) -> int:
    """The id of the valid key with a name; raises ApiKeyError if there is none."""
    valid = (API_KEYS.c.name == name) & API_KEYS.c.revoked_at.is_(None)
    key_id: int | None = connection.scalar(select(API_KEYS.c.id).where(valid))
    if key_id is None:
        raise ApiKeyError(f"there is no valid key named {name!r}")
    return key_id


class KeyRing:
    """Finds keys; asks the database at most every few seconds for each valid key.

    Other threads ask, so that a database that hangs delays nobody with a known key.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._known: dict[str, _Known] = {}  # by hash
        self._asked: dict[str, Future[ValidKey | None]] = {}  # hash: a query that runs
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(QUERIES, thread_name_prefix="keys")

    def knows(self, key: str) -> bool:
        """Whether a key was valid lately, so that a request with it is no guess."""
        return self._lately(_hash(key)) is not None

    def find(self, key: str) -> ValidKey | None:
        """The entry of a valid key; None for any other."""
        digest = _hash(key)
        known = self._lately(digest)
        if known is not None and time.monotonic() < known.until:
            return known.key
        try:
            return self._ask(digest, known).result(REFRESH_SECONDS if known else LOOKUP_SECONDS)
        except (SQLAlchemyError, FutureTimeout) as error:
            if known is not None:  # it stays valid while the database does not answer
                later = time.monotonic() + RETRY_SECONDS
                self._known[digest] = known._replace(until=later)
                return known.key
            if isinstance(error, FutureTimeout):
                raise NotReady("the database does not answer", retry_after=1) from None
            raise

    def _lately(self, digest: str) -> _Known | None:
        """A key that the database has confirmed, not too long ago."""
        known = self._known.get(digest)
        if known is None or time.monotonic() - known.confirmed_at > UNCONFIRMED_SECONDS:
            return None
        return known

    def _ask(self, digest: str, known: _Known | None) -> Future[ValidKey | None]:
        """The query for a key, begun if it does not run yet; guesses do not keep out known keys."""
        with self._lock:
            if digest in self._asked:
                return self._asked[digest]
            if known is None and len(self._asked) >= MAX_ASKED:
                raise Busy("too many API keys are being looked up: try again", retry_after=1)
            asked = self._asked[digest] = self._threads.submit(self._look_up, digest)
        return asked

    def _look_up(self, digest: str) -> ValidKey | None:
        try:
            found = self._stored(digest)
            if found is None:
                self._known.pop(digest, None)
            else:
                now = time.monotonic()
                self._known[digest] = _Known(found, now, now + CACHE_SECONDS)
            return found
        finally:
            with self._lock:
                self._asked.pop(digest, None)

    def _stored(self, digest: str) -> ValidKey | None:
        # The comparison of hashes of 256 random bits leaks nothing about the key.
        valid = (API_KEYS.c.hash == digest) & API_KEYS.c.revoked_at.is_(None)
        with self.engine.connect() as connection:
            row = connection.execute(select(API_KEYS.c.id, API_KEYS.c.name).where(valid)).first()
        return ValidKey(*row) if row else None


def _hash(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
