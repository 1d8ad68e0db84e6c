"""Settings, from a file and from `HEARTS_*` environment variables, which override the file.

The file is `hearts.toml` in the working directory, or the one that HEARTS_CONFIG names. Its keys
are the names of the settings, such as `port = 9000`.
"""

from __future__ import annotations

import ipaddress
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from hearts.engine.config import MAX_SIMULATIONS, MAX_TIME_MS, MAX_WORLDS
from server.runtime import setting_readers as readers
from server.runtime.errors import SettingsError
from server.runtime.setting_readers import Networks

PREFIX = "HEARTS_"
FILE = "hearts.toml"  # read if it exists; HEARTS_CONFIG names another
FILE_VARIABLE = "HEARTS_CONFIG"
# The cores that this process may use; not every system has sched_getaffinity.
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
PUBLIC_RATE = "600 per minute"  # the default if other machines can call
EXPENSIVE_RATE = "60 per minute"  # the same for expensive requests
PUBLIC_WATCHERS = 8  # the default for one client if other machines can call
SECRETS = ("database_url", "limits_url", "metrics_token")  # not to be shown
MAX_WORKERS = 4  # by default
LOG_LEVELS = ("debug", "info", "warning", "error")


def _setting(default: Any, read: Callable[[str], Any], about: str) -> Any:
    """A dataclass field with its reader and its description."""
    return field(default=default, metadata={"read": read, "about": about})


