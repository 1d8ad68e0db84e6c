"""What the store is given and gives back: plain values, without SQL."""

from __future__ import annotations

import json
import re
import secrets
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from typing import Any

from hearts.game.records import Record
from hearts.game.rules import Rules
from server.storage.events import Event

LOG, TABLE, RECORD = "log", "table", "record"  # kinds of games
ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
ID_BYTES = 9  # of the ids that are made here
OPEN, FINISHED = "open", "finished"
KINDS_OF_PLAYERS = ("human", "client", "engine")


@dataclass(frozen=True)
class Player:
    """Whoever sits at a table; who is equal here is one player in statistics."""

    kind: str  # human, client or engine
    name: str
    level: str | None = None
    config: Mapping[str, Any] | None = None  # of an engine, without seed and threads
    version: str | None = None  # of the program

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all that is known."""
        return sha256(json.dumps(self.values, sort_keys=True).encode()).hexdigest()

    @property
    def values(self) -> dict[str, Any]:
        """All that is known, by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def as_object(self) -> dict[str, Any]:
        """The player as JSON has it, without what is not known."""
        return {key: value for key, value in self.values.items() if value is not None}


@dataclass(frozen=True)
class Seat:
    """A place at a table."""

    player: Player
    token_hash: str | None = None  # SHA-256 in hex of the token that proves the seat


@dataclass(frozen=True)
class NewGame:
    """A game that begins."""

    id: str
    kind: str  # log, table or record
    rules: Rules
    seats: tuple[Seat, ...]  # four
    target_score: int | None = None  # None: a single hand
    source: str = ""
    secret: str | None = None  # what a table deals from; never shown
    setup: Mapping[str, Any] | None = None  # what a table was asked for
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True)
class GameRow:
    """A game as it is kept."""

    id: str
    kind: str
    source: str
    rules: Rules
    target_score: int | None
    secret: str | None
    setup: Mapping[str, Any] | None
    status: str  # open or finished
    events: int  # how many so far: the version
    created_at: datetime
    updated_at: datetime
    seats: tuple[Seat, ...]


@dataclass(frozen=True)
class HandRow:
    """A hand as it is kept."""

    game_id: str
    number: int  # from 0
    record: Record  # what was dealt, passed and played so far
    played_at: tuple[datetime | None, ...]  # when each card was; None: nobody wrote it down
    as_recorded: bool  # it came as a record, whose id and further fields are in `record`
    commitment: str | None  # of a table, published before the first card
    nonce: str | None  # opens the commitment; secret until the hand is over
    shooter: int | None
    started_at: datetime
    finished_at: datetime | None  # None: it goes on, or its record stopped early


class EventConflict(Exception):
    """An event that cannot be the next one; `found` is what has its number already."""

    def __init__(self, reason: str, version: int = 0, found: Event | None = None) -> None:
        super().__init__(reason)
        self.reason, self.version, self.found = reason, version, found


def new_id() -> str:
    """An id that no other game has."""
    return id_of(secrets.token_bytes(ID_BYTES))


def id_of(bits: bytes) -> str:
    """72 bits as an id: 15 letters and digits, also where a `-` would begin an option."""
    return b32encode(bits[:ID_BYTES]).decode().rstrip("=").lower()


def is_id(text: str) -> bool:
    """Whether a text can be the id of a game at all."""
    return ID.fullmatch(text) is not None
