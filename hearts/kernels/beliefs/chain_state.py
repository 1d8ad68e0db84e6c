"""The state of the MCMC chain over deals, and the likelihood of each player's plays and pass.

The three other seats are players 0, 1, 2, in order of play after the viewer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.beliefs.features import MAX_FEATURES
from hearts.kernels.beliefs.likelihood import (
    PLAYERS,
    VIEWER,
    find_entry,
    pass_likelihood,
    play_likelihood,
    suit_of,
)
from hearts.kernels.beliefs.policy_types import multiply_pass, multiply_plays
from hearts.kernels.core.bits import ZERO
from hearts.kernels.core.jit import bare, bare_inlined, kernel

ALL_PLAYERS = (1 << PLAYERS) - 1  # as bits
_CARD_SET_BITS = 64


class ChainState(NamedTuple):
    """A deal with hidden passes and the players' types."""

    hidden: NDArray[np.uint64]  # (3,): the cards that each player holds
    passed: NDArray[np.uint64]  # (3,): the cards that each player passed
    type: NDArray[np.int64]  # (3,)
    entry: NDArray[np.int64]  # (3, 4): cache entries of the suits of each hand
    likelihood: NDArray[np.float64]  # (3,): of what each player did, given hand and type


class Scratch(NamedTuple):
    """Preallocated arrays for intermediate results."""

    features: NDArray[np.float64]  # (5, features or types): for `find_entry`
    types: NDArray[np.float64]  # (3, S + K J): weight of each type of each player
    tables: NDArray[np.float64]  # (T,): weight of each kind of table
    one: NDArray[np.float64]  # (1,): the likelihood of one type
    since: NDArray[np.int64]  # (64,): the step at which each card came to its holder


@kernel
def new_state():
    """An empty state."""
    return ChainState(
        np.zeros(PLAYERS, dtype=np.uint64),
        np.zeros(PLAYERS, dtype=np.uint64),
        np.zeros(PLAYERS, dtype=np.int64),
        np.zeros((PLAYERS, 4), dtype=np.int64),
        np.ones(PLAYERS),
    )


@kernel
def new_scratch(types):
    """Scratch arrays for some player types."""
    tables, n = types.table_weights.shape
    return Scratch(
        np.empty((5, max(MAX_FEATURES, n))),
        np.empty((PLAYERS, n)),
        np.empty(tables),
        np.empty(1),
        np.zeros(_CARD_SET_BITS, dtype=np.int64),
    )


@bare_inlined
def holder_of(hands, card):
    """The player (of three) who holds a card."""
    return 0 if hands[0] & card else 1 if hands[1] & card else 2


@bare_inlined
def copy_players(source, target, changed):
    """Copy all passes, and the hands and likelihoods of the players in `changed` (bits)."""
    for player in range(PLAYERS):
        target.passed[player] = source.passed[player]
        if changed >> player & 1:
            target.hidden[player] = source.hidden[player]
            target.likelihood[player] = source.likelihood[player]
            for suit in range(4):
                target.entry[player, suit] = source.entry[player, suit]


@bare
def find_entries(evidence, types, cache, state, scratch):
    """Write the cache entries of all suits of all hands."""
    for player in range(PLAYERS):
        for suit in range(4):
            state.entry[player, suit] = find_entry(
                player, suit, state.hidden[player], evidence, types, cache, scratch.features
            )


@bare_inlined
def _dealt(player, evidence, state):
    """The thirteen cards that a player was dealt, before the pass."""
    source = evidence.source[player]
    got = evidence.received[player] if source == VIEWER else state.passed[source]
    return (state.hidden[player] | evidence.played[player]) & ~got | state.passed[player]


@bare_inlined
def style_likelihood(player, style, evidence, types, cache, state):
    """P(a player's plays and pass | hand, logit style), raised to the style's power."""
    result = play_likelihood(player, style, state.entry[player], evidence, cache)
    if evidence.source[player] >= 0:
        dealt = _dealt(player, evidence, state)
        result *= pass_likelihood(dealt, state.passed[player], style, types)
    return result ** types.powers[style]


@bare
def policy_likelihoods(player, policy, noises, evidence, state, likelihoods):
    """Write P(a player's plays and pass | hand, policy, noise) to `likelihoods` (J,)."""
    likelihoods[:] = 1.0
    first, end = evidence.start[player], evidence.start[player + 1]
    hidden, passed = state.hidden[player], state.passed[player]
    multiply_plays(
        policy, hidden, evidence.situations[first:end], evidence.held[first:end], evidence.rules,
        noises, likelihoods,
    )  # fmt: skip
    if evidence.source[player] >= 0:
        dealt = _dealt(player, evidence, state)
        multiply_pass(
            policy, dealt, passed, evidence.direction, evidence.rules, noises, likelihoods
        )


@bare_inlined
def player_likelihood(player, kind, evidence, types, cache, state, scratch):
    """P(a player's plays and pass | hand, type)."""
    number = kind - types.powers.shape[0]
    if number < 0:
        return style_likelihood(player, kind, evidence, types, cache, state)
    levels = types.noises.shape[0]
    noise, found = number % levels, scratch.one
    policy_likelihoods(
        player, types.policies[number // levels], types.noises[noise : noise + 1], evidence, state,
        found,
    )  # fmt: skip
    return found[0]


@bare_inlined
def update_likelihoods(evidence, types, cache, before, state, scratch):
    """Recompute the likelihoods that differ from those of the state `before`.

    Return the players concerned, as bits.
    """
    result = 0
    for player in range(PLAYERS):
        swapped = before.hidden[player] ^ state.hidden[player]
        if swapped:
            for suit in range(4):
                if suit_of(swapped, suit):
                    state.entry[player, suit] = find_entry(
                        player, suit, state.hidden[player], evidence, types, cache,
                        scratch.features,
                    )  # fmt: skip
        changed = swapped != ZERO
        source = evidence.source[player]
        if source >= 0:
            changed = changed or before.passed[player] != state.passed[player]
            if source < VIEWER:
                changed = changed or before.passed[source] != state.passed[source]
        if changed:
            state.likelihood[player] = player_likelihood(
                player, before.type[player], evidence, types, cache, state, scratch
            )
            result |= 1 << player
    return result
