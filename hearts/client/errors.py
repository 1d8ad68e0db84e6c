"""The errors of the client.

ClientError
├── ServiceError            the service refused the request
└── Unreachable             no complete answer came; the request may have been executed
    ├── NotConnected        no connection could be made; nothing was sent
    ├── DeadlineExceeded    the answer did not arrive in time
    └── AnswerTooLong       the answer exceeds the limit on its size
"""

from __future__ import annotations


class ClientError(Exception):
    """A request without a usable answer."""


class ServiceError(ClientError):
    """The service refused the request; `code` is the `error_code` of its answer."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message = status, code, message


class Unreachable(ClientError):
    """No complete answer came; the request may have been executed."""


class NotConnected(Unreachable):
    """No connection could be made; nothing was sent."""


class DeadlineExceeded(Unreachable):
    """The answer did not arrive in time."""


class AnswerTooLong(Unreachable):
    """The answer exceeds the limit on its size."""
