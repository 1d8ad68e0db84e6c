"""The names in the header Host that the service answers to."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from urllib.parse import urlsplit

from flask import request
from werkzeug.sansio.utils import host_is_trusted

from server.runtime.errors import Forbidden
from server.runtime.setting_readers import AUTO
from server.runtime.settings import Settings

CACHED = 256  # names whose check is remembered
NO_DOMAIN = re.compile(r"[^.:]+")  # the name of a machine in its own network


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


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
