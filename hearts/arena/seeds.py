"""Seeds of deals and decisions, derived from the seed of a tournament.

The seed of a decision depends on the deal, the seat and the number of the card, not on the player.
So a player against itself plays the same hand in every seating, and the difference is exactly 0.
"""

import numpy as np

from hearts.game.deal import Deal
from hearts.game.rules import PassDirection, Rules

_MASK = (1 << 64) - 1
PASS = 52  # the number of a pass among the decisions of a hand; plays are 0 … 51
FAULT = 64  # added to the number of a decision, to draw the card that replaces a fault


def derive_seed(*values: int) -> int:
    """Hash integers to a 64-bit seed; the order matters (finaliser of SplitMix64)."""
    state = 0
    for value in values:
        state = (state ^ value) + 0x9E3779B97F4A7C15 & _MASK
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        state = (state ^ state >> 27) * 0x94D049BB133111EB & _MASK
        state ^= state >> 31
    return state


def deal_of(seed: int, number: int, hand: int, rules: Rules, direction: PassDirection) -> Deal:
    """Hand `hand` of deal `number`; hand 0 unless deals are matches."""
    rng = np.random.default_rng([seed, number, hand])
    return Deal.random(rules, direction, rng, leader=number % 4)
