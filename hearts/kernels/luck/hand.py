"""A hand from its deal: the passes, the cards played, and the next choice of a focus seat.

In these kernels `focus` (4,) says which seats belong to the focus player, `policies` (4,) how the
others play, and how focus seats play in estimates of a value (hearts.kernels.policies.choose).
`seen` is that of hearts.kernels.network.features; only the rows of focus seats have a pass.
"""

import numpy as np

from hearts.kernels.core.bits import ONE, ZERO, U
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.random import advance
from hearts.kernels.core.state import (
    LEAD_2_CLUBS,
    LEAD_CLUBS,
    after_card,
    distinct,
    final_points,
    heart_breakers,
    legal_plays,
    unpack_meta,
)
from hearts.kernels.network.features import SEEN_DIRECTION, SEEN_GAVE, SEEN_GOT, SEEN_PLAYED
from hearts.kernels.policies.choose import choose
from hearts.kernels.policies.mixed import voids_after
from hearts.kernels.search.passing import opening_seat

_TWELFTHS = 12  # differences of means over 1, 2 or 3 seats are whole twelfths of a point
_FIRST = ONE << U(6)


@inlined
def _pack_meta(turn, winner, count, first, broken):
    return turn | winner << U(2) | count << U(4) | first << U(6) | broken << U(7)


@kernel
def open_hand(dealt, passed, direction, leader, focus, rules, state, seen):
    """Write the state and what focus seats have seen after all passes, before the first card.

    `direction` is 0 if nothing is passed. `leader` leads if the rules name no opening card.
    """
    seen[:] = ZERO
    for seat in range(4):
        state[seat] = dealt[seat] ^ passed[seat] if direction else dealt[seat]
    for seat in range(4 if direction else 0):
        receiver = (seat + direction) & 3
        state[receiver] |= passed[seat]
        if focus[receiver]:
            seen[receiver, SEEN_GOT] = passed[seat]
        if focus[seat]:
            seen[seat, SEEN_GAVE], seen[seat, SEEN_DIRECTION] = passed[seat], U(direction)
    turn = opening_seat(state, rules) if rules & (LEAD_2_CLUBS | LEAD_CLUBS) else U(leader)
    state[4] = state[5] = state[7] = ZERO
    state[6] = turn | turn << U(2) | _FIRST


@kernel
def replay(plays, number, focus, policies, rules, state, seen):
    """Play the first `number` cards of a hand; return whether it can be so, and shown voids.

    It cannot be so if a seat does not hold its card, or if the policy of another seat than those of
    the focus plays another card.
    """
    turn, winner, count, first, broken = unpack_meta(state[6])
    trick, best, taken, voids = state[4], state[5], state[7], ZERO
    breakers = heart_breakers(rules)
    in_play = state[0] | state[1] | state[2] | state[3]
    for place in range(number):
        seat, card = np.int64(turn), ONE << U(plays[place])
        hand = state[seat]
        if not hand & card:
            return False, voids
        if not focus[seat]:
            chosen, _ = choose(
                policies[seat], turn, hand, in_play ^ hand, trick, best, winner, count, first,
                broken, taken, voids, rules, ZERO, ZERO, ZERO,
            )  # fmt: skip
            if chosen != card:
                return False, voids
        voids = voids_after(voids, turn, card, best, count)
        seen[seat, SEEN_PLAYED] |= card
        state[seat] = hand ^ card
        in_play ^= card
        turn, winner, count, trick, best, first, broken, taken = after_card(
            card, turn, winner, count, trick, best, first, broken, taken, breakers
        )
    state[4], state[5], state[7] = trick, best, taken
    state[6] = _pack_meta(turn, winner, count, first, broken)
    return True, voids


@kernel
def to_next_choice(move, focus, policies, rules, voids, stream, state, seen):
    """Play `move` (0: none) and on until a focus seat has a choice, or to the end.

    Return voids, and the stream as a rollout (hearts.kernels.network.rollouts) would have advanced
    it by these cards: then rollouts with and without the move use the same random numbers for the
    same cards.
    """
    turn, winner, count, first, broken = unpack_meta(state[6])
    trick, best, taken = state[4], state[5], state[7]
    breakers = heart_breakers(rules)
    in_play = state[0] | state[1] | state[2] | state[3]
    while in_play:
        seat = np.int64(turn)
        hand = state[seat]
        card, move = move, ZERO
        if focus[seat]:
            legal = legal_plays(hand, best, count, first, broken, rules)
            if card == ZERO and legal & (legal - ONE):
                break
            card = card if card else legal
            several = distinct(legal, in_play | trick)
            stream = advance(stream) if several & (several - ONE) else stream
        else:
            stream = advance(stream)
            card, _ = choose(
                policies[seat], turn, hand, in_play ^ hand, trick, best, winner, count, first,
                broken, taken, voids, rules, ZERO, ZERO, ZERO,
            )  # fmt: skip
        voids = voids_after(voids, turn, card, best, count)
        seen[seat, SEEN_PLAYED] |= card
        state[seat] = hand ^ card
        in_play ^= card
        turn, winner, count, trick, best, first, broken, taken = after_card(
            card, turn, winner, count, trick, best, first, broken, taken, breakers
        )
    state[4], state[5], state[7] = trick, best, taken
    state[6] = _pack_meta(turn, winner, count, first, broken)
    return voids, stream


@inlined
def difference(taken, focus, rules, points):
    """Mean points of the focus seats minus those of the others, in twelfths of a point."""
    final_points(taken, rules, points)
    size, own, total = 0, 0, 0
    for seat in range(4):
        total += points[seat]
        if focus[seat]:
            size += 1
            own += points[seat]
    return _TWELFTHS // size * own - _TWELFTHS // (4 - size) * (total - own)
