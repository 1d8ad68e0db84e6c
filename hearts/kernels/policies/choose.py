"""The dispatch from a policy's number to the card or the pass that it chooses.

A policy is a function of what one seat knows: its hand, the trick, the cards out (together, not by
seat), shown voids, and what everybody has taken. A new policy is a number here, its kernel, and its
entry in hearts.engine.bridge.policies.
"""

from hearts.kernels.core.bits import ONE, ZERO, U, highest_bit, pick, popcount, rotate_right
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.state import (
    HEARTS,
    QUEEN,
    THREE,
    legal_plays,
    penalty_cards,
)
from hearts.kernels.playouts.batch import SOFTMAX, UNIFORM
from hearts.kernels.playouts.candidates import holders_of, stage_class
from hearts.kernels.playouts.greedy import greedy_card
from hearts.kernels.playouts.softmax import softmax_card
from hearts.kernels.policies.cautious import cautious_card
from hearts.kernels.policies.passing import pass_by_rule
from hearts.kernels.policies.reading import read
from hearts.kernels.policies.shooter import can_shoot, shooter_pass, shooting_card, strength

# Numbers that follow those of playouts: UNIFORM, GREEDY and SOFTMAX are policies too. The
# shoot-aware playout is not: its seats decide at the start of a trick.
DUCK, CAUTIOUS, GUARD, SHOOTER = range(4, 8)
# Networks, which draw from their probabilities or play their most probable card. Only
# hearts.kernels.network.rollouts has what it takes to ask them. These numbers are the highest:
# network i of a stack draws as NETWORK + 2 i, and plays its best card as NETWORK + 2 i + 1.
NETWORK, NETWORK_BEST = 8, 9

_LANE_SHIFT = U(4)


@inlined
def _random_policy_card(
    policy, turn, hand, out, trick, best, winner, count, first, broken, taken, rules,
    sixteen_bits, stream, epsilon,
):  # fmt: skip
    """The card of a policy of playouts, and the advanced stream."""
    queen_out = (hand | out) & penalty_cards(rules) & QUEEN
    if policy == SOFTMAX:
        holders = holders_of(rotate_right(taken, turn << _LANE_SHIFT))
        winner_shift = ((winner - turn) & THREE) << _LANE_SHIFT
        card = softmax_card(
            hand, best, count, trick, first, broken, hand | out, stage_class(popcount(hand)),
            holders, winner_shift, queen_out, rules, sixteen_bits,
        )  # fmt: skip
        return card, stream
    if policy == UNIFORM:
        return pick(legal_plays(hand, best, count, first, broken, rules), sixteen_bits), stream
    epsilon = ZERO if policy == DUCK else epsilon
    return greedy_card(
        hand, best, count, trick, first, broken, queen_out, rules, sixteen_bits, stream, epsilon
    )


@inlined
def choose(
    policy, turn, hand, out, trick, best, winner, count, first, broken, taken, voids, rules,
    sixteen_bits, stream, epsilon,
):  # fmt: skip
    """The card (a word) that `policy` plays at the seat `turn`, and the advanced stream.

    `out` are the cards of the other hands, and `voids` what the seats have shown; all else is as in
    hearts.kernels.core.state. Only GREEDY, UNIFORM and SOFTMAX use `sixteen_bits`, which are
    random, and only GREEDY uses ε, in 1/65536, and the stream.
    """
    if policy <= DUCK:
        return _random_policy_card(
            policy, turn, hand, out, trick, best, winner, count, first, broken, taken, rules,
            sixteen_bits, stream, epsilon,
        )  # fmt: skip
    legal = legal_plays(hand, best, count, first, broken, rules)
    if legal & (legal - ONE) == ZERO:
        return legal, stream
    if policy == SHOOTER:
        sure, safe, losers = strength(hand, out)
        if can_shoot(turn, hand, taken, losers, rules):
            return shooting_card(hand, legal, out, best, THREE - count, sure, safe), stream
    reading = read(turn, hand, legal, out, trick, best, count, first, voids, rules)
    return cautious_card(reading, turn, winner, taken, policy == GUARD), stream


@kernel
def choose_pass(policy, hand, direction, rules):
    """The three cards that `policy` passes `direction` seats to the left."""
    if policy == SHOOTER:
        return shooter_pass(hand, direction, rules)
    if policy == GUARD and hand & HEARTS:
        hand ^= highest_bit(hand & HEARTS)  # keep the card that stops a moon
    return pass_by_rule(hand, direction, rules, 0.0, ZERO)
