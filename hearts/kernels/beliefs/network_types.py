"""P(plays of a seat | hand) in a network: how well it predicts what a player has done.

What everybody knows at a play is the same in every deal, so its share of the accumulator is
computed once (`refresh_public`). A hand adds its cards and the lengths of its suits.
"""

import math

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
from hearts.kernels.core.bits import ONE, ZERO, lowest_bit_index, popcount
from hearts.kernels.core.jit import exact, kernel
from hearts.kernels.core.state import distinct, legal_plays, lowest_of_run, run_of
from hearts.kernels.network.features import (
    LENGTH,
    MAX_ACTIVE,
    MINE,
    SEEN_PLAYED,
    UNSEEN,
    known_features,
    suit_count,
    trick_features,
)
from hearts.kernels.network.inference import accumulator_policy

_OF_SUITS = 8  # the features of suit lengths, which `known_features` writes last
_LEAST = 1e-6  # the least probability of a move, so that no play excludes a deal


@kernel
def refresh_public(situations, held, layers, accumulators):
    """Write the `accumulators` (n, hidden1) of what is public at each play of a hand (n plays).

    `held[i]` are the cards that the player of play i had then and has played since, so they are
    public by now. The lengths of suits are left out.
    """
    seen, active = np.zeros((4, 4), dtype=np.uint64), np.empty(MAX_ACTIVE, dtype=np.int64)
    for i in range(situations.shape[0]):
        row = situations[i]
        seat = np.int64(row[TURN])
        n = known_features(
            seat, held[i], seen, row[VOIDS], row[TAKEN], row[FIRST], row[BROKEN], active
        )
        n = trick_features(
            seat, row[TRICK], row[BEST], row[WINNER], row[COUNT], active, n - _OF_SUITS
        )
        accumulators[i] = layers.bias
        for k in range(n):
            accumulators[i] += layers.features[active[k]]
        seen[seat, SEEN_PLAYED] |= row[CARD]


@exact
def _add_hidden(hidden, layers, own):
    """Add the features of the cards that a player still has."""
    while hidden:
        row = layers.features[MINE + np.int64(lowest_bit_index(hidden))]
        hidden &= hidden - ONE
        for j in range(own.shape[0]):
            own[j] += row[j]


@exact
def _add_lengths(hand, in_play, layers, own):
    """Add the features of the lengths of suits, in a hand and hidden from it."""
    for suit in range(4):
        length, all_left = suit_count(hand, suit), suit_count(in_play, suit)
        mine = layers.features[LENGTH + 16 * suit + length]
        unseen = layers.features[UNSEEN + 16 * suit + all_left - length]
        for j in range(own.shape[0]):
            own[j] += mine[j] + unseen[j]


@kernel
def network_logs(situations, held, public, hands, rules, shared, layers, logs):
    """Write log P(plays | hand) of `hands` (n,), the hidden cards of one player, to `logs` (n,).

    `situations`, `held` and the accumulators `public` are those of its plays. Equivalent cards are
    one move; if `shared`, P(card) is an equal share of P(move). The player knows no pass.
    """
    units = public.shape[1]
    cards, own = np.empty(units, dtype=np.float32), np.empty(units, dtype=np.float32)
    hidden2, policy = np.empty(layers.hidden_bias.shape[0], dtype=np.float32), np.empty(13)
    for world in range(hands.shape[0]):
        logs[world] = 0.0
        cards[:] = 0.0
        _add_hidden(hands[world], layers, cards)
        for i in range(situations.shape[0]):
            row = situations[i]
            hand, card = hands[world] | held[i], row[CARD]
            legal = legal_plays(hand, row[BEST], row[COUNT], row[FIRST], row[BROKEN], rules)
            moves = distinct(legal, row[IN_PLAY] | row[TRICK])
            chance = 1.0 / np.float64(popcount(run_of(card, moves, legal))) if shared else 1.0
            if moves & (moves - ONE) != ZERO:
                own[:] = public[i]
                own += cards
                _add_lengths(hand, row[IN_PLAY], layers, own)
                total = accumulator_policy(moves, 0, layers, own, hidden2, policy)
                place = popcount(moves & (lowest_of_run(card, moves) - ONE))
                chance *= max(policy[np.int64(place)] / total, _LEAST)
            logs[world] += math.log(chance)
