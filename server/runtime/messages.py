"""Parts of messages to clients: quoted values, cut texts, warnings about unknown fields."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MESSAGE_LIMIT = 500  # characters of a message, which may quote the client's input
_QUOTED = 40  # characters of a value or a name that a message quotes


def short(message: str) -> str:
    """A message, cut at the limit."""
    return message if len(message) <= MESSAGE_LIMIT else f"{message[:MESSAGE_LIMIT]}…"


def quoted(value: object) -> str:
    """A value as a message quotes it: as JSON writes it, and cut."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a misspelt one is closest to, None if none is close."""
    return next(iter(get_close_matches(name[:_QUOTED].lower(), sorted(known), 1)), None)


def unknown_fields(
    given: Iterable[str], known: frozenset[str] = frozenset(), place: str = ""
) -> list[str]:
    """Warnings about the fields of an object that are not read; `place` precedes their names."""
    return [f"{place}{field[:_QUOTED]}: unknown, ignored" for field in sorted({*given} - known)]
