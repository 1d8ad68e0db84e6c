"""The caller of the current request."""

from __future__ import annotations

from flask import g, request

from server.runtime.addresses import plain_address
from server.runtime.caller import Caller
from server.storage.api_keys import KeyRing


def current_caller() -> Caller:
    """The caller of the current request; without a valid key, only its address is known."""
    known: Caller | None = g.get("caller")
    return known or Caller(None, None, client_address())


def identify(ring: KeyRing | None) -> None:
    """Set the caller of the current request; `ring` is None if keys are not looked up."""
    given = given_key() if ring else ""
    found = ring.find(given) if ring and given else None
    key_id, name = (found.id, found.name) if found else (None, None)
    is_visitor = ring is not None and found is None
    g.caller = Caller(key_id, name, client_address(), is_visitor)


def given_key() -> str:
    """The API key that the current request carries, valid or not; "" if there is none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return request.headers.get("X-API-Key") or (token if scheme.lower() == "bearer" else "")


def client_address() -> str:
    """The address of the client."""
    return plain_address(request.remote_addr or "127.0.0.1")
