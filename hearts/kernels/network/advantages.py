"""Advantages of decisions by generalised advantage estimation (Schulman et al. 2016)."""

import numpy as np

from hearts.kernels.core.jit import fast

_ZERO = np.float32(0)


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
