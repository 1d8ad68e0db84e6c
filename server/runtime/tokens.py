"""Tokens, which prove a seat at a table or open a link to a game; only hashes are stored."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Sequence
from hashlib import sha256

LEAST_DIFFERENT = 8  # characters; of 32 random hex digits nearly all are there
WEAK = "must be 32 to 128 random letters, digits, - and _"
_FORM = re.compile(r"[A-Za-z0-9_-]{32,128}")


def new_token() -> str:
    """A new random token."""
    return secrets.token_urlsafe(24)


def is_unguessable(token: str) -> bool:
    """Whether a token that a client has chosen may be random: long, and not of a few characters."""
    return _FORM.fullmatch(token) is not None and len(set(token)) >= LEAST_DIFFERENT


def token_hash(token: str) -> str:
    """The hash of a token, which is stored; the token has 192 random bits and needs no salt."""
    return sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


def seat_of(token: str, hashes: Sequence[str | None]) -> int | None:
    """The seat of a token, or None; compares all seats in constant time."""
    given = token_hash(token)
    matches = [kept is not None and hmac.compare_digest(given, kept) for kept in hashes]
    return matches.index(True) if any(matches) else None
