"""What can be configured, read from `HEARTS_*` environment variables."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from server.errors import SettingsError

PREFIX = "HEARTS_"
LOG_LEVELS = ("debug", "info", "warning", "error")


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value.strip()


def _whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers from `low` to `high`."""

    def read(value: str) -> int:
        number = int(value) if value.strip().isascii() and value.strip().isdigit() else None
        if number is None or not low <= number <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return number

    return read


def _one_of(*choices: str) -> Callable[[str], str]:
    """A reader of one of `choices`, in any case."""

    def read(value: str) -> str:
        if value.strip().lower() not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return value.strip().lower()

    return read


def _database_url(value: str) -> str:
    """A reader of the two databases that the tests run on; the driver may be named after a `+`."""
    scheme = value.partition("://")[0].partition("+")[0]
    if "://" not in value or scheme not in ("sqlite", "postgresql"):
        raise ValueError("must begin with sqlite:/// or postgresql://")
    return value.strip()


def _setting(default: Any, read: Callable[[str], Any], about: str) -> Any:
    """A dataclass field that knows how to read itself and what to say about itself."""
    return field(default=default, metadata={"read": read, "about": about})


@dataclass(frozen=True)
class Settings:
    """The whole configuration; `HEARTS_PORT` sets `port`, and so on."""

    # A relative SQLite path is below the working directory: a clone keeps its data to itself.
    database_url: str = _setting(
        "sqlite:///var/hearts.db", _database_url, "where games are kept (SQLite or PostgreSQL)"
    )
    host: str = _setting("127.0.0.1", _text, "address to listen on; 127.0.0.1: this machine only")
    port: int = _setting(8080, _whole(1, 65535), "port to listen on")
    # Searches run without the GIL on some of these; the others keep answering health probes.
    threads: int = _setting(16, _whole(2, 256), "requests handled at the same time")
    shutdown_seconds: int = _setting(30, _whole(1, 600), "time for running requests after SIGTERM")
    cors_origins: str = _setting("*", _text, "origins that may call the API, comma-separated")
    log_level: str = _setting("info", _one_of(*LOG_LEVELS), "least severe messages that are logged")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Read every setting from `environ`; raise SettingsError for what cannot be understood."""
        _refuse_unknown(environ)
        values = {
            each.name: _read(variable(each.name), each.metadata["read"], environ)
            for each in fields(cls)
            if variable(each.name) in environ
        }
        return cls(**values)


@dataclass(frozen=True)
class Listing:
    """One line of `hearts config`."""

    name: str
    value: str | int
    source: str  # "default", or the environment variable it was read from
    variable: str
    about: str


def variable(name: str) -> str:
    """The environment variable that sets `name`."""
    return PREFIX + name.upper()


def listing(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[Listing]:
    """All settings with their values (passwords hidden) and where they come from."""
    return [
        Listing(
            name=each.name,
            value=shown(each.name, getattr(settings, each.name)),
            source=variable(each.name) if variable(each.name) in environ else "default",
            variable=variable(each.name),
            about=each.metadata["about"],
        )
        for each in fields(settings)
    ]


def shown(name: str, value: str | int) -> str | int:
    """`value` as it may be shown: a database's password is replaced by stars."""
    if name != "database_url":
        return value
    from sqlalchemy import make_url  # only here, so that reading settings stays quick

    return make_url(str(value)).render_as_string(hide_password=True)


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    """A misspelt variable would otherwise be ignored without a word."""
    known = {variable(each.name) for each in fields(Settings)}
    unknown = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise SettingsError(
            f"unknown setting {', '.join(unknown)}; known are {', '.join(sorted(known))}"
        )


def _read(name: str, read: Callable[[str], Any], environ: Mapping[str, str]) -> Any:
    try:
        return read(environ[name])
    except ValueError as error:
        # A database URL may hold a password: the message does not quote it.
        quoted = "" if name == variable("database_url") else f", not {environ[name]!r}"
        raise SettingsError(f"{name} {error}{quoted}") from None
