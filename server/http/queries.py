"""The queries of requests: texts that are looked for, moments, and what is not known."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from flask import request
from marshmallow import Schema

from server.runtime.errors import ParseError
from server.runtime.messages import unknown_fields


def unread_in_query(schema: type[Schema]) -> list[str]:
    """Warnings of what the query of this request names and its schema does not know."""
    return unknown_fields(request.args, frozenset(schema().fields))


def searched(query: Mapping[str, Any], field: str) -> str | None:
    """A text to look for; what cannot be shown cannot be found."""
    text: str | None = query.get(field)
    if text is not None and not text.isprintable():
        raise ParseError("has characters that cannot be shown", field=field)
    return text


def moment(query: Mapping[str, Any], field: str) -> datetime | None:
    """A point in time, in UTC where it names no zone."""
    text = query.get(field)
    if text is None:
        return None
    try:
        given = datetime.fromisoformat(text)
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        reason = "must be a time such as 2026-11-16T12:00:00Z"
        raise ParseError(reason, field=field) from None
