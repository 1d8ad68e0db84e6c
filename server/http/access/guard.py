"""API keys, and rate limits per key or address."""

from __future__ import annotations

import math
import time

from flask import Flask, request
from flask_limiter import Limiter, RateLimitExceeded

from server.http.access.callers import current_caller, given_key, identify
from server.http.errors import answer
from server.http.services import services
from server.runtime.errors import InvalidApiKey, RateLimited, SettingsError
from server.runtime.settings import Settings
from server.storage.api_keys import KeyRing

# The security section of the OpenAPI document, if keys are required.
SECURITY = {
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            "bearer": {"type": "http", "scheme": "bearer"},
        }
    },
    "security": [{"key": []}, {"bearer": []}],
}
# Probes and the API description need no key and have no rate limit.
OPEN_PATHS = ("/api/health", "/healthz", "/readyz", "/openapi.json", "/docs")
# Nor do the pages of this blueprint. Their requests to the API do.
OPEN_BLUEPRINT = "pages"


def check_exposure(settings: Settings) -> None:
    """Raise SettingsError if other machines could call without a key and that was not allowed."""
    if settings.is_loopback or settings.require_keys or settings.allow_open:
        return
    raise SettingsError(
        f"on {settings.host} other machines can call: require keys (HEARTS_REQUIRE_KEYS=true), "
        "or allow calls without keys (--open, HEARTS_ALLOW_OPEN=true)"
    )


def guard(app: Flask, settings: Settings) -> None:
    """Check the API key and the rate limit of every request."""
    ring = KeyRing(services(app).engine) if settings.require_keys else None
    app.before_request(lambda: identify(None if _is_free() else ring))
    if settings.enforced_rate is not None:
        # The limiter's headers are off, since they would add Retry-After to every answer.
        limiter = Limiter(
            lambda: current_caller().identity,
            default_limits=[settings.enforced_rate],
            default_limits_exempt_when=_is_free,
            storage_uri="memory://",
            headers_enabled=False,
        )
        limiter.init_app(app)
        app.register_error_handler(RateLimitExceeded, lambda _: answer(_rate_error(limiter)))
    if settings.require_keys:
        app.before_request(_require_key)  # after the rate limit, which also counts wrong keys


def _is_free() -> bool:
    """Whether a request needs no key and has no rate limit."""
    # Browsers send OPTIONS, without a key, before a request with one.
    if request.method == "OPTIONS" or request.blueprint == OPEN_BLUEPRINT:
        return True
    below = tuple(f"{path}/" for path in OPEN_PATHS)
    return request.path in OPEN_PATHS or request.path.startswith(below)


def _require_key() -> None:
    if current_caller().key_id is None and not _is_free():
        reason = "unknown or revoked" if given_key() else "missing"
        raise InvalidApiKey(reason, field="X-API-Key")


def _rate_error(limiter: Limiter) -> RateLimited:
    broken = limiter.current_limit
    assert broken is not None
    seconds = max(1, math.ceil(broken.window.reset_time - time.time()))
    return RateLimited(f"more than {broken.limit}: try again later", retry_after=seconds)
