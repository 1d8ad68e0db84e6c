"""Reverse proxies: which client a request comes from.

Anybody can send X-Forwarded headers, so they count only if the peer of the connection is a trusted
proxy. Each proxy appends the address of its own peer to X-Forwarded-For. The client is therefore
the right-most address there that is not a trusted proxy; a client can only forge addresses to the
left of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

from server.runtime.addresses import parse_address
from server.runtime.errors import Forbidden
from server.runtime.setting_readers import Networks
from server.runtime.settings import Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# Headers that proxies add and other clients do not.
SIGNS = {
    "HTTP_X_FORWARDED_FOR": "X-Forwarded-For",
    "HTTP_X_FORWARDED_HOST": "X-Forwarded-Host",
    "HTTP_X_FORWARDED_PROTO": "X-Forwarded-Proto",
    "HTTP_X_REAL_IP": "X-Real-IP",
    "HTTP_FORWARDED": "Forwarded",
}
CACHED = 1024  # addresses whose check is remembered


class TrustedProxies:
    """WSGI middleware: applies werkzeug's ProxyFix to requests of trusted proxies."""

    def __init__(self, app: WSGIApplication, proxies: Networks) -> None:
        self.app, self.proxies = app, proxies
        self.fixed = ProxyFix(app, x_for=1, x_proto=1, x_host=1)
        self.trusts = lru_cache(CACHED)(self._trusts)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        peer = environ.get("REMOTE_ADDR", "")
        if not self.trusts(peer):
            return self.app(environ, start_response)
        environ["HTTP_X_FORWARDED_FOR"] = self.client(peer, environ.get("HTTP_X_FORWARDED_FOR", ""))
        return self.fixed(environ, start_response)

    def client(self, peer: str, forwarded: str) -> str:
        """The client behind a trusted peer; an entry that is no address ends the search."""
        found = peer
        for hop in reversed(forwarded.split(",")):
            address = _address(hop)
            if address is None:
                return found
            found = address
            if not self.trusts(address):
                return found
        return found

    def _trusts(self, address: str) -> bool:
        """Whether an address belongs to a trusted proxy."""
        try:
            parsed = parse_address(address)
        except ValueError:  # a Unix socket has no address
            return False
        return any(parsed in network for network in self.proxies)


def trust_proxies(app: Flask, settings: Settings) -> None:
    """Find the clients behind the trusted proxies."""
    if settings.proxies:
        app.wsgi_app = TrustedProxies(app.wsgi_app, settings.proxies)  # type: ignore[method-assign]


def reject_unknown_proxy() -> None:
    """Reject a request that a proxy has passed to a service meant for this machine only.

    Otherwise everybody who reaches the proxy could call without a key.
    """
    for variable, header in SIGNS.items():
        if variable in request.environ:
            raise Forbidden(
                "a proxy has passed this request to a service for this machine only: "
                "set HEARTS_TRUSTED_PROXIES to the proxy's address",
                field=header,
            )


def _address(hop: str) -> str | None:
    """An entry of X-Forwarded-For without a port; None if it is not an address."""
    text = hop.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(parse_address(text))
    except ValueError:
        return None
