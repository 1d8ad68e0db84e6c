r"""Fair deals: a commitment is published before the first card and opened after the last.

The commitment is the SHA-256, in hex, of a UTF-8 text of eight lines, separated by `\n` and without
one at the end.

    hearts-deal-1
    the table's id
    the hand's number, from 0
    the thirteen cards of seat 0, one blank between them
    …                    seat 1
    …                    seat 2
    …                    seat 3
    the nonce: 64 hex digits

Cards are as dealt, before the pass: clubs, diamonds, spades, hearts, each from 2 to ace. With the
opening anybody can compute the hash; the commitment alone tells nothing about the cards.
"""

from __future__ import annotations

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
    """A deal: the cards of each seat, and the nonce that hides them in the commitment."""

    dealt: Hands
    nonce: str


def shuffle(seed: int | None, hand: int) -> Shuffle:
    """The deal of a hand: by the system's randomness, or a function of `seed` and its number."""
    dealt = _drawn() if seed is None else dealt_by(seed, hand)
    return Shuffle(dealt, secrets.token_hex(NONCE_BYTES))


def dealt_by(seed: int, hand: int) -> Hands:
    """The hands of a seeded table: numpy's permutation of the deck for [seed, hand].

    The deck is 2C … AC, 2D … AD, 2S … AS, 2H … AH; seat 0 gets the first thirteen cards of the
    permutation, and so on.
    """
    order = np.random.default_rng([seed, hand]).permutation(len(ALL_CARDS))
    return _hands([ALL_CARDS[place] for place in order])


def sealed_text(table_id: str, hand: int, dealt: Sequence[CardSet], nonce: str) -> str:
    """The text whose hash is the commitment."""
    cards = (" ".join(names(held)) for held in dealt)
    return "\n".join([FORM, table_id, str(hand), *cards, nonce])


def commitment(table_id: str, hand: int, dealt: Sequence[CardSet], nonce: str) -> str:
    """The commitment to a deal."""
    return sha256(sealed_text(table_id, hand, dealt, nonce).encode()).hexdigest()


def _drawn() -> Hands:
    """A deal by the system's randomness; all deals are equally likely."""
    return _hands(SystemRandom().sample(ALL_CARDS, len(ALL_CARDS)))


def _hands(order: Sequence[int]) -> Hands:
    return tuple(set_of(order[RANKS * seat : RANKS * (seat + 1)]) for seat in range(SEATS))
