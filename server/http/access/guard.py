"""The checks before every request: proxies, hosts, origins, API keys, rate limits."""

from __future__ import annotations

from flask import Flask, request

from server.http.access.callers import current_caller, given_key, identify
from server.http.access.hosts import Hosts
from server.http.access.limits import limit_rates
from server.http.access.marks import is_opened
from server.http.access.operators import Operators
from server.http.access.origins import Origins
from server.http.access.proxies import reject_unknown_proxy, trust_proxies
from server.http.services import services
from server.runtime.errors import InvalidApiKey, SettingsError
from server.runtime.setting_readers import AUTO, NONE
from server.runtime.settings import Settings, is_loopback
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
_BELOW_OPEN = tuple(f"{path}/" for path in OPEN_PATHS)
# Nor do the pages of this blueprint. Their requests to the API do.
OPEN_BLUEPRINT = "pages"


def check_exposure(settings: Settings) -> None:
    """Raise SettingsError if other machines could call without a key and that was not allowed."""
    _check_metrics(settings)
    if not settings.is_exposed or settings.require_keys or settings.allow_open:
        return
    place = f"on {settings.host}" if not settings.is_loopback else "through HEARTS_TRUSTED_PROXIES"
    raise SettingsError(
        f"{place} other machines can call: require keys (HEARTS_REQUIRE_KEYS=true), "
        "or allow calls without keys (--open, HEARTS_ALLOW_OPEN=true)"
    )


def exposure_warning(settings: Settings) -> str | None:
    """What an operator should know about a service that needs no keys and answers to any name."""
    if settings.is_local or settings.require_keys or settings.allowed_hosts != AUTO:
        return None
    return (
        "without keys a web site can pass as this service in the browsers of people who reach it "
        "(DNS rebinding): set HEARTS_ALLOWED_HOSTS to the names of the service"
    )


def _check_metrics(settings: Settings) -> None:
    """Raise SettingsError if other machines could read metrics without a token."""
    if not settings.metrics_port or settings.metrics_token != NONE:
        return
    if not is_loopback(settings.metrics_host):
        raise SettingsError(
            f"on {settings.metrics_host} other machines can read metrics: "
            "set HEARTS_METRICS_TOKEN, or a loopback address as HEARTS_METRICS_HOST"
        )


def guard(app: Flask, settings: Settings, origins: Origins) -> None:
    """Check the proxy, the host, the origin, the API key and the rates of every request."""
    trust_proxies(app, settings)
    ring = KeyRing(services(app).engine) if settings.require_keys else None
    limits = limit_rates(app, settings)
    is_local = settings.is_local
    hosts, operators = Hosts(settings, is_local=is_local), Operators(settings)

    @app.before_request
    def check() -> None:
        if operators.concerned:
            identify(None)
            limits.count()
            operators.check()
        elif not _is_free():
            if is_local:
                reject_unknown_proxy()
            hosts.check()
            origins.check()
            if ring and (given := given_key()) and not ring.knows(given):
                limits.check_address()  # whoever guesses keys soon costs no more queries
            identify(ring)
            limits.count()  # before the key is required, so that wrong keys count too
            if ring:
                _require_key()


def _is_free() -> bool:
    """Whether a request needs no key and has no rate limit."""
    # Browsers send OPTIONS, without a key, before a request with one.
    if request.method == "OPTIONS" or request.blueprint == OPEN_BLUEPRINT:
        return True
    return request.path in OPEN_PATHS or request.path.startswith(_BELOW_OPEN)


def _require_key() -> None:
    if current_caller().key_id is None and not is_opened():
        reason = "unknown or revoked" if given_key() else "missing"
        raise InvalidApiKey(reason, field="X-API-Key")
