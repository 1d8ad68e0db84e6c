"""Fair deals: a commitment is published before the first card, and opened when the hand is over.

The commitment is the SHA-256, in hex, of a text in UTF-8: eight lines with `\n` between them and
none at the end.

    hearts-deal-1
    the table's id
    the hand's number, from 0
    the thirteen cards of seat 0, one blank between them
    …                    seat 1
    …                    seat 2
    …                    seat 3
    the nonce: 64 hex digits

Cards are as dealt, before the pass: clubs, diamonds, spades, hearts, each from 2 to ace. Whoever
has the opening can make the text and hash it; whoever has the commitment alone cannot guess it.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import SystemRandom

import numpy as np

from hearts.game.cards import ALL_CARDS, RANKS, SEATS, CardSet, names, set_of
from hearts.game.trick import Hands

FORM = "hearts-deal-1"
NONCE_BYTES = 32


@dataclass(frozen=True)
class Shuffle:
    """What a hand begins with: the cards of each seat, and what hides them in a commitment."""

    dealt: Hands
    nonce: str


def shuffle(seed: int | None, hand: int) -> Shuffle:
    """The cards of a hand: by the system's randomness, or a function of `seed` and the number."""
    dealt = _drawn() if seed is None else dealt_by(seed, hand)
    return Shuffle(dealt, secrets.token_hex(NONCE_BYTES))


def dealt_by(seed: int, hand: int) -> Hands:
    """The hands that a table with a seed deals: numpy's permutation for [seed, hand].

    Seat 0 gets the first thirteen places of the deck 2C … AC, 2D … AD, 2S … AS, 2H … AH, and so on.
    """
    order = np.random.default_rng([seed, hand]).permutation(len(ALL_CARDS))
    return _hands([ALL_CARDS[place] for place in order])


def sealed_text(table_id: str, hand: int, dealt: Sequence[CardSet], nonce: str) -> str:
    """The text that a commitment is the hash of."""
    cards = (" ".join(names(held)) for held in dealt)
    return "\n".join([FORM, table_id, str(hand), *cards, nonce])


def commitment(table_id: str, hand: int, dealt: Sequence[CardSet], nonce: str) -> str:
    """What is published before the first card."""
    return sha256(sealed_text(table_id, hand, dealt, nonce).encode()).hexdigest()


def new_token() -> str:
    """The secret that proves a seat."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    """What is kept of a seat's token: it is random enough to need no salt."""
    return sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


def seat_of(token: str, hashes: Sequence[str | None]) -> int | None:
    """The seat that a token proves, None where it proves none; takes as long for either."""
    given = token_hash(token)
    found = [kept is not None and hmac.compare_digest(given, kept) for kept in hashes]
    return found.index(True) if any(found) else None


def _drawn() -> Hands:
    """Every deal is equally likely, and nobody can foresee it."""
    return _hands(SystemRandom().sample(ALL_CARDS, len(ALL_CARDS)))


def _hands(order: Sequence[int]) -> Hands:
    return tuple(set_of(order[RANKS * seat : RANKS * (seat + 1)]) for seat in range(SEATS))
