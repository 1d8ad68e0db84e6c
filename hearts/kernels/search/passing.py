"""What the other seats give in a pass, and playouts that compare one seat's passes."""

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, S16, ZERO, U, popcount
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.random import advance, fork, mix
from hearts.kernels.core.state import CLUBS, LEAD_2_CLUBS, LEAD_CLUBS, THREE, TWO_OF_CLUBS
from hearts.kernels.core.statistics import add_outcome
from hearts.kernels.playouts.batch import playout
from hearts.kernels.policies.passing import CLUBS_GONE, DIAMONDS_GONE, nuisance, pass_by_rule

_DIAMONDS = LANE << S16


@inlined
def _new_voids(hand, left):
    """The value of having passed all clubs or all diamonds."""
    clubs = np.float64(popcount(hand & CLUBS)) * CLUBS_GONE if not left & CLUBS else 0.0
    diamonds = (
        np.float64(popcount(hand & _DIAMONDS)) * DIAMONDS_GONE if not left & _DIAMONDS else 0.0
    )
    return clubs + diamonds


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
    rules, policy, epsilon, kind, scale, scores, target, tables, statistics,
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
                tables,
                points,
                reward,
            )
