"""P(plays and pass | hand, style): the likelihood of one player's actions.

The likelihood of the plays factorises over the suits of a hand, and the factor of a suit depends on
the player's cards of that suit only (`features`). A chain computes each factor once and caches it.
An entry of the cache holds for each style:

    entry[style, 0]      Π P(play) of plays that followed suit · Π exp(score) of leads and discards
    entry[style, 1 + a]  Σ exp(score) of the suit's cards at the player's a-th lead or discard
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.beliefs.contexts import (
    CARD,
    FOLLOW,
    HEARTS_BARRED,
    LED,
    PHASE,
    QUEEN_BARRED,
    UNPLAYED,
)
from hearts.kernels.beliefs.features import (
    MAX_FEATURES,
    PASS_FEATURES,
    pass_features,
    play_features,
    run_top,
    special_of,
)
from hearts.kernels.core.bits import LANE, ONE, ZERO, U, lowest_bit_index, popcount, squeeze
from hearts.kernels.core.jit import bare, bare_inlined, kernel

PLAYERS = 3
VIEWER = 3  # as the giver or the receiver of a pass
_FOUR = U(4)
_SPADES = 2
_QUEEN = ONE << U(10)
_RANK = 15
SUIT_SETS = 1 << 13  # sets of ranks of one suit
CARDS_OF_SETS = 13 << 12  # cards in all of these sets together


class Types(NamedTuple):
    """The player types: S logit styles, then K kernel policies with J noises each.

    Type S + k · J + j follows policy k with noise j (hearts.kernels.beliefs.policy_types).
    """

    play_weights: NDArray[np.float64]  # (3, MAX_FEATURES, S): by phase
    pass_weights: NDArray[np.float32]  # (4, CARDS_OF_SETS, S): see `tabulate_passes`
    symmetric: NDArray[np.float64]  # (4, SUIT_SETS, S, 3)
    offsets: NDArray[np.int64]  # (SUIT_SETS,)
    policies: NDArray[np.int64]  # (K,): codes of hearts.kernels.policies.choose
    noises: NDArray[np.float64]  # (J,): the share of random moves
    powers: NDArray[np.float64]  # (S,): exponents of the likelihoods
    table_weights: NDArray[np.float64]  # (T, S + K J): of a type at one seat of a kind of table


class Evidence(NamedTuple):
    """What one seat has seen of the three others."""

    contexts: NDArray[np.int64]  # (n, 24): of informative plays, by player, follows first
    held: NDArray[np.uint64]  # (n,): cards that the player had then and has played since
    start: NDArray[np.int64]  # (4,): player p's plays are start[p] … start[p + 1]
    opened: NDArray[np.int64]  # (3,): where each player's leads and discards begin
    possible: NDArray[np.uint64]  # (3,): hidden cards that it may hold
    played: NDArray[np.uint64]  # (3,): all cards that it has played
    situations: NDArray[np.uint64]  # (n, WIDTH of situations): of the same plays
    type_prior: NDArray[np.float64]  # (3, S + K J): up to a factor per player
    source: NDArray[np.int64]  # (3,): the giver of its pass, VIEWER or a player; -1 if none
    given: NDArray[np.uint64]  # (3,): cards it passed to the viewer; 0 if it passed to a player
    received: NDArray[np.uint64]  # (3,): cards the viewer passed to it; 0 if a player did
    direction: int  # of the pass: seats to the left
    rules: np.uint64


class SuitCache(NamedTuple):
    """Likelihood factors of suits of hands, computed on first use."""

    base: NDArray[np.int64]  # (3, 4): where the part of `lookup` for a player's suit begins
    lookup: NDArray[np.int32]  # by player, suit and set of cards: the entry, -1 for none yet
    entries: NDArray[np.float64]  # (n, S, 1 + most leads and discards of a player)
    used: NDArray[np.int64]  # (1,): entries in use


@bare_inlined
def suit_of(cards, suit):
    """The ranks of a suit, as bits."""
    return (cards >> (U(suit) * U(16))) & LANE


@bare
def _dot_styles(features, size, weights, scores):
    """Write the score of one alternative under every style to `scores` (S,)."""
    scores[:] = 0.0
    for j in range(size):
        value = features[j]
        if value != 0.0:
            for style in range(scores.shape[0]):
                scores[style] += value * weights[j, style]


@bare
def _score_suit(context, suit, lane, weights, features, scores, totals, chosen):
    """Write by style Σ exp(score) over a suit's runs, and the score of the card played.

    The latter is log(P(card) · Σ exp(score)): the score of its run minus log(cards in the run). It
    is 0 if the card played is of another suit.
    """
    totals[:] = 0.0
    chosen[:] = 0.0
    others = U(context[UNPLAYED + suit]) & ~lane
    special = special_of(suit)
    played = ONE << U(context[CARD] & _RANK) if context[CARD] >> 4 == suit else ZERO
    barred = _QUEEN if suit == _SPADES and context[QUEEN_BARRED] != 0 else ZERO
    if context[PHASE] == FOLLOW or played == _QUEEN:
        barred = ZERO
    left = lane & ~barred
    while left:
        low = left & (ZERO - left)
        top = run_top(low, lane, others, special)
        run = lane & ((top << ONE) - ONE) & ~(low - ONE)
        left &= ~run
        play_features(context, suit, lane, low, top, features)
        _dot_styles(features, MAX_FEATURES, weights, scores)
        for style in range(scores.shape[0]):
            totals[style] += math.exp(scores[style])
        if run & played:
            size = math.log(float(popcount(run)))
            for style in range(scores.shape[0]):
                chosen[style] = scores[style] - size


@bare
def _compute_entry(player, suit, lane, evidence, styles, scratch, entry):
    """Write the cache entry for the cards `lane` of a player's suit."""
    n = entry.shape[0]
    features, scores = scratch[0], scratch[1, :n]
    totals, chosen, log_product = scratch[2, :n], scratch[3, :n], scratch[4, :n]
    log_product[:] = 0.0
    shift = U(suit) * U(16)
    for i in range(evidence.start[player], evidence.start[player + 1]):
        context = evidence.contexts[i]
        phase = context[PHASE]
        if phase == FOLLOW and context[LED] != suit:
            continue
        had = lane | ((evidence.held[i] >> shift) & LANE)
        weights = styles.play_weights[phase]
        _score_suit(context, suit, had, weights, features, scores, totals, chosen)
        for style in range(n):
            log_product[style] += chosen[style]
        if phase == FOLLOW:
            for style in range(n):
                log_product[style] -= math.log(totals[style])
        else:
            for style in range(n):
                entry[style, 1 + i - evidence.opened[player]] = totals[style]
    for style in range(n):
        entry[style, 0] = math.exp(log_product[style])


