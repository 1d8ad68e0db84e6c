"""Tokens, which prove a seat at a table or open a link to a game; only hashes are stored."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from hashlib import sha256


def new_token() -> str:
    """A new random token."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    """The hash of a token, which is stored; the token has 192 random bits and needs no salt."""
    return sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


def seat_of(token: str, hashes: Sequence[str | None]) -> int | None:
    """The seat of a token, or None; compares all seats in constant time."""
    given = token_hash(token)
    matches = [kept is not None and hmac.compare_digest(given, kept) for kept in hashes]
    return matches.index(True) if any(matches) else None
