"""Metrics are for operators: on a port of their own, or with a token."""

from __future__ import annotations

from hmac import compare_digest

from flask import request

from server.http.access.callers import given_key
from server.http.access.hosts import Hosts
from server.runtime.errors import Forbidden, InvalidApiKey
from server.runtime.setting_readers import NONE
from server.runtime.settings import Settings

PATH = "/metrics"
READING = frozenset({"GET", "HEAD"})  # other methods get 405 like everywhere


class Operators:
    """Tells the requests of operators from those of players."""

    def __init__(self, settings: Settings) -> None:
        self.port = str(settings.metrics_port) if settings.metrics_port else None
        self.token = None if settings.metrics_token == NONE else settings.metrics_token.encode()
        self.hosts = Hosts(settings, is_local=True)  # a port without a token is on loopback

    @property
    def on_own_port(self) -> bool:
        """Whether the current request has come to the port for metrics."""
        if self.port is None:
            return False
        # A trusted proxy may have replaced the port by the one that its client sees.
        environ = request.environ.get("werkzeug.proxy_fix.orig", request.environ)
        return bool(environ["SERVER_PORT"] == self.port)

    @property
    def concerned(self) -> bool:
        """Whether the current request is one that only operators may make."""
        return self.on_own_port or (request.path == PATH and request.method in READING)

    def check(self) -> None:
        """Reject a request for metrics by anybody else; the port for metrics has nothing else."""
        if self.on_own_port and request.path != PATH:
            raise Forbidden("this port is for /metrics only")
        if self.token is not None:
            self._check_token(self.token)
        elif not self.on_own_port:
            reason = "metrics are for operators: set HEARTS_METRICS_PORT or HEARTS_METRICS_TOKEN"
            raise Forbidden(reason)
        else:
            self.hosts.check()

    def _check_token(self, token: bytes) -> None:
        given = given_key()
        if not compare_digest(given.encode("utf-8", "replace"), token):
            reason = "the token for metrics is " + ("wrong" if given else "missing")
            raise InvalidApiKey(reason, field="Authorization")
