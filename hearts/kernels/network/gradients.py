"""Training of the network: forward pass, gradients of the PPO loss, advantages.

Two networks of the same shape are trained together. The *player* maps what its seat knows to a
policy over cards. The *critic* sees all four hands and estimates how the hand ends for a seat: a
centralised critic, used in training only.

The loss is that of proximal policy optimization (Schulman et al. 2017) with an entropy bonus;
advantages are estimated by GAE (Schulman et al. 2016). `scratch` of a network is a tuple of arrays:
hidden1, hidden2, gradients of hidden2 and hidden1, policy (13), cards (13).
"""

import math

import numpy as np

from hearts.kernels.core.bits import ONE, lowest_bit_index
from hearts.kernels.core.jit import fast, fast_inlined

TINY = np.float32(1e-9)
_ZERO, _ONE = np.float32(0), np.float32(1)


@fast
def forward(active, n, weights, hidden1, hidden2):
    """Write both hidden layers of a network for `n` active features."""
    for i in range(hidden1.shape[0]):
        hidden1[i] = weights.bias[i]
    for k in range(n):
        row = weights.features[active[k]]
        for i in range(hidden1.shape[0]):
            hidden1[i] += row[i]
    for i in range(hidden1.shape[0]):
        hidden1[i] = max(hidden1[i], _ZERO)
    for j in range(hidden2.shape[0]):
        total = weights.hidden_bias[j]
        for i in range(hidden1.shape[0]):
            total += hidden1[i] * weights.hidden[j, i]
        hidden2[j] = max(total, _ZERO)


@fast_inlined
def output(number, weights, hidden2):
    """One output of a network."""
    total = weights.out_bias[number]
    for j in range(hidden2.shape[0]):
        total += hidden2[j] * weights.out[number, j]
    return total


@fast
def softmax(moves, head, weights, hidden2, cards, policy):
    """Write the card and the probability of each move, from the lowest; return their number."""
    n, top = 0, np.float32(-1e30)
    while moves:
        card = np.int64(lowest_bit_index(moves))
        moves &= moves - ONE
        cards[n], policy[n] = card, output(head + card, weights, hidden2)
        top = max(top, policy[n])
        n += 1
    total = _ZERO
    for i in range(n):
        policy[i] = math.exp(policy[i] - top)
        total += policy[i]
    for i in range(n):
        policy[i] /= total
    return n


@fast
def backward(active, n, weights, hidden1, hidden2, d_hidden2, gradients, d_hidden1):
    """Backpropagate `d_hidden2` to all layers below; add to `gradients`."""
    for i in range(hidden1.shape[0]):
        d_hidden1[i] = _ZERO
    for j in range(hidden2.shape[0]):
        if hidden2[j] > _ZERO and d_hidden2[j] != _ZERO:
            gradients.hidden_bias[j] += d_hidden2[j]
            for i in range(hidden1.shape[0]):
                gradients.hidden[j, i] += d_hidden2[j] * hidden1[i]
                d_hidden1[i] += d_hidden2[j] * weights.hidden[j, i]
    for i in range(hidden1.shape[0]):
        d_hidden1[i] = d_hidden1[i] if hidden1[i] > _ZERO else _ZERO
        gradients.bias[i] += d_hidden1[i]
    for k in range(n):
        row = gradients.features[active[k]]
        for i in range(hidden1.shape[0]):
            row[i] += d_hidden1[i]


@fast
def backward_output(number, d_output, weights, hidden2, d_hidden2, gradients):
    """Backpropagate the gradient of one output to `d_hidden2`; add to `gradients`."""
    gradients.out_bias[number] += d_output
    for j in range(hidden2.shape[0]):
        gradients.out[number, j] += d_output * hidden2[j]
        d_hidden2[j] += d_output * weights.out[number, j]


