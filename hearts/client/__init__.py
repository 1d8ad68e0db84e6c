"""The HTTP client of the service."""

from hearts.client.answers import Beliefs, GameState, Joined, Move, NewTable, Pass, Share, Table
from hearts.client.client import HeartsClient
from hearts.client.errors import (
    AnswerTooLong,
    ClientError,
    DeadlineExceeded,
    NotConnected,
    ServiceError,
    Unreachable,
)

__all__ = [
    "AnswerTooLong",
    "Beliefs",
    "ClientError",
    "DeadlineExceeded",
    "GameState",
    "HeartsClient",
    "Joined",
    "Move",
    "NewTable",
    "NotConnected",
    "Pass",
    "ServiceError",
    "Share",
    "Table",
    "Unreachable",
]
