"""How well a hand explains what its player did: P(plays and pass | hand, style).

What a suit of a hand contributes to the plays is a function of the cards of that suit
(`features`): it is computed when a chain first meets them, and looked up from then on.
A row of that memory has for each style:

    row[style, 0]      Π P of plays that followed suit, times exp(score) of cards led or thrown
    row[style, 1 + a]  Σ exp(score) of the suit's cards at the player's a-th lead or discard
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.beliefs.features import (
    MOST,
    PASSES,
    pass_features,
    play_features,
    run_top,
    special_of,
)
from hearts.kernels.beliefs.moments import (
    CARD,
    FOLLOW,
    HEARTS_BARRED,
    LED,
    PHASE,
    QUEEN_BARRED,
    UNPLAYED,
)
from hearts.kernels.core.bits import LANE, ONE, ZERO, U, lowest_place, popcount, squeeze
from hearts.kernels.core.jit import bare, bare_inlined, kernel

PLAYERS = 3
VIEWER = 3  # as the giver or the receiver of a pass
_FOUR = U(4)
_SPADES = 2
_QUEEN = ONE << U(10)
_RANK = 15
SUIT_SETS = 1 << 13  # sets of ranks of one suit
CARDS = 13 << 12  # cards in all of them


class Styles(NamedTuple):
    """How players of several styles choose, with S styles."""

    play: NDArray[np.float64]  # (3, MOST, S): weights by phase
    cards: NDArray[np.float32]  # (4, CARDS, S): see `weigh_passes`
    sums: NDArray[np.float64]  # (4, 8192, S, 3)
    offsets: NDArray[np.int64]  # (8192,)
    power: NDArray[np.float64]  # (S,): the exponent of likelihoods
    tables: NDArray[np.float64]  # (T, S): how likely each kind of table is, with a style at a seat


class Evidence(NamedTuple):
    """What one seat saw of the three others."""

    moments: NDArray[np.int64]  # (n, 24): plays that say something, by player
    held: NDArray[np.uint64]  # (n,): cards that the player had then, and has played since
    start: NDArray[np.int64]  # (4,): player p's moments are start[p] … start[p + 1]
    opened: NDArray[np.int64]  # (3,): where its leads and discards begin; follows come before
    possible: NDArray[np.uint64]  # (3,): hidden cards that it may hold
    played: NDArray[np.uint64]  # (3,): all that it has played
    prior: NDArray[np.float64]  # (3, S): what is known of its style from elsewhere, as a factor
    source: NDArray[np.int64]  # (3,): who gave to it, VIEWER or a player; -1 without a pass
    given: NDArray[np.uint64]  # (3,): what it gave the viewer, 0 where it gave another player
    received: NDArray[np.uint64]  # (3,): what the viewer gave it, 0 where another player did


class Memory(NamedTuple):
    """What suits of hands contribute, computed as they come up."""

    base: NDArray[np.int64]  # (3, 4): where the places of a player's suit begin
    places: NDArray[np.int32]  # by player, suit and cards of it: the row, -1 for none yet
    rows: NDArray[np.float64]  # (rows, S, 1 + most leads and discards of a player)
    used: NDArray[np.int64]  # (1,): rows in use


@bare_inlined
def suit_of(cards, suit):
    """The ranks of a suit, as bits."""
    return (cards >> (U(suit) * U(16))) & LANE


@bare
def _score(features, size, weights, scores):
    """Writes the dot products of features with every style's weights."""
    scores[:] = 0.0
    for j in range(size):
        value = features[j]
        if value != 0.0:
            for style in range(scores.shape[0]):
                scores[style] += value * weights[j, style]


@bare
def attraction(moment, suit, lane, weights, features, scores, sums, chosen):
    """Writes Σ exp(score) of a suit's runs to `sums`, and the score of the card played to `chosen`.

    The latter is log(P(card) · Σ), shared among the cards of its run; zero when it is elsewhere.
    """
    sums[:] = 0.0
    chosen[:] = 0.0
    others = U(moment[UNPLAYED + suit]) & ~lane
    special = special_of(suit)
    played = ONE << U(moment[CARD] & _RANK) if moment[CARD] >> 4 == suit else ZERO
    barred = _QUEEN if suit == _SPADES and moment[QUEEN_BARRED] != 0 else ZERO
    if moment[PHASE] == FOLLOW or played == _QUEEN:
        barred = ZERO
    left = lane & ~barred
    while left:
        low = left & (ZERO - left)
        top = run_top(low, lane, others, special)
        run = lane & ((top << ONE) - ONE) & ~(low - ONE)
        left &= ~run
        play_features(moment, suit, lane, low, top, features)
        _score(features, MOST, weights, scores)
        for style in range(scores.shape[0]):
            sums[style] += math.exp(scores[style])
        if run & played:
            size = math.log(float(popcount(run)))
            for style in range(scores.shape[0]):
                chosen[style] = scores[style] - size


