"""Web pages of other origins: what they may ask, and which names the service answers to.

A service without keys trusts whoever can reach it, and so a web page that a browser on the same
machine shows. Such pages may read and use the stateless endpoints, but change nothing. With keys a
page needs a key, which pages of others do not have, so any origin may call.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from urllib.parse import urlsplit

from flask import Flask, Request, Response, request
from flask_cors import CORS
from werkzeug.exceptions import NotFound
from werkzeug.sansio.utils import host_is_trusted

from server.runtime.errors import Forbidden
from server.runtime.setting_readers import AUTO, NONE
from server.runtime.settings import Settings

CACHED = 256  # names whose check is remembered
METHODS = ["GET", "HEAD", "OPTIONS", "POST"]
NO_DOMAIN = re.compile(r"[^.:]+")  # the name of a machine in its own network
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
ALLOWED_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-Key, "
    "X-Request-ID, X-Seat-Token, X-Share-Token"
)
EXPOSED = ["X-Request-ID", "Retry-After", "ETag", "Location"]  # headers that scripts may read
# Routes whose POST computes an answer and stores nothing but a logged decision.
STATELESS = frozenset(
    {
        "/api/analysis",
        "/api/beliefs",
        "/api/legal",
        "/api/move",
        "/api/moves",
        "/api/pass",
        "/api/play-one",
        "/api/review",
    }
)
# Values of Sec-Fetch-Site, which browsers set and pages cannot: the page is of this service, or a
# person has typed the address.
OWN_SITES = frozenset({"same-origin", "none"})


class Origins:
    """The origins whose pages may do everything: all, or those of HEARTS_CORS_ORIGINS."""

    def __init__(self, settings: Settings) -> None:
        given = settings.cors_origins
        self.may_read = given in (AUTO, "*")  # any origin
        self.is_any = given == "*" or (given == AUTO and settings.require_keys)
        self.listed = frozenset() if given in (AUTO, NONE, "*") else frozenset(given.split(","))

    def check(self) -> None:
        """Reject a request of a page of another origin that would change something."""
        if self.is_any or _is_stateless(request) or not self._is_foreign(request):
            return
        page = request.headers.get("Origin") or "another site"
        reason = f"pages of {page} may change nothing: list their origin in HEARTS_CORS_ORIGINS"
        raise Forbidden(reason, field="Origin")

    def allow(self, app: Flask) -> None:
        """Let pages of other origins read answers."""
        app.before_request(answer_options)
        app.after_request(describe_options)  # runs after Flask-CORS: the last registered runs first
        readers = ["*"] if self.may_read else sorted(self.listed)
        methods = [*METHODS, "DELETE"]
        CORS(app, origins=readers, methods=methods, send_wildcard=self.may_read,
             expose_headers=EXPOSED)  # fmt: skip

    def _is_foreign(self, asked: Request) -> bool:
        """Whether a page of an origin that is not listed has sent a request."""
        origin, site = asked.headers.get("Origin"), asked.headers.get("Sec-Fetch-Site")
        if site in OWN_SITES or origin in self.listed:
            return False
        if site is None:  # an old browser, plain HTTP, or no browser at all
            place = origin and origin.partition("://")[2]
            return place is not None and place.lower() != asked.host.lower()
        return True


class Hosts:
    """The names in the header Host that the service answers to.

    An attacker may let the name of their own site point to 127.0.0.1 (DNS rebinding). To a browser
    the service then belongs to that site. Names without a dot cannot be registered.
    """

    def __init__(self, settings: Settings, *, is_local: bool) -> None:
        given = settings.allowed_hosts
        self.is_checked = is_local or given != AUTO
        self.listed = [] if given == AUTO else given.split(",")
        self.is_local = is_local
        self._allows = lru_cache(CACHED)(self.allows)

    def check(self) -> None:
        """Reject a request for another name."""
        if not self.is_checked or self._allows(request.host):
            return
        reason = f"{request.host} is not a name of this service: list it in HEARTS_ALLOWED_HOSTS"
        raise Forbidden(reason, field="Host")

    def allows(self, host: str) -> bool:
        """Whether `host`, perhaps with a port, is a name of this service."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:  # half an IPv6 address
            return False
        is_own = _is_loopback(name) or (self.is_local and NO_DOMAIN.fullmatch(name) is not None)
        return is_own or (bool(self.listed) and host_is_trusted(host, self.listed))


def answer_options() -> Response | None:
    """Answer preflight requests on unknown paths, so that browsers can read the 404."""
    missing = isinstance(request.routing_exception, NotFound)
    return Response() if request.method == "OPTIONS" and missing else None


def describe_options(response: Response) -> Response:
    """Add methods and headers to every OPTIONS, also without a requested method."""
    if request.method == "OPTIONS":
        response.headers.setdefault("Access-Control-Allow-Methods", ", ".join(METHODS))
        response.headers.setdefault("Access-Control-Allow-Headers", ALLOWED_HEADERS)
    return response


def _is_stateless(asked: Request) -> bool:
    """Whether a request changes nothing that is stored."""
    rule = asked.url_rule
    return asked.method in SAFE_METHODS or rule is None or rule.rule in STATELESS


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
