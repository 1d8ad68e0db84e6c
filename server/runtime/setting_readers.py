"""Readers of settings: each converts a text, or raises ValueError with the reason."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s]+|null")
HOST = re.compile(r"[a-z0-9._\[\]:-]+")
TOKEN = re.compile(r"[!-~]{16,}")
Networks = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]
AUTO = "auto"  # a value that follows from other settings
NONE = "none"  # an empty list
MEMORY = "memory"  # rates are counted in this process


def text(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value.strip()


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reads whole numbers from `low` to `high`."""

    def read(value: str) -> int:
        number = int(value) if value.strip().isascii() and value.strip().isdigit() else None
        if number is None or not low <= number <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return number

    return read


def whole_or_auto(low: int, high: int) -> Callable[[str], str]:
    """Reads whole numbers from `low` to `high`, as texts, and `auto`."""
    read_number = whole(low, high)

    def read(value: str) -> str:
        if value.strip().lower() == AUTO:
            return AUTO
        try:
            return str(read_number(value))
        except ValueError as error:
            raise ValueError(f"{error}, or auto") from None

    return read


def one_of(*choices: str) -> Callable[[str], str]:
    """Reads one of `choices`, in upper or lower case."""

    def read(value: str) -> str:
        if value.strip().lower() not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return value.strip().lower()

    return read


def flag(value: str) -> bool:
    """Read yes or no."""
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if value.strip().lower() not in words:
        raise ValueError("must be true or false")
    return words[value.strip().lower()]


def rate_limit(value: str) -> str:
    """Read a rate such as `600 per minute`, `off` or `auto`."""
    from limits import parse_many  # imported here, so that `hearts --help` stays fast

    if value.strip().lower() not in ("off", "auto"):
        try:
            parse_many(value)
        except ValueError:
            raise ValueError("must be off, auto or a rate such as '600 per minute'") from None
    return value.strip().lower()


def database_url(value: str) -> str:
    """Read the URL of a SQLite or PostgreSQL database; a driver may follow a `+`."""
    scheme = value.partition("://")[0].partition("+")[0]
    if "://" not in value or scheme not in ("sqlite", "postgresql"):
        raise ValueError("must begin with sqlite:/// or postgresql://")
    return value.strip()


def limits_url(value: str) -> str:
    """Read `memory` or the URL of a Redis."""
    scheme, separator, _ = value.strip().partition("://")
    if value.strip().lower() == MEMORY:
        return MEMORY
    if not separator or scheme not in ("redis", "rediss", "redis+unix"):
        raise ValueError("must be memory or begin with redis://, rediss:// or redis+unix://")
    return value.strip()


def networks(value: str) -> str:
    """Read addresses and networks, comma-separated, or `none`."""
    try:
        parse_networks(value)
    except ValueError:
        reason = "must be none, or addresses and networks such as '127.0.0.1, 10.0.0.0/8'"
        raise ValueError(reason) from None
    return value.strip()


def parse_networks(value: str) -> Networks:
    """The networks of a text that `networks` has accepted."""
    if value.strip().lower() == NONE:
        return ()
    return tuple(ipaddress.ip_network(each.strip(), strict=False) for each in value.split(","))


def origins(value: str) -> str:
    """Read origins of web pages, comma-separated, or `auto`, `none` or `*`."""
    words = [each.strip().lower() for each in value.split(",")]
    if len(words) == 1 and words[0] in (AUTO, NONE, "*"):
        return words[0]
    if any("*" in each for each in words):
        raise ValueError("must be * alone, or list every origin in full")
    if not all(ORIGIN.fullmatch(each) for each in words):
        raise ValueError("must be auto, none, *, or origins such as 'https://hearts.example'")
    return ",".join(words)


def hosts(value: str) -> str:
    """Read names of hosts, comma-separated, or `auto`."""
    words = [each.strip().lower() for each in value.split(",")]
    if not all(HOST.fullmatch(each) for each in words):
        raise ValueError("must be auto, or names of hosts such as 'hearts.example, .example.org'")
    return ",".join(words)


def token(value: str) -> str:
    """Read a secret, or `none`."""
    if value.strip().lower() == NONE:
        return NONE
    if not TOKEN.fullmatch(value.strip()):
        raise ValueError("must be none, or at least 16 printable characters without spaces")
    return value.strip()