@bare
def _remember(player, suit, lane, evidence, styles, scratch, row):
    """Writes the row of memory for a suit of a hand."""
    n = row.shape[0]
    features, scores = scratch[0], scratch[1, :n]
    sums, chosen, total = scratch[2, :n], scratch[3, :n], scratch[4, :n]
    total[:] = 0.0
    shift = U(suit) * U(16)
    for i in range(evidence.start[player], evidence.start[player + 1]):
        moment = evidence.moments[i]
        phase = moment[PHASE]
        if phase == FOLLOW and moment[LED] != suit:
            continue
        had = lane | ((evidence.held[i] >> shift) & LANE)
        attraction(moment, suit, had, styles.play[phase], features, scores, sums, chosen)
        for style in range(n):
            total[style] += chosen[style]
        if phase == FOLLOW:
            for style in range(n):
                total[style] -= math.log(sums[style])
        else:
            for style in range(n):
                row[style, 1 + i - evidence.opened[player]] = sums[style]
    for style in range(n):
        row[style, 0] = math.exp(total[style])


@bare_inlined
def row_of(player, suit, hidden, evidence, styles, memory, scratch):
    """The row of memory for a player's suit, written if it is new."""
    place = memory.base[player, suit] + np.int64(
        squeeze(suit_of(hidden, suit), suit_of(evidence.possible[player], suit))
    )
    row = np.int64(memory.places[place])
    if row < 0:
        row = memory.used[0]
        memory.used[0] += 1
        memory.places[place] = row
        _remember(player, suit, suit_of(hidden, suit), evidence, styles, scratch, memory.rows[row])
    return row


@bare_inlined
def explain_plays(player, style, row, evidence, memory):
    """P(a player's plays) for one style, from the rows of its four suits."""
    clubs, diamonds = memory.rows[row[0], style], memory.rows[row[1], style]
    spades, hearts = memory.rows[row[2], style], memory.rows[row[3], style]
    below = 1.0
    opened = evidence.opened[player]
    for i in range(opened, evidence.start[player + 1]):
        a = 1 + i - opened
        total = clubs[a] + diamonds[a] + spades[a]
        if evidence.moments[i, HEARTS_BARRED] == 0 or total == 0.0:
            total += hearts[a]
        below *= total
    return clubs[0] * diamonds[0] * spades[0] * hearts[0] / below


@kernel
def weigh_passes(weights, offsets, cards, sums):
    """Writes how attractive cards are to pass, for every set of ranks of every suit.

    `cards`: exp(score) of each card of the set, from `offsets[ranks]` on. `sums`: e₁, e₂, e₃, where
    eₖ is the sum over all choices of k cards of the product of their weights.
    """
    features, scores = np.empty(PASSES), np.empty(weights.shape[1])
    sums[:] = 0.0
    for suit in range(4):
        row = 0
        for ranks in range(1 << 13):
            offsets[ranks] = row
            lane, left = U(ranks), U(ranks)
            e = sums[suit, ranks]
            while left:
                card = left & (ZERO - left)
                left ^= card
                pass_features(suit, lane, card, features)
                _score(features, PASSES, weights, scores)
                for style in range(scores.shape[0]):
                    weight = math.exp(scores[style])
                    cards[suit, row, style] = weight
                    e[style, 2] += weight * e[style, 1]
                    e[style, 1] += weight * e[style, 0]
                    e[style, 0] += weight
                row += 1


@bare_inlined
def explain_pass(dealt, passed, style, styles):
    """P(a hand of 13 gives these three cards) for one style."""
    c, d = styles.sums[0, suit_of(dealt, 0), style], styles.sums[1, suit_of(dealt, 1), style]
    s, h = styles.sums[2, suit_of(dealt, 2), style], styles.sums[3, suit_of(dealt, 3), style]
    a1, a2 = c[0] + d[0], c[1] + d[1] + c[0] * d[0]
    a3 = c[2] + d[2] + c[1] * d[0] + c[0] * d[1]
    b1, b2 = s[0] + h[0], s[1] + h[1] + s[0] * h[0]
    b3 = s[2] + h[2] + s[1] * h[0] + s[0] * h[1]
    attractions = 1.0
    left = passed
    while left:
        card = left & (ZERO - left)
        left ^= card
        suit = lowest_place(card) >> _FOUR
        lane = suit_of(dealt, suit)
        below = lane & ((card >> (suit * U(16))) - ONE)
        attractions *= styles.cards[suit, styles.offsets[lane] + np.int64(popcount(below)), style]
    return attractions / (a3 + a2 * b1 + a1 * b2 + b3)
