"""The heuristic pass: the three cards of greatest nuisance.

The nuisance of a card is how much better the hand is without it, in about tenths of a point:

- spades below the queen protect and are kept; the queen, king and ace are passed unless at least
  four such spades guard them
- other suits: a high card is a nuisance, less so with each lower card of its suit; passing a whole
  suit allows discards later, which is worth less in clubs, because they are led first
- a high heart with at most one lower heart is worse than other suits; J♦ is kept if it is a bonus
"""

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, S32, ZERO, U, lowest_bit_index, popcount
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.random import advance, mix
from hearts.kernels.core.state import (
    CLUBS,
    HEARTS,
    HIGH_SPADES,
    JACK,
    JACK_BONUS,
    LOW_SPADES,
    QUEEN,
    QUEEN_PENALTY,
    lane_of,
)

LEFT = U(1)
CLUBS_GONE, DIAMONDS_GONE = 14.0, 18.0  # per card of a suit that is passed completely

_SPADES = LANE << S32
_GUARDS = 4
_RANK = U(15)


@inlined
def _spade_nuisance(card, hand, direction):
    guards = np.float64(popcount(hand & LOW_SPADES))
    rank = np.float64(lowest_bit_index(card) & _RANK)
    if card < QUEEN:
        return -30.0 + rank / 13.0
    if guards >= _GUARDS:
        return -20.0
    if card == QUEEN:
        # The left neighbour plays after the passer, and could drop Q♠ on the passer's ace or king.
        risky = direction == LEFT and hand & HIGH_SPADES != ZERO
        return 60.0 - 10.0 * guards - (15.0 if risky else 0.0)
    return 55.0 - 10.0 * guards + rank


@inlined
def nuisance(card, hand, to_pass, direction, rules):
    """How much better a hand is without a card, when `to_pass` cards are still to be chosen."""
    if card & _SPADES:
        return _spade_nuisance(card, hand, direction) if rules & QUEEN_PENALTY else 0.0
    if card == JACK and rules & JACK_BONUS:
        return -20.0
    own = hand & lane_of(card)
    below = np.float64(popcount(own & (card - ONE)))
    value = 2.5 * np.float64(lowest_bit_index(card) & _RANK) - 6.0 * below
    if card & HEARTS:
        return value + (6.0 if below < 2.0 else 0.0)
    if popcount(own) <= U(to_pass):
        value += CLUBS_GONE if card & CLUBS else DIAMONDS_GONE
    return value


@kernel
def pass_by_rule(hand, direction, rules, noise, stream):
    """The three cards of greatest nuisance, chosen one by one, with uniform noise in ±`noise`."""
    left, passed = hand, ZERO
    for to_pass in range(3, 0, -1):
        best, worst = -1e9, ZERO
        cards = left
        while cards:
            card = cards & (ZERO - cards)
            cards ^= card
            value = nuisance(card, left, to_pass, direction, rules)
            if noise > 0.0:
                stream = advance(stream)
                value += noise * (np.float64(mix(stream) >> U(11)) * 2.0**-52 - 1.0)
            if value > best:
                best, worst = value, card
        left ^= worst
        passed |= worst
    return passed
