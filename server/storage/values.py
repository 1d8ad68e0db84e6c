"""Values that are stored and read: games, players, seats and hands."""

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

from hearts.engine.config import published
from hearts.game.records import Record
from hearts.game.rules import Rules
from server.storage.events import Event

LOG, TABLE, RECORD = "log", "table", "record"  # kinds of games
SAVED = "page"  # source of a record that somebody saved on the review page: not for public lists
ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
ID_BYTES = 9  # of the ids that `new_id` makes
OPEN, FINISHED = "open", "finished"
ABANDONED = "abandoned"  # a table without an event for long; a move or a look opens it again
KINDS_OF_PLAYERS = ("human", "client", "engine")


@dataclass(frozen=True)
class Player:
    """A player; equal players are one player in statistics."""

    kind: str  # human, client or engine
    name: str
    level: str | None = None
    config: Mapping[str, Any] | None = None  # of an engine, without seed and threads; canonical
    version: str | None = None  # of the program

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all fields, by which a player is found."""
        return sha256(json.dumps(self.values, sort_keys=True).encode()).hexdigest()

    @property
    def values(self) -> dict[str, object]:
        """All fields by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def as_object(self) -> dict[str, object]:
        """The player as JSON, with the published names of options and without empty fields."""
        config = None if self.config is None else published(self.config)
        values = self.values | {"config": config}
        return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True)
class Seat:
    """A seat of a game and its player."""

    player: Player
    token_hash: str | None = None  # SHA-256 of the seat's token at a table, in hex
    invitation_hash: str | None = None  # SHA-256 of its invitation; None: none

    @property
    def is_open(self) -> bool:
        """Whether nobody has accepted its invitation yet."""
        return self.invitation_hash is not None and self.token_hash is None


@dataclass(frozen=True)
class NewGame:
    """A game that is to be stored."""

    id: str
    kind: str  # log, table or record
    rules: Rules
    seats: tuple[Seat, ...]  # four
    target_score: int | None = None  # None: a single hand
    source: str = ""
    secret: str | None = None  # the source of a table's seeds; never shown
    setup: Mapping[str, Any] | None = None  # the options of a table
    owner_id: int | None = None  # the API key that creates it; None: no key
    private: bool = False  # of a table: only its players, its owner and its watch token show it
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True)
class GameRow:
    """A stored game."""

    id: str
    kind: str
    source: str
    rules: Rules
    target_score: int | None
    secret: str | None
    setup: Mapping[str, Any] | None
    status: str  # open, finished or abandoned
    events: int  # number of events: the version
    created_at: datetime
    updated_at: datetime
    seats: tuple[Seat, ...]
    owner_id: int | None = None  # the API key that created it; None: created without a key
    private: bool = False  # of a table: only its players, its owner and its watch token show it
    driver: str | None = None  # of a table: the instance that plays for the engine's seats
    fence: int = 0  # the number of that instance's lease
    engine_to_move: bool = False  # of a table: whether the next step is the engine's
    watched_at: datetime | None = None  # of a table of bots: when somebody looked at it


@dataclass(frozen=True)
class HandRow:
    """A stored hand."""

    game_id: str
    number: int  # from 0
    record: Record  # what was dealt, passed and played so far
    played_at: tuple[datetime | None, ...]  # by card; None: unknown
    as_recorded: bool  # it came as a record; `record` has its id and unknown fields
    commitment: str | None  # of a table: published before the first card
    nonce: str | None  # opens the commitment; secret until the hand is over
    shooter: int | None
    started_at: datetime
    finished_at: datetime | None  # None: in play, or an incomplete record


class EventConflict(Exception):
    """An event that cannot be stored; `found` is the stored event of the same number, if any."""

    def __init__(self, reason: str, version: int = 0, found: Event | None = None) -> None:
        super().__init__(reason)
        self.reason, self.version, self.found = reason, version, found


class LeaseLost(EventConflict):
    """A bot's event of an instance that no longer plays for the table."""


def new_id() -> str:
    """A new random id."""
    return id_of(secrets.token_bytes(ID_BYTES))


def id_of(bits: bytes) -> str:
    """72 bits as an id of 15 letters and digits, which no command line takes for an option."""
    return b32encode(bits[:ID_BYTES]).decode().rstrip("=").lower()


def is_id(text: str) -> bool:
    """Whether a text has the form of a game's id."""
    return ID.fullmatch(text) is not None
