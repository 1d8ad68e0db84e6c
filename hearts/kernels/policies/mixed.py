"""Playouts in which every seat has its own policy, and plays by what it knows."""

import numpy as np

from hearts.kernels.core.bits import LANE, S16, ZERO, lowest_bit_index, popcount
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.random import advance, mix
from hearts.kernels.core.state import after_card, heart_breakers, lane_of, unpack_meta, void_bit
from hearts.kernels.policies.choose import choose


@inlined
def voids_after(voids, turn, card, best, count):
    """Shown voids after a card."""
    if count == ZERO or card & lane_of(best):
        return voids
    return voids | void_bit(np.int64(turn), np.int64(lowest_bit_index(best)) >> 4)


@kernel
def play_out(move, policies, state, voids, rules, stream, epsilon, hands, plays):
    """Play `move` (0: none) and then the rest of the hand; return what each seat has taken.

    Seat s plays by `policies[s]` (4,) from a state (8,) and the `voids` shown so far; ε is in
    1/65536. Writes card n of the hand to `plays[n]` (52,), from the first one played here; `hands`
    (4,) is scratch space. Four seats with the same policy of playouts play the cards of that
    playout.
    """
    turn, winner, count, first, broken = unpack_meta(state[6])
    trick, best, taken = state[4], state[5], state[7]
    breakers = heart_breakers(rules)
    for i in range(4):
        hands[i] = state[i]
    in_play = hands[0] | hands[1] | hands[2] | hands[3]
    number = 52 - np.int64(popcount(in_play))
    stream = advance(stream)
    word = mix(stream)  # 16 bits for each card of a trick
    while in_play:
        seat = np.int64(turn)
        card, move = move, ZERO
        if card == ZERO:
            card, stream = choose(
                policies[seat], turn, hands[seat], in_play ^ hands[seat], trick, best, winner,
                count, first, broken, taken, voids, rules, word & LANE, stream, epsilon,
            )  # fmt: skip
        voids = voids_after(voids, turn, card, best, count)
        hands[seat] ^= card
        in_play ^= card
        plays[number] = lowest_bit_index(card)
        number += 1
        turn, winner, count, trick, best, first, broken, taken = after_card(
            card, turn, winner, count, trick, best, first, broken, taken, breakers
        )
        word >>= S16
        if count == ZERO:
            stream = advance(stream)
            word = mix(stream)
    return taken