@fast
def policy_gradients(
    k, samples, advantage, clip, entropy_bonus, weights, gradients, scratch, totals
):
    """Add the gradients of the clipped PPO loss and the entropy bonus at decision `k`.

    Adds the entropy to `totals[0]` and whether the ratio was clipped to `totals[1]`.
    """
    hidden1, hidden2, d_hidden2, d_hidden1, policy, cards = scratch
    n, head, chosen = samples.sizes[k, 0], np.int64(samples.head[k]), samples.chosen[k]
    forward(samples.features[k], n, weights, hidden1, hidden2)
    size = softmax(samples.moves[k], head, weights, hidden2, cards, policy)
    entropy, log_chosen = _ZERO, _ZERO
    for i in range(size):
        log_policy = np.float32(math.log(policy[i] + TINY))
        entropy -= policy[i] * log_policy
        if cards[i] == chosen:
            log_chosen = log_policy
    ratio = np.float32(math.exp(log_chosen - samples.log_policy[k]))
    too_high = advantage > _ZERO and ratio > _ONE + clip
    clipped = too_high or (advantage < _ZERO and ratio < _ONE - clip)
    push = _ZERO if clipped else -advantage * ratio
    for j in range(hidden2.shape[0]):
        d_hidden2[j] = _ZERO
    for i in range(size):
        d_logit = push * ((_ONE if cards[i] == chosen else _ZERO) - policy[i])
        d_logit += entropy_bonus * policy[i] * (np.float32(math.log(policy[i] + TINY)) + entropy)
        backward_output(head + cards[i], d_logit, weights, hidden2, d_hidden2, gradients)
    backward(samples.features[k], n, weights, hidden1, hidden2, d_hidden2, gradients, d_hidden1)
    totals[0] += entropy
    totals[1] += clipped


@fast
def value_gradients(k, samples, target, weights, gradients, scratch, totals):
    """Add the gradients of half the critic's squared error at decision `k`.

    Adds the squared error to `totals[2]`.
    """
    hidden1, hidden2, d_hidden2, d_hidden1, _, _ = scratch
    n = samples.sizes[k, 1]
    forward(samples.critic_features[k], n, weights, hidden1, hidden2)
    error = output(0, weights, hidden2) - target
    for j in range(hidden2.shape[0]):
        d_hidden2[j] = _ZERO
    backward_output(0, error, weights, hidden2, d_hidden2, gradients)
    backward(
        samples.critic_features[k], n, weights, hidden1, hidden2, d_hidden2, gradients, d_hidden1
    )
    totals[2] += error * error


@fast
def batch_gradients(
    batch, samples, advantages, value_targets, clip, entropy_bonus,
    player, critic, player_gradients, critic_gradients, player_scratch, critic_scratch, totals,
):  # fmt: skip
    """Add the gradients of both networks over the decisions of a batch.

    Adds to `totals` (3): entropy, clipped decisions, squared error of the critic.
    """
    for i in range(batch.shape[0]):
        k = batch[i]
        policy_gradients(
            k, samples, advantages[k], clip, entropy_bonus,
            player, player_gradients, player_scratch, totals,
        )  # fmt: skip
        value_gradients(
            k, samples, value_targets[k], critic, critic_gradients, critic_scratch, totals
        )


@fast
def gae(n, samples, returns, gae_lambda, advantages, value_targets):
    """Write the advantage and the value target of each of `n` decisions.

    `returns` (hands, 4) is the return of each hand for each seat. A hand has no discount and no
    reward before its end, so each step from one decision of a seat to its next contributes the
    change of the critic's value.
    """
    for seat in range(4):
        hand, next_value, advantage = -1, _ZERO, _ZERO
        for k in range(n - 1, -1, -1):
            if samples.seat[k] != seat:
                continue
            if samples.hand[k] != hand:
                hand, advantage = samples.hand[k], _ZERO
                next_value = returns[hand, seat]
            advantage = next_value - samples.value[k] + gae_lambda * advantage
            next_value = samples.value[k]
            advantages[k], value_targets[k] = advantage, advantage + next_value
