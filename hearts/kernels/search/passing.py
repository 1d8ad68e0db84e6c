"""Passes: a heuristic for what the other seats give, and playouts that compare one seat's passes.

The nuisance of a card is how much better the hand is without it, in about tenths of a point:

- spades below the queen protect and are kept; the queen, king and ace are passed unless at least
  four such spades guard them
- other suits: a high card is a nuisance, less so with each lower card of its suit; passing a whole
  suit allows discards later, which is worth less in clubs, because they are led first
- a high heart with at most one lower heart is worse than other suits; J♦ is kept if it is a bonus
"""

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, S16, S32, ZERO, U, lowest_bit_index, popcount
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.random import advance, fork, mix
from hearts.kernels.core.state import (
    CLUBS,
    HEARTS,
    HIGH_SPADES,
    JACK,
    JACK_BONUS,
    LEAD_2_CLUBS,
    LEAD_CLUBS,
    QUEEN,
    QUEEN_PENALTY,
    THREE,
    TWO_OF_CLUBS,
    lane_of,
)
from hearts.kernels.core.statistics import add_outcome
from hearts.kernels.playouts.batch import playout

LEFT = U(1)

_SPADES = LANE << S32
_LOW_SPADES = _SPADES & (QUEEN - ONE)
_DIAMONDS = LANE << S16
_CLUBS_GONE, _DIAMONDS_GONE = 14.0, 18.0  # per card of the suit
_GUARDS = 4
_RANK = U(15)


@inlined
def _spade_nuisance(card, hand, direction):
    guards = np.float64(popcount(hand & _LOW_SPADES))
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
        value += _CLUBS_GONE if card & CLUBS else _DIAMONDS_GONE
    return value


@inlined
def _new_voids(hand, left):
    """The value of having passed all clubs or all diamonds."""
    clubs = np.float64(popcount(hand & CLUBS)) * _CLUBS_GONE if not left & CLUBS else 0.0
    diamonds = (
        np.float64(popcount(hand & _DIAMONDS)) * _DIAMONDS_GONE if not left & _DIAMONDS else 0.0
    )
    return clubs + diamonds


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


@kernel
def triple_nuisance(triples, hand, direction, rules, values):
    """Write to `values[i]` how much better the hand is without triple i."""
    for i in range(triples.shape[0]):
        left, cards, total = hand, triples[i], 0.0
        for _ in range(3):
            card = cards & (ZERO - cards)
            cards ^= card
            total += nuisance(card, left, 0, direction, rules)
            left ^= card
        values[i] = total + _new_voids(hand, left)


@kernel
def other_passes(hands, seat, direction, rules, noise, seed, passes):
    """Write what the other seats pass in each world to `passes` (n, 4); 0 for `seat`."""
    for world in range(hands.shape[0]):
        stream = fork(seed, U(world))
        for other in range(4):
            if other == seat:
                passes[world, other] = ZERO
            else:
                stream = advance(stream)
                passes[world, other] = pass_by_rule(
                    hands[world, other], direction, rules, noise, mix(stream)
                )


@inlined
def hands_after(triple, hands, passes, seat, direction, after):
    """Write the four hands after a pass: `seat` gives `triple`, the others give `passes`."""
    for giver in range(4):
        after[giver] = hands[giver] & ~(triple if giver == seat else passes[giver])
    for giver in range(4):
        after[(U(giver) + direction) & THREE] |= triple if giver == seat else passes[giver]


@inlined
def opening_seat(hands, rules):
    """The seat that leads to the first trick."""
    turn = ZERO
    if rules & (LEAD_2_CLUBS | LEAD_CLUBS):
        while not hands[turn] & TWO_OF_CLUBS:
            turn += ONE
    return turn


@kernel
def try_passes(
    triples, hands, passes, seat, direction, seed,
    rules, policy, epsilon, kind, scale, scores, target, ahead, statistics,
):  # fmt: skip
    """Play every world out once after each triple, and add to `statistics` (triples, 8).

    All triples use the same worlds and random numbers, so that luck cancels out between them.
    """
    points, reward = np.empty(4, dtype=np.int64), np.empty(4)
    after = np.empty(4, dtype=np.uint64)
    for world in range(hands.shape[0]):
        for i in range(triples.shape[0]):
            hands_after(triples[i], hands[world], passes[world], seat, direction, after)
            turn = opening_seat(after, rules)
            meta = turn | (turn << U(2)) | (ONE << U(6))
            taken = playout(
                policy, after[0], after[1], after[2], after[3],
                ZERO, ZERO, meta, ZERO, rules, fork(seed, U(world)), epsilon,
            )  # fmt: skip
            add_outcome(
                statistics[i],
                seat,
                taken,
                rules,
                kind,
                scale,
                scores,
                target,
                ahead,
                points,
                reward,
            )
