"""Forward pass of the policy network in integers: the same policy on every machine.

Weights and activations are integers, stored as float32. Sums of integers below 2^24 are exact in
any order of addition, so the policy does not depend on vector width or fused operations.

    accumulator, trick  ->  hidden1  ->  hidden2  ->  logits of cards  ->  policy

A `policy` array holds e^(logit − max), from the lowest card on; the functions return its sum, by
which a caller divides to get probabilities. `hidden1` and `hidden2` are scratch space.
"""

import math

import numpy as np

from hearts.kernels.core.bits import ONE, ZERO, U, lowest_bit_index
from hearts.kernels.core.jit import exact, exact_inlined
from hearts.kernels.network.features import (
    COST,
    PASSING,
    PLACE,
    SEEN_DIRECTION,
    SEEN_GAVE,
    WINNING,
    known_features,
    place_index,
    trick_cost,
)

PASS_HEAD = 64  # the first output for passing; outputs below it are for playing
OUTPUTS = 128

UNIT = 256.0  # the integer that represents a weight of 1
_PER_UNIT = np.float32(1 / UNIT)
_FLOAT_ZERO = np.float32(0)


@exact
def play_policy(
    seat, moves, trick, best, winner, count, layers, accumulator, hidden1, hidden2, policy
):
    """Write the unnormalised probability of playing each of `moves`; return their sum."""
    own, place = accumulator[seat], layers.features[PLACE + place_index(seat, winner, count)]
    if count:
        winning = layers.features[WINNING + np.int64(lowest_bit_index(best))]
        cost = layers.features[COST + trick_cost(trick)]
        for i in range(hidden1.shape[0]):
            hidden1[i] = max(own[i] + place[i] + winning[i] + cost[i], _FLOAT_ZERO)
    else:
        for i in range(hidden1.shape[0]):
            hidden1[i] = max(own[i] + place[i], _FLOAT_ZERO)
    _second_layer(hidden1, layers.hidden, layers.hidden_bias, hidden2)
    return _softmax(moves, 0, layers.out, layers.out_bias, hidden2, policy)


@exact
def pass_policy(hand, chosen, direction, layers, seen, active, hidden1, hidden2, policy):
    """Write the unnormalised probability of passing each card of `hand` next; return their sum.

    `chosen` are the cards chosen before, which `hand` no longer has. `seen` must be zero except for
    the two entries written here.
    """
    seen[0, SEEN_GAVE], seen[0, SEEN_DIRECTION] = chosen, direction
    n = known_features(0, hand, seen, ZERO, ZERO, ZERO, ZERO, active)
    active[n] = PASSING
    return features_policy(active, n + 1, hand, PASS_HEAD, layers, hidden1, hidden2, policy)


@exact
def features_policy(active, n, moves, head, layers, hidden1, hidden2, policy):
    """Write the unnormalised probability of each of `moves` by active features; return their sum.

    `head` is the first output: 0 to play, PASS_HEAD to pass.
    """
    for i in range(hidden1.shape[0]):
        hidden1[i] = layers.bias[i]
    for k in range(n):
        row = layers.features[active[k]]
        for i in range(hidden1.shape[0]):
            hidden1[i] += row[i]
    return accumulator_policy(moves, head, layers, hidden1, hidden2, policy)


@exact
def accumulator_policy(moves, head, layers, hidden1, hidden2, policy):
    """Write the unnormalised probability of each of `moves` by an accumulator; return their sum.

    It is `hidden1`, and is changed. `head` is the first output: 0 to play, PASS_HEAD to pass.
    """
    for i in range(hidden1.shape[0]):
        hidden1[i] = max(hidden1[i], _FLOAT_ZERO)
    _second_layer(hidden1, layers.hidden, layers.hidden_bias, hidden2)
    return _softmax(moves, head, layers.out, layers.out_bias, hidden2, policy)


@exact
def _second_layer(hidden1, weights, bias, hidden2):
    # Four units at a time take 204 ns, one at a time 278 ns, row by row, skipping zeros, 915 ns.
    for j in range(0, hidden2.shape[0], 4):
        a, b, c, d = bias[j], bias[j + 1], bias[j + 2], bias[j + 3]
        for i in range(hidden1.shape[0]):
            a += hidden1[i] * weights[j, i]
            b += hidden1[i] * weights[j + 1, i]
            c += hidden1[i] * weights[j + 2, i]
            d += hidden1[i] * weights[j + 3, i]
        hidden2[j], hidden2[j + 1] = _activation(a), _activation(b)
        hidden2[j + 2], hidden2[j + 3] = _activation(c), _activation(d)


@exact_inlined
def _activation(total):
    """ReLU of a sum of products, scaled back to one UNIT and rounded down."""
    return np.float32(math.floor(max(total, _FLOAT_ZERO) * _PER_UNIT))


@exact_inlined
def _softmax(moves, head, weights, bias, hidden2, policy):
    n, top = 0, -1e30
    while moves:
        card = np.int64(lowest_bit_index(moves))
        moves &= moves - ONE
        logit = bias[head + card]
        for j in range(hidden2.shape[0]):
            logit += hidden2[j] * weights[head + card, j]
        policy[n] = np.float64(logit)
        top = max(top, policy[n])
        n += 1
    total = 0.0
    for i in range(n):
        policy[i] = math.exp((policy[i] - top) / (UNIT * UNIT))
        total += policy[i]
    return total


@exact_inlined
def draw(moves, policy, total, word):
    """The move that a random `word` draws from an unnormalised policy with the sum `total`."""
    point = np.float64(word >> U(11)) * 2.0**-53 * total
    i = 0
    while moves & (moves - ONE):
        point -= policy[i]
        if point < 0.0:
            break
        i += 1
        moves &= moves - ONE
    return moves & (ZERO - moves)


@exact_inlined
def most_probable(moves, policy):
    """The move with the highest probability; the lowest card of several."""
    best, top = moves & (ZERO - moves), policy[0]
    moves &= moves - ONE
    i = 1
    while moves:
        if policy[i] > top:
            best, top = moves & (ZERO - moves), policy[i]
        i += 1
        moves &= moves - ONE
    return best
