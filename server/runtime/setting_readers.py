"""Readers of settings: each converts a text, or raises ValueError with the reason."""

from __future__ import annotations

from collections.abc import Callable


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