@bare_inlined
def find_entry(player, suit, hidden, evidence, styles, cache, scratch):
    """The index of the cache entry for a player's suit, computed if it is new."""
    slot = cache.base[player, suit] + np.int64(
        squeeze(suit_of(hidden, suit), suit_of(evidence.possible[player], suit))
    )
    entry = np.int64(cache.lookup[slot])
    if entry < 0:
        entry = cache.used[0]
        cache.used[0] += 1
        cache.lookup[slot] = entry
        lane = suit_of(hidden, suit)
        _compute_entry(player, suit, lane, evidence, styles, scratch, cache.entries[entry])
    return entry


@bare_inlined
def play_likelihood(player, style, entry, evidence, cache):
    """P(a player's plays | hand, style), from the cache entries of the four suits."""
    clubs, diamonds = cache.entries[entry[0], style], cache.entries[entry[1], style]
    spades, hearts = cache.entries[entry[2], style], cache.entries[entry[3], style]
    normaliser = 1.0
    opened = evidence.opened[player]
    for i in range(opened, evidence.start[player + 1]):
        a = 1 + i - opened
        total = clubs[a] + diamonds[a] + spades[a]
        if evidence.contexts[i, HEARTS_BARRED] == 0 or total == 0.0:
            total += hearts[a]
        normaliser *= total
    return clubs[0] * diamonds[0] * spades[0] * hearts[0] / normaliser


@kernel
def tabulate_passes(weights, offsets, pass_weights, symmetric):
    """Tabulate the pass model for every set of ranks of every suit.

    `pass_weights`: exp(score) of each card of a set, from `offsets[ranks]` on. `symmetric`: the
    elementary symmetric polynomials e₁, e₂, e₃ of these weights.
    """
    features, scores = np.empty(PASS_FEATURES), np.empty(weights.shape[1])
    symmetric[:] = 0.0
    for suit in range(4):
        row = 0
        for ranks in range(SUIT_SETS):
            offsets[ranks] = row
            lane, left = U(ranks), U(ranks)
            e = symmetric[suit, ranks]
            while left:
                card = left & (ZERO - left)
                left ^= card
                pass_features(suit, lane, card, features)
                _dot_styles(features, PASS_FEATURES, weights, scores)
                for style in range(scores.shape[0]):
                    weight = math.exp(scores[style])
                    pass_weights[suit, row, style] = weight
                    e[style, 2] += weight * e[style, 1]
                    e[style, 1] += weight * e[style, 0]
                    e[style, 0] += weight
                row += 1


@bare_inlined
def pass_likelihood(dealt, passed, style, styles):
    """P(a player passes these three cards | thirteen cards dealt, style)."""
    e = styles.symmetric
    c, d = e[0, suit_of(dealt, 0), style], e[1, suit_of(dealt, 1), style]
    s, h = e[2, suit_of(dealt, 2), style], e[3, suit_of(dealt, 3), style]
    a1, a2 = c[0] + d[0], c[1] + d[1] + c[0] * d[0]
    a3 = c[2] + d[2] + c[1] * d[0] + c[0] * d[1]
    b1, b2 = s[0] + h[0], s[1] + h[1] + s[0] * h[0]
    b3 = s[2] + h[2] + s[1] * h[0] + s[0] * h[1]
    product = 1.0
    left = passed
    while left:
        card = left & (ZERO - left)
        left ^= card
        suit = lowest_bit_index(card) >> _FOUR
        lane = suit_of(dealt, suit)
        below = lane & ((card >> (suit * U(16))) - ONE)
        product *= styles.pass_weights[
            suit, styles.offsets[lane] + np.int64(popcount(below)), style
        ]
    return product / (a3 + a2 * b1 + a1 * b2 + b3)
