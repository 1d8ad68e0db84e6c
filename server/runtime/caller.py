"""The caller of a request: its API key and its address."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

IPV6_PREFIX = 64  # bits; whoever has one IPv6 address usually has all of its /64


@dataclass(frozen=True)
class Caller:
    """The API key of a request, if keys are required, and the address of the client."""

    key_id: int | None
    name: str | None  # of the key
    address: str
    # Without a key where one is required: a token may let it see one game, and nothing else.
    visitor: bool = False

    @property
    def identity(self) -> str:
        """The key, or without one the address: limits count per identity."""
        if self.key_id is not None:
            return key_identity(self.key_id)
        if ":" not in self.address:
            return self.address
        return str(ipaddress.ip_network((self.address, IPV6_PREFIX), strict=False))


def key_identity(key_id: int) -> str:
    """The identity of all callers with a key."""
    return f"key {key_id}"
