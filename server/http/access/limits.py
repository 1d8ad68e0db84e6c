"""Rate limits: one per key or address over all endpoints, and a stricter one for expensive ones."""

from __future__ import annotations

import math

from flask import Flask, current_app, request

from server.http.access.callers import current_caller
from server.http.access.counters import RateLimit, shared_storage
from server.runtime.errors import RateLimited
from server.runtime.settings import Settings

# Method and route of requests that cost much more than a move.
EXPENSIVE = frozenset(
    {
        ("POST", "/api/analysis"),
        ("POST", "/api/moves"),
        ("POST", "/api/review"),
        ("POST", "/api/tables"),
        ("GET", "/api/games/<string:game_id>/review"),
    }
)
_EXTENSION = "hearts.limits"


class RateLimits:
    """The rate limits of one application."""

    def __init__(self, settings: Settings) -> None:
        storage = shared_storage(settings.limits_url)
        workers = settings.workers
        general, expensive = settings.enforced_rate, settings.enforced_expensive_rate
        self.general = RateLimit(general, storage, workers) if general else None
        self.expensive = RateLimit(expensive, storage, workers) if expensive else None

    def check_address(self) -> None:
        """Raise RateLimited if the address of the current request has none left; count nothing."""
        _count(self.general, "all", is_counted=False)

    def count(self) -> None:
        """Count the current request; raises RateLimited if it is one too many."""
        _count(self.general, "all")
        if _is_expensive():
            _count(self.expensive, "expensive")


def limit_rates(app: Flask, settings: Settings) -> RateLimits:
    """Create the rate limits of `app`."""
    made = app.extensions[_EXTENSION] = RateLimits(settings)
    return made


def count_expensive() -> None:
    """Count the current request as expensive, for endpoints that learn it from the body."""
    limits: RateLimits = current_app.extensions[_EXTENSION]
    _count(limits.expensive, "expensive")


def _is_expensive() -> bool:
    rule = request.url_rule
    if rule is None:
        return False
    method = "GET" if request.method == "HEAD" else request.method  # Flask runs the same code
    return (method, rule.rule) in EXPENSIVE or request.args.get("plot", "0") != "0"


def _count(rate_limit: RateLimit | None, kind: str, *, is_counted: bool = True) -> None:
    identity = current_caller().identity
    exceeded = rate_limit and rate_limit.hit(kind, identity, is_counted=is_counted)
    if exceeded:
        limit, seconds = exceeded
        reason = f"more than {limit}" + (" of expensive requests" if kind == "expensive" else "")
        raise RateLimited(f"{reason}: try again later", retry_after=max(1, math.ceil(seconds)))
