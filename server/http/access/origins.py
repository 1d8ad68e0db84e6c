"""Web pages of other origins: what they may ask, and which answers they may read.

A service without keys trusts whoever can reach it, and so a web page that a browser on the same
machine shows. Pages of other origins may therefore use stateless endpoints only: they neither read
nor change what is stored. With keys a page needs a key, which pages of others do not have, so any
origin may call.
"""

from __future__ import annotations

from flask import Flask, Request, Response, request
from werkzeug.exceptions import NotFound

from server.http.access import operators
from server.http.access.marks import is_stateless
from server.runtime.errors import Forbidden
from server.runtime.setting_readers import AUTO, NONE
from server.runtime.settings import Settings

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
METHODS = "DELETE, GET, HEAD, OPTIONS, POST"
ALLOWED_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-Key, "
    "X-Request-ID, X-Seat-Token, X-Share-Token"
)
EXPOSED = "ETag, Location, Retry-After, X-Request-ID"  # headers that scripts may read
ANY = "*"
# The same for everybody: the pages for people, and the description of the API.
PUBLIC_BLUEPRINTS = frozenset({"pages", "docs", "api-docs"})
# Values of Sec-Fetch-Site, which browsers set and pages cannot: the page is of this service, or a
# person has typed the address.
OWN_SITES = frozenset({"same-origin", "none"})


class Origins:
    """The origins whose pages may do everything: all, or those of HEARTS_CORS_ORIGINS."""

    def __init__(self, settings: Settings) -> None:
        given = settings.cors_origins
        self.is_any = given == ANY or (given == AUTO and settings.require_keys)
        self.is_auto = given == AUTO
        self.listed = frozenset() if given in (AUTO, NONE, ANY) else frozenset(given.split(","))

    def check(self) -> None:
        """Reject a request of a page of another origin for more than a stateless endpoint."""
        if self.is_any or _is_public() or not self._is_foreign(request):
            return
        page = request.headers.get("Origin") or "another site"
        reason = f"pages of {page} may use stateless endpoints only: " + (
            "list their origin in HEARTS_CORS_ORIGINS"
        )
        raise Forbidden(reason, field="Origin")

    def allow(self, app: Flask) -> None:
        """Tell browsers which answers pages of other origins may read (CORS)."""
        app.before_request(answer_options)
        app.after_request(self._describe)

    def _describe(self, response: Response) -> Response:
        if request.method == "OPTIONS":
            wanted = request.headers.get("Access-Control-Request-Headers", ALLOWED_HEADERS)
            response.headers["Access-Control-Allow-Methods"] = METHODS
            response.headers["Access-Control-Allow-Headers"] = wanted
        if self.listed:
            response.vary.add("Origin")
        if (reader := self._reader()) is not None:
            response.headers["Access-Control-Allow-Origin"] = reader
            response.headers["Access-Control-Expose-Headers"] = EXPOSED
        return response

    def _reader(self) -> str | None:
        """The origin whose pages may read the answer; None: only those of the service."""
        if request.path == operators.PATH:
            return None
        if self.is_any or (self.is_auto and _is_public()):
            return ANY
        origin = request.headers.get("Origin")
        return origin if origin in self.listed else None

    def _is_foreign(self, asked: Request) -> bool:
        """Whether a page of an origin that is not listed has sent a request."""
        origin, site = asked.headers.get("Origin"), asked.headers.get("Sec-Fetch-Site")
        if site in OWN_SITES or origin in self.listed:
            return False
        if asked.headers.get("Sec-Fetch-Mode") == "navigate" and asked.method in SAFE_METHODS:
            return False  # a person follows a link: the page with the link reads nothing
        if site is None:  # an old browser, plain HTTP, or no browser at all
            place = origin and origin.partition("://")[2]
            return place is not None and place.lower() != asked.host.lower()
        return True


def answer_options() -> Response | None:
    """Answer preflight requests on unknown paths, so that browsers can read the 404."""
    missing = isinstance(request.routing_exception, NotFound)
    return Response() if request.method == "OPTIONS" and missing else None


def _is_public() -> bool:
    """Whether pages of any origin may use the endpoint of the current request."""
    if request.url_rule is None:  # there is none
        return True
    return request.blueprint in PUBLIC_BLUEPRINTS or is_stateless()
