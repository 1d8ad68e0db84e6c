"""Access control: API keys, and rate limits per key or address."""

from __future__ import annotations

import math
import time

from flask import Flask, g, request
from flask_limiter import Limiter, RateLimitExceeded
from flask_limiter.util import get_remote_address

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
    if settings.require_keys:
        ring = KeyRing(services(app).engine)
        app.before_request(lambda: _look_up_key(ring))
    if settings.enforced_rate is not None:
        # The limiter's headers are off, since they would add Retry-After to every answer.
        limiter = Limiter(
            _caller,
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


def _look_up_key(ring: KeyRing) -> None:
    """Look up the caller. A missing key is rejected later, after the rate limit has counted it."""
    key = _given_key()
    g.api_key = ring.name_of(key) if key and not _is_free() else None


def _require_key() -> None:
    if g.api_key is None and not _is_free():
        reason = "unknown or revoked" if _given_key() else "missing"
        raise InvalidApiKey(reason, field="X-API-Key")


def _given_key() -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return request.headers.get("X-API-Key") or (token if scheme.lower() == "bearer" else "")


def _caller() -> str:
    """The caller whose requests the rate limit counts together."""
    name = g.get("api_key")
    return f"key {name}" if name else get_remote_address()


def _rate_error(limiter: Limiter) -> RateLimited:
    broken = limiter.current_limit
    assert broken is not None
    seconds = max(1, math.ceil(broken.window.reset_time - time.time()))
    return RateLimited(f"more than {broken.limit}: try again later", retry_after=seconds)