@dataclass(frozen=True)
class Settings:
    """All settings; `HEARTS_PORT` sets `port`, and so on."""

    # A relative SQLite path is below the working directory, so that every clone has its own data.
    database_url: str = _setting(
        "sqlite:///var/hearts.db",
        readers.database_url,
        "where games are stored (SQLite or PostgreSQL)",
    )
    spool: str = _setting(
        "var/spool", readers.text, "directory for decisions that the database has not stored yet"
    )
    spool_megabytes: int = _setting(64, readers.whole(1, 100_000), "size limit of the spool")
    host: str = _setting(
        "127.0.0.1", readers.text, "address to listen on; 127.0.0.1: this machine only"
    )
    port: int = _setting(8080, readers.whole(1, 65535), "port to listen on")
    # Searches release the GIL and use one core each; more of them would slow each other down.
    slots: int = _setting(
        CORES, readers.whole(1, 256), "searches at the same time; default: the cores"
    )
    # About 2 ms of a request hold the interpreter lock of its process; see docs/operations.md.
    workers: int = _setting(
        min(CORES, MAX_WORKERS),
        readers.whole(1, 64),
        f"worker processes; default: the cores, at most {MAX_WORKERS}",
    )
    queue: int = _setting(32, readers.whole(0, 1000), "requests that may wait for a search")
    request_seconds: int = _setting(
        20, readers.whole(1, 600), "deadline of a request, waiting included"
    )
    # Longer than most searches, so that the time of a bot's move does not depend on its cards.
    table_pace_ms: int = _setting(
        150,
        readers.whole(0, 60_000),
        "least time of bots' moves at tables with people; 0: as fast as they can",
    )
    watchers: int = _setting(
        64, readers.whole(0, 1000), "clients that may wait for a table to change"
    )
    watchers_per_client: str = _setting(
        readers.AUTO,
        readers.whole_or_auto(1, 1000),
        f"how many of them may be of one client; auto: {PUBLIC_WATCHERS}, or 3/4 on loopback",
    )
    job_workers: int = _setting(
        1, readers.whole(0, 64), "jobs that the service does at the same time; 0: `hearts worker`"
    )
    job_queue: int = _setting(
        256, readers.whole(1, 100_000), "requested jobs that may be unfinished; a caller: a quarter"
    )
    tables_per_creator: int = _setting(
        20, readers.whole(1, 1000), "tables without people of one client that are played"
    )
    table_search_percent: int = _setting(
        50, readers.whole(1, 100), "share of the slots for the bots of tables of one client"
    )
    max_simulations: int = _setting(
        MAX_SIMULATIONS, readers.whole(1, MAX_SIMULATIONS), "upper limit of simulations"
    )
    max_worlds: int = _setting(MAX_WORLDS, readers.whole(1, MAX_WORLDS), "upper limit of worlds")
    max_time_ms: int = _setting(10_000, readers.whole(1, MAX_TIME_MS), "upper limit of time_ms")
    max_table_time_ms: int = _setting(
        1000,
        readers.whole(1, MAX_TIME_MS),
        "upper limit of time_ms of bots at tables, and of every search of theirs",
    )
    require_keys: bool = _setting(False, readers.flag, "whether requests need an API key")
    allow_open: bool = _setting(False, readers.flag, "whether to serve other machines without keys")
    rate_limit: str = _setting(
        "auto",
        readers.rate_limit,
        "rate per key or address; auto: off on loopback, else " + PUBLIC_RATE,
    )
    expensive_rate_limit: str = _setting(
        "auto",
        readers.rate_limit,
        "rate of analyses, reviews, plots, new tables, /api/moves and many sampled worlds; "
        "auto: off on loopback, else " + EXPENSIVE_RATE,
    )
    limits_url: str = _setting(
        readers.MEMORY, readers.limits_url, "where rates are counted: memory, or a Redis for all"
    )
    trusted_proxies: str = _setting(
        readers.NONE,
        readers.networks,
        "addresses and networks of the proxies whose X-Forwarded headers are believed",
    )
    shutdown_seconds: int = _setting(
        30, readers.whole(1, 600), "time for running requests after SIGTERM"
    )
    cors_origins: str = _setting(
        readers.AUTO,
        readers.origins,
        "origins whose pages may do everything; auto: all if keys are required, else none",
    )
    allowed_hosts: str = _setting(
        readers.AUTO,
        readers.hosts,
        "names in the header Host; auto: for this machine only its own names, else all",
    )
    metrics_port: int = _setting(
        0, readers.whole(0, 65535), "port for metrics; 0: none, and metrics need the token"
    )
    metrics_host: str = _setting("127.0.0.1", readers.text, "address of that port")
    metrics_token: str = _setting(
        readers.NONE, readers.token, "bearer token that operators read metrics with"
    )
    retain_idempotency_hours: int = _setting(
        48, readers.whole(0, 1_000_000), "how long idempotency keys are kept; 0: for ever"
    )
    retain_open_tables_days: int = _setting(
        14, readers.whole(0, 100_000), "days without an event until a table is abandoned; 0: never"
    )
    retain_abandoned_days: int = _setting(
        90, readers.whole(0, 100_000), "how long abandoned tables without a finished hand are kept"
    )
    retain_games_days: int = _setting(
        0, readers.whole(0, 100_000), "how long posted games, and tables that are over, are kept"
    )
    retain_decisions_days: int = _setting(
        0, readers.whole(0, 100_000), "how long logged decisions are kept"
    )
    retain_reviews_days: int = _setting(0, readers.whole(0, 100_000), "how long reviews are kept")
    log_level: str = _setting("info", readers.one_of(*LOG_LEVELS), "lowest severity that is logged")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        return is_loopback(self.host)

    @property
    def is_exposed(self) -> bool:
        """Whether other machines can call, directly or through a proxy."""
        return not self.is_loopback or bool(self.proxies)

    @property
    def is_local(self) -> bool:
        """Whether the service is for the people at its machine, who trust each other."""
        return not (self.is_exposed or self.require_keys or self.allow_open)

    @property
    def proxies(self) -> Networks:
        """The networks of the trusted proxies."""
        return readers.parse_networks(self.trusted_proxies)

    def share(self, total: int) -> int:
        """The share of one worker in what all of them may use."""
        return math.ceil(total / self.workers)

    @property
    def enforced_watchers(self) -> int:
        """How many watchers of one client are allowed."""
        if self.watchers_per_client != readers.AUTO:
            return int(self.watchers_per_client)
        # On loopback all clients have the same address.
        return PUBLIC_WATCHERS if self.is_exposed else max(1, self.watchers * 3 // 4)

    @property
    def enforced_rate(self) -> str | None:
        """The rate limit that is enforced; None: no limit."""
        return self._enforced(self.rate_limit, PUBLIC_RATE)

    @property
    def enforced_expensive_rate(self) -> str | None:
        """The rate limit of expensive requests that is enforced; None: no limit."""
        return self._enforced(self.expensive_rate_limit, EXPENSIVE_RATE)

    def _enforced(self, limit: str, public: str) -> str | None:
        if limit == "auto":
            return public if self.is_exposed else None
        return None if limit == "off" else limit

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Read the file and `environ`; raises SettingsError for an unknown name or a bad value."""
        _check_names(environ)
        given = file_values(environ)
        given |= {
            each.name: environ[variable(each.name)]
            for each in fields(cls)
            if variable(each.name) in environ
        }
        values = {
            each.name: _read(each.name, each.metadata["read"], given[each.name], environ)
            for each in fields(cls)
            if each.name in given
        }
        return cls(**values)


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class Listing:
    """One line of `hearts config`."""

    name: str
    value: str | int
    source: str  # "default", or the file or environment variable it was read from
    variable: str
    about: str


def variable(name: str) -> str:
    """The environment variable that sets `name`."""
    return PREFIX + name.upper()


def listing(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[Listing]:
    """All settings with their values (passwords hidden) and sources."""
    in_file = file_values(environ)
    return [
        Listing(
            name=each.name,
            value=shown(each.name, getattr(settings, each.name)),
            source=_source(each.name, in_file, environ),
            variable=variable(each.name),
            about=each.metadata["about"],
        )
        for each in fields(settings)
    ]


def shown(name: str, value: str | int) -> str | int:
    """The value of a setting for people; stars replace a token, and the password of a URL."""
    if name not in SECRETS or value in (readers.NONE, readers.MEMORY):
        return value
    if "://" not in str(value):
        return "***"
    from sqlalchemy import make_url  # imported here, so that `hearts --help` stays fast

    return make_url(str(value)).render_as_string(hide_password=True)


def file_values(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The values in the configuration file, as texts; empty if there is no file."""
    path = Path(environ.get(FILE_VARIABLE, FILE))
    if FILE_VARIABLE not in environ and not path.exists():
        return {}
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read the settings in {path}: {error}") from None
    known = {each.name for each in fields(Settings)}
    if unknown := sorted(found.keys() - known):
        raise SettingsError(f"{path}: unknown setting {', '.join(unknown)}")
    return {name: str(value) for name, value in found.items()}


def _source(name: str, in_file: Mapping[str, str], environ: Mapping[str, str]) -> str:
    if variable(name) in environ:
        return variable(name)
    return environ.get(FILE_VARIABLE, FILE) if name in in_file else "default"


def _check_names(environ: Mapping[str, str]) -> None:
    """Reject unknown variables, which are often misspelt."""
    known = {variable(each.name) for each in fields(Settings)} | {FILE_VARIABLE}
    unknown = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise SettingsError(
            f"unknown setting {', '.join(unknown)}; known are {', '.join(sorted(known))}"
        )


def _read(name: str, read: Callable[[str], Any], value: str, environ: Mapping[str, str]) -> Any:
    try:
        return read(value)
    except ValueError as error:
        quoted = "" if name in SECRETS else f", not {value!r}"
        where = variable(name) if variable(name) in environ else name
        raise SettingsError(f"{where} {error}{quoted}") from None
