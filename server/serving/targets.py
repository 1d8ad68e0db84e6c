"""What a request line asks for, read as gunicorn and Flask read it."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, unquote_to_bytes

from gunicorn.util import split_request_uri


class Target(NamedTuple):
    """The method, and the target as the application sees it."""

    method: str
    path: str  # without escapes, in Latin-1 as in WSGI
    query: str

    def values(self, name: str) -> list[str]:
        """The values of a parameter of the query."""
        if not self.query:
            return []
        found = parse_qsl(self.query, keep_blank_values=True)
        return [value for key, value in found if key == name]


NO_TARGET = Target("", "", "")


def target_of(request_line: bytes) -> Target:
    """The target of a request; empty if there is none, which gunicorn rejects."""
    method, _, rest = request_line.decode("latin-1").partition(" ")
    target = rest.partition(" ")[0]
    if target.isascii() and target.startswith("/") and not _is_special(target):
        path, _, query = target.partition("?")
        return Target(method, path, query)
    try:
        uri = split_request_uri(target)
    except ValueError:
        return NO_TARGET
    return Target(method, unquote_to_bytes(uri.path).decode("latin-1"), uri.query)


def _is_special(target: str) -> bool:
    """Whether a path needs more than a split at the question mark."""
    return target.startswith("//") or "%" in target or "#" in target
