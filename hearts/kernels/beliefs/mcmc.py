"""A Metropolis-within-Gibbs chain over deals (Metropolis et al., 1953; Hastings, 1970).

A state has the hands and the types of the three other players and, if they passed to each other,
the cards passed. Metropolis steps change cards and hidden passes; every few steps a Gibbs step
draws the kind of table and the types, given the deal. The chain's stationary distribution is

    P(state) ∝ Σ kind of table  Π player  table_weights[kind, type] · type_prior[player, type]
               · (P_type(pass) · Π P_type(play))^power

with the powers of logit styles, and 1 for types that follow a policy.
"""

import numpy as np

from hearts.kernels.beliefs.chain_state import (
    ALL_PLAYERS,
    copy_players,
    find_entries,
    holder_of,
    new_scratch,
    new_state,
    update_likelihoods,
)
from hearts.kernels.beliefs.gibbs import draw_types, marginal_likelihood
from hearts.kernels.beliefs.likelihood import PLAYERS, VIEWER, play_likelihood
from hearts.kernels.beliefs.proposals import draw_passes, propose
from hearts.kernels.core.bits import ONE, U, lowest_bit_index
from hearts.kernels.core.jit import bare, bare_inlined, kernel
from hearts.kernels.core.random import advance, unit_float


@kernel
def world_likelihoods(evidence, types, cache, hands, seed, likelihoods):
    """Write the likelihood of worlds (n, 3), with hidden passes drawn at random."""
    state, scratch = new_state(), new_scratch(types)
    stream = seed
    for world in range(hands.shape[0]):
        for player in range(PLAYERS):
            state.hidden[player] = hands[world, player]
        stream = draw_passes(evidence, state.passed, state.hidden, stream)
        find_entries(evidence, types, cache, state, scratch)
        likelihoods[world] = marginal_likelihood(evidence, types, cache, state, scratch)


@kernel
def style_likelihoods(evidence, types, cache, weights, hands, likelihoods):
    """Write the likelihood of each player's plays in worlds (n, 3) to `likelihoods` (n, 3).

    It is the sum over the styles with some weights (3, S). Passes are left out.
    """
    state, scratch = new_state(), new_scratch(types)
    for world in range(hands.shape[0]):
        for player in range(PLAYERS):
            state.hidden[player] = hands[world, player]
        find_entries(evidence, types, cache, state, scratch)
        for player in range(PLAYERS):
            total = 0.0
            for style in range(weights.shape[1]):
                plays = play_likelihood(player, style, state.entry[player], evidence, cache)
                total += weights[player, style] * plays ** types.powers[style]
            likelihoods[world, player] = total


@kernel
def begin_chain(evidence, types, cache, start, seed):
    """The chain (state, trial state, scratch arrays) at the hands `start` (3,), and its stream."""
    state, trial, scratch = new_state(), new_state(), new_scratch(types)
    for player in range(PLAYERS):
        state.hidden[player] = start[player]
    stream = draw_passes(evidence, state.passed, state.hidden, seed)
    find_entries(evidence, types, cache, state, scratch)
    copy_players(state, trial, ALL_PLAYERS)
    return (state, trial, scratch), stream


@bare
def continue_chain(
    evidence, types, cache, free, swaps, steps, span, stream, chain, worlds, kinds, counts, stop
):
    """Run the steps from `span[0]` to `span[1]` of a chain, unless `stop` is set meanwhile.

    A step swaps up to `swaps` pairs of the cards `free`. `steps` is (burn-in, thinning, steps from
    one draw of types to the next). Writes the thinned states to `worlds` (n, 3) and `kinds`
    (n, 3), hands and types. Adds to `counts`
    (64, 3) the number of steps after the burn-in at which each player held each card. Returns the
    stream, the step after the last one, and the numbers of proposals and of acceptances.
    """
    state, trial, scratch = chain
    burn_in, thinning, type_interval = steps[0], steps[1], steps[2]
    hides_pass = _hides_pass(evidence)
    proposed = accepted = 0
    done = span[0]
    for step in range(span[0], span[1]):
        if step % type_interval == 0:
            if stop[0]:
                break
            stream = draw_types(evidence, types, cache, state, scratch, stream)
            copy_players(state, trial, ALL_PLAYERS)
        stream = propose(evidence, trial, free, swaps, hides_pass, stream)
        changed = update_likelihoods(evidence, types, cache, state, trial, scratch)
        if changed:
            ratio = 1.0
            for player in range(PLAYERS):
                ratio *= trial.likelihood[player] / state.likelihood[player]
            stream = advance(stream)
            proposed += 1
            if unit_float(stream) < ratio:
                accepted += 1
                _count_steps(counts, scratch.since, max(step - burn_in, 0), state, trial)
                copy_players(trial, state, changed)
            else:
                copy_players(state, trial, changed)
        sampled = step + 1 - burn_in
        if sampled > 0 and sampled % thinning == 0:
            for player in range(PLAYERS):
                worlds[sampled // thinning - 1, player] = state.hidden[player]
                kinds[sampled // thinning - 1, player] = state.type[player]
        done = step + 1
    now = max(done - burn_in, 0)
    for i in range(free.shape[0]):
        card = free[i]
        holder = holder_of(state.hidden, ONE << U(card))
        counts[card, holder] += now - scratch.since[card]
        scratch.since[card] = now
    return stream, done, proposed, accepted


@bare_inlined
def _hides_pass(evidence):
    """Whether the viewer did not see a pass between two of the others."""
    result = False
    for player in range(PLAYERS):
        result = result or 0 <= evidence.source[player] < VIEWER
    return result


@bare_inlined
def _count_steps(counts, since, now, before, after):
    """Count the steps for which the cards that change hands now were held by their old holder."""
    for player in range(PLAYERS):
        left = before.hidden[player] & ~after.hidden[player]
        while left:
            card = np.int64(lowest_bit_index(left))
            left &= left - ONE
            counts[card, player] += now - since[card]
            since[card] = now
