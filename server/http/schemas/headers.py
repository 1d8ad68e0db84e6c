"""Schemas of the headers of requests about games and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from marshmallow import fields, validate

from server.games.access import Credentials
from server.http.schemas.base import DataclassSchema
from server.runtime.caller import Caller


@dataclass(frozen=True)
class KeyHeader:
    """The header by which a repeated request is recognised."""

    key: str | None = None


class KeyHeaderSchema(DataclassSchema):
    """The header by which a repeated request is recognised."""

    into = KeyHeader
    key = fields.String(
        data_key="Idempotency-Key",
        validate=validate.Regexp("^[!-~]{1,200}$", error="must be 1 to 200 visible characters"),
        metadata={"description": "a repeated request with the same key and body changes nothing"},
    )


@dataclass(frozen=True)
class EventsHeader(KeyHeader):
    """The headers of a request with events."""

    etag: str | None = None


class EventsHeaderSchema(KeyHeaderSchema):
    """The headers of a request with events."""

    into = EventsHeader
    etag = fields.String(
        data_key="If-Match",
        metadata={"description": "the ETag of the version that the events follow"},
    )


@dataclass(frozen=True)
class TokensHeader:
    """The tokens by which others than the owner may see a game or a table."""

    seat_token: str | None = None
    share_token: str | None = None

    def credentials(self, caller: Caller) -> Credentials:
        """The credentials of a caller's request."""
        return Credentials(caller, self.seat_token, self.share_token)


class SeatTokenHeaderSchema(DataclassSchema):
    """The token of a seat."""

    into: ClassVar[type[Any] | None] = TokensHeader
    seat_token = fields.String(
        data_key="X-Seat-Token",
        metadata={"description": "the token of a seat: shows its view, and a private table"},
    )


class TokensHeaderSchema(SeatTokenHeaderSchema):
    """The tokens by which others than the owner may see a game or a table."""

    share_token = fields.String(
        data_key="X-Share-Token",
        metadata={"description": "the token of a link, or the watch token of a table"},
    )


@dataclass(frozen=True)
class GameHeader(TokensHeader):
    """The version that the client has, and its tokens."""

    etag: str | None = None


@dataclass(frozen=True)
class VersionHeader:
    """The version that the client has."""

    etag: str | None = None


class VersionHeaderSchema(DataclassSchema):
    """The version that the client has."""

    into: ClassVar[type[Any] | None] = VersionHeader
    etag = fields.String(
        data_key="If-None-Match", metadata={"description": "the ETag of an earlier answer"}
    )


class GameHeaderSchema(TokensHeaderSchema, VersionHeaderSchema):
    """The version that the client has, and its tokens."""

    into = GameHeader
