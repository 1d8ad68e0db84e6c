"""The errors that the server raises, independent of HTTP.

ServerError                  the installation is at fault; for the operator
├── SettingsError            a setting has an invalid value
├── ApiKeyError              an API key cannot be created or revoked
└── DatabaseError            the database is unreachable or has an unsupported schema

ApiError                     a request cannot be answered; for the client
├── ParseError               a body, query or header is malformed
├── InvalidGameState         a game state, record or rule set is impossible
├── RejectedMove             the rules forbid the move
├── InvalidAiConfig          a search option is unknown or out of range
├── InvalidApiKey            the API key is missing, unknown or revoked
├── Forbidden                the token, origin, host or proxy does not allow the request
├── NotFound                 the game, hand or table does not exist
├── Conflict                 the game or table has moved on
├── PreconditionFailed       If-Match names another version
├── RateLimited              the client has sent too many requests
├── Busy                     all search slots, watcher places or places of the job queue are taken
├── JobFailed                the queued work that the request waits for has failed
└── NotReady                 warm-up has not finished, or the database does not answer

`server.http.errors` maps every class to an error code and a status.
"""

from __future__ import annotations


class ServerError(Exception):
    """A fault of the installation; the message is for the operator."""


class SettingsError(ServerError):
    """A setting has an invalid value; the message names the setting and quotes the value."""


class ApiKeyError(ServerError):
    """An API key cannot be created or revoked."""


class DatabaseError(ServerError):
    """The database is unreachable or has an unsupported schema."""


class ApiError(Exception):
    """A request that cannot be answered.

    `field` is the field of the request at fault, "" where the error concerns none. `details` are
    further fields of the answer, `retry_after` the seconds after which the client may try again.
    """

    def __init__(
        self, reason: str, *, field: str = "", retry_after: int | None = None, **details: object
    ) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.reason, self.field = reason, field
        self.retry_after, self.details = retry_after, details


class ParseError(ApiError):
    """A body, query or header is malformed."""


class InvalidGameState(ApiError):
    """A game state, record or rule set is impossible."""


class RejectedMove(ApiError):
    """The rules forbid the move."""


class InvalidAiConfig(ApiError):
    """A search option is unknown or out of range."""


class InvalidApiKey(ApiError):
    """The API key is missing, unknown or revoked."""


class Forbidden(ApiError):
    """The token, the origin, the name or the proxy of the request does not allow it.

    It proves no seat and no invitation, is of a web page of another origin, names another host,
    comes through an unknown proxy, or asks for metrics.
    """


class NotFound(ApiError):
    """The game, hand or table does not exist."""


class Conflict(ApiError):
    """The game or table has moved on."""


class PreconditionFailed(ApiError):
    """If-Match names another version."""


class RateLimited(ApiError):
    """The client has sent too many requests."""


class Busy(ApiError):
    """All search slots, watcher places or places of the job queue are taken."""


class JobFailed(ApiError):
    """The queued work that the request waits for has failed."""


class NotReady(ApiError):
    """Warm-up has not finished, or the database does not answer."""
