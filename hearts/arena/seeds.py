"""Where all randomness of a tournament comes from: its seed, and a place in it.

A decision's seed depends on the deal, the seat and the number of the card, never on who sits there:
so a player against itself plays the same hand in every seating, and the difference is exactly 0.
"""

import numpy as np

from hearts.game.deal import Deal
from hearts.game.rules import PassDirection, Rules

_MASK = (1 << 64) - 1
PASS = 52  # the number of the pass among the decisions of a hand; cards are 0 … 51
FAULT = 64  # added to a decision's number for the card that replaces a faulty answer


def mixed(*parts: int) -> int:
    """A 64-bit number that depends on every part and on their order (SplitMix64's finisher)."""
    state = 0
    for part in parts:
        state = (state ^ part) + 0x9E3779B97F4A7C15 & _MASK
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        state = (state ^ state >> 27) * 0x94D049BB133111EB & _MASK
        state ^= state >> 31
    return state


def deal_of(seed: int, number: int, hand: int, rules: Rules, direction: PassDirection) -> Deal:
    """Hand `hand` of deal `number` (hand 0 unless deals are matches): a function of these alone."""
    rng = np.random.default_rng([seed, number, hand])
    return Deal.random(rules, direction, rng, leader=number % 4)
