"""Gibbs step over the players' styles, given a deal (Geman and Geman, 1984).

The kind of table is drawn first, with the styles summed out; then the style of each player. Players
at one table are often of one kind, so their styles are independent only given the kind of table.
"""

from hearts.kernels.beliefs.chain_state import player_likelihood
from hearts.kernels.beliefs.likelihood import PLAYERS
from hearts.kernels.core.jit import bare, bare_inlined
from hearts.kernels.core.random import advance, unit_float


@bare
def marginal_likelihood(evidence, styles, cache, state, scratch):
    """The likelihood of a state's hands and passes, summed over kinds of table and styles.

    Write its terms to `scratch.styles` and `scratch.tables`. Needs the state's cache entries.
    """
    n = styles.powers.shape[0]
    for player in range(PLAYERS):
        for style in range(n):
            scratch.styles[player, style] = evidence.style_prior[player, style] * player_likelihood(
                player, style, evidence, styles, cache, state
            )
    total = 0.0
    for kind in range(styles.table_weights.shape[0]):
        product = 1.0
        for player in range(PLAYERS):
            marginal = 0.0
            for style in range(n):
                marginal += styles.table_weights[kind, style] * scratch.styles[player, style]
            product *= marginal
        scratch.tables[kind] = product
        total += product
    return total


@bare
def draw_styles(evidence, styles, cache, state, scratch, stream):
    """Draw the kind of table and the players' styles from their posterior given the deal.

    Write the styles and likelihoods of the state; return the stream.
    """
    total = marginal_likelihood(evidence, styles, cache, state, scratch)
    stream = advance(stream)
    kind = _draw(scratch.tables, total * unit_float(stream))
    for player in range(PLAYERS):
        total = 0.0
        weights = scratch.styles[player]
        for style in range(weights.shape[0]):
            weights[style] *= styles.table_weights[kind, style]
            total += weights[style]
        stream = advance(stream)
        style = _draw(weights, total * unit_float(stream))
        state.style[player] = style
        state.likelihood[player] = player_likelihood(player, style, evidence, styles, cache, state)
    return stream


@bare_inlined
def _draw(weights, point):
    """The index at which the running sum of the weights exceeds `point`."""
    index = 0
    while index < weights.shape[0] - 1 and point >= weights[index]:
        point -= weights[index]
        index += 1
    return index
