"""P(plays and pass | hand, player type) of types that follow a kernel policy, with some noise.

With probability 1 − noise such a player makes a move of its policy, else a random one. Cards that
are equivalent in play are one move, shared equally. Types of one policy with several noises are
evaluated together: a noisy one also leads the chain to deals that fit a strict one.
"""

import numpy as np

from hearts.kernels.beliefs.situations import (
    BEST,
    BROKEN,
    CARD,
    COUNT,
    FIRST,
    IN_PLAY,
    TAKEN,
    TRICK,
    TURN,
    VOIDS,
    WINNER,
)
from hearts.kernels.core.bits import ONE, ZERO, popcount
from hearts.kernels.core.jit import bare, kernel
from hearts.kernels.core.state import distinct, legal_plays, lowest_of_run, run_of
from hearts.kernels.policies.choose import choose, choose_pass

# By the number of cards that a pass shares with that of the policy: the number of such passes, and
# how a noisy pass is distributed. Partial matches keep the chain mobile.
_PASSES = np.array([120.0, 135.0, 30.0, 1.0])
_OVERLAP = np.array([0.15, 0.25, 0.45, 0.15])
_NOISY_PASS = _OVERLAP / _PASSES


@bare
def multiply_plays(policy, hidden, situations, held, rules, noises, likelihoods):
    """Multiply `likelihoods` (J,) by P(plays | hand, policy, noise) for each of `noises` (J,).

    `situations` (n, WIDTH) are those of one player's plays, `held[i]` the cards that it had at
    play i and has played since, `hidden` the cards that it still has.
    """
    for i in range(situations.shape[0]):
        row = situations[i]
        hand, card = hidden | held[i], row[CARD]
        legal = legal_plays(hand, row[BEST], row[COUNT], row[FIRST], row[BROKEN], rules)
        moves = distinct(legal, row[IN_PLAY] | row[TRICK])
        own = lowest_of_run(card, moves)
        share = 1.0 / np.float64(popcount(run_of(card, moves, legal)))
        if moves & (moves - ONE) == ZERO:
            for j in range(noises.shape[0]):
                likelihoods[j] *= share
            continue
        chosen, _ = choose(
            policy, row[TURN], hand, row[IN_PLAY] ^ hand, row[TRICK], row[BEST], row[WINNER],
            row[COUNT], row[FIRST], row[BROKEN], row[TAKEN], row[VOIDS], rules, ZERO, ZERO, ZERO,
        )  # fmt: skip
        fits = lowest_of_run(chosen, moves) == own
        others = 1.0 / np.float64(popcount(moves))
        for j in range(noises.shape[0]):
            random = noises[j] * others
            likelihoods[j] *= share * (1.0 - noises[j] + random if fits else random)


@bare
def multiply_pass(policy, dealt, passed, direction, rules, noises, likelihoods):
    """Multiply `likelihoods` (J,) by P(pass | thirteen cards dealt, policy, noise)."""
    chosen = choose_pass(policy, dealt, direction, rules)
    overlap = np.int64(popcount(chosen & passed))
    for j in range(noises.shape[0]):
        noisy = noises[j] * _NOISY_PASS[overlap]
        likelihoods[j] *= 1.0 - noises[j] + noisy if overlap == 3 else noisy


@kernel
def hand_likelihoods(situations, held, rules, policies, noises, result):
    """Write P(plays of a player in a finished hand | policy, noise) to `result` (K, J)."""
    result[:] = 1.0
    for k in range(policies.shape[0]):
        multiply_plays(policies[k], ZERO, situations, held, rules, noises, result[k])
