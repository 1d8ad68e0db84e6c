"""Gibbs step over the players' types, given a deal (Geman and Geman, 1984).

The kind of table is drawn first, with the types summed out; then the type of each player. Players
at one table are often of one kind, so their types are independent only given the kind of table.
"""

from hearts.kernels.beliefs.chain_state import (
    player_likelihood,
    policy_likelihoods,
    style_likelihood,
)
from hearts.kernels.beliefs.likelihood import PLAYERS
from hearts.kernels.core.jit import bare, bare_inlined
from hearts.kernels.core.random import advance, unit_float


@bare
def _type_likelihoods(player, evidence, types, cache, state, likelihoods):
    """Write P(a player's plays and pass | hand, type) to `likelihoods` (types,)."""
    styles, levels = types.powers.shape[0], types.noises.shape[0]
    for style in range(styles):
        likelihoods[style] = style_likelihood(player, style, evidence, types, cache, state)
    for k in range(types.policies.shape[0]):
        first = styles + k * levels
        policy_likelihoods(
            player, types.policies[k], types.noises, evidence, state,
            likelihoods[first : first + levels],
        )  # fmt: skip


@bare
def marginal_likelihood(evidence, types, cache, state, scratch):
    """The likelihood of a state's hands and passes, summed over kinds of table and types.

    Write its terms to `scratch.types` and `scratch.tables`. Needs the state's cache entries.
    """
    n = types.table_weights.shape[1]
    for player in range(PLAYERS):
        likelihoods = scratch.types[player]
        _type_likelihoods(player, evidence, types, cache, state, likelihoods)
        for kind in range(n):
            likelihoods[kind] *= evidence.type_prior[player, kind]
    total = 0.0
    for table in range(types.table_weights.shape[0]):
        product = 1.0
        for player in range(PLAYERS):
            marginal = 0.0
            for kind in range(n):
                marginal += types.table_weights[table, kind] * scratch.types[player, kind]
            product *= marginal
        scratch.tables[table] = product
        total += product
    return total


@bare
def draw_types(evidence, types, cache, state, scratch, stream):
    """Draw the kind of table and the players' types from their posterior given the deal.

    Write the types and likelihoods of the state; return the stream.
    """
    total = marginal_likelihood(evidence, types, cache, state, scratch)
    stream = advance(stream)
    table = _draw(scratch.tables, total * unit_float(stream))
    for player in range(PLAYERS):
        total = 0.0
        weights = scratch.types[player]
        for kind in range(weights.shape[0]):
            weights[kind] *= types.table_weights[table, kind]
            total += weights[kind]
        stream = advance(stream)
        kind = _draw(weights, total * unit_float(stream))
        state.type[player] = kind
        state.likelihood[player] = player_likelihood(
            player, kind, evidence, types, cache, state, scratch
        )
    return stream


@bare_inlined
def _draw(weights, point):
    """The index at which the running sum of the weights exceeds `point`."""
    index = 0
    while index < weights.shape[0] - 1 and point >= weights[index]:
        point -= weights[index]
        index += 1
    return index
