"""A Metropolis chain over whole deals: worlds as likely as they explain what was played and passed.

The others are players 0, 1, 2 in order of play after the viewer. A state is what each of them holds
and, after a pass among them, which three cards each gave. A move swaps cards between players,
several pairs at once, or exchanges a card of a hidden pass; a card that takes another's place in a
hand takes its role in a pass too, so that every move is as likely as its reverse.

    weight of a state = Π player Σ style  prior[style] · (P_style(passed cards) · Π P_style(play))^τ

τ is POWER, or 1 for styles that know their players well.

What a suit of a hand contributes is a function of the cards of that suit (hearts.kernels.features):
it is computed when the chain first meets them, and looked up from then on. A row of that memory:

    row[0]      Π P^τ of plays that followed suit, exp(τ · score) of cards led or thrown, by style
    row[1 + a]  Σ exp(score) of the suit's cards at the player's a-th lead or discard, by style
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.bits import LANE, ONE, ZERO, U, lowest_place, nth_bit, popcount, squeeze
from hearts.kernels.features import (
    MOST,
    PASSES,
    pass_features,
    play_features,
    run_top,
    special_of,
)
from hearts.kernels.jit import inlined, kernel
from hearts.kernels.moments import CARD, FOLLOW, HEARTS_BARRED, LED, PHASE, QUEEN_BARRED, UNPLAYED
from hearts.kernels.random import advance, mix

PLAYERS = 3
VIEWER = 3  # as the giver or the receiver of a pass
_S32 = U(32)
_S11 = U(11)
_UNIT = 1.0 / (1 << 53)
_FOUR = U(4)
_SPADES, _HEARTS = 2, 3
_QUEEN = ONE << U(10)
_RANK = 15
_HALF = U(0xFFFFFFFF)
POWER = 0.75  # τ of styles that are guesses: their evidence counts less; takes two square roots
SUIT_SETS = 1 << 13  # sets of ranks of one suit
CARDS = 13 << 12  # cards in all of them


class Styles(NamedTuple):
    """How players of several styles choose, with S styles."""

    play: NDArray[np.float64]  # (3, MOST, S): weights by phase
    cards: NDArray[np.float32]  # (4, CARDS, S): see `weigh_passes`
    sums: NDArray[np.float64]  # (4, 8192, 3, S)
    offsets: NDArray[np.int64]  # (8192,)
    tempered: NDArray[np.bool_]  # (S,): whether likelihoods are raised to POWER


class Evidence(NamedTuple):
    """What one seat saw of the three others."""

    moments: NDArray[np.int64]  # (n, 24): plays that say something, by player
    held: NDArray[np.uint64]  # (n,): cards that the player had then, and has played since
    start: NDArray[np.int64]  # (4,): player p's moments are start[p] … start[p + 1]
    opened: NDArray[np.int64]  # (3,): where its leads and discards begin; follows come before
    possible: NDArray[np.uint64]  # (3,): hidden cards that it may hold
    played: NDArray[np.uint64]  # (3,): all that it has played
    prior: NDArray[np.float64]  # (3, S): log of how likely its style is
    source: NDArray[np.int64]  # (3,): who gave to it, VIEWER or a player; -1 without a pass
    given: NDArray[np.uint64]  # (3,): what it gave the viewer, 0 where it gave another player
    received: NDArray[np.uint64]  # (3,): what the viewer gave it, 0 where another player did


class Memory(NamedTuple):
    """What suits of hands contribute, computed as they come up."""

    base: NDArray[np.int64]  # (3, 4): where the places of a player's suit begin
    places: NDArray[np.int32]  # by player, suit and cards of it: the row, -1 for none yet
    rows: NDArray[np.float64]  # (rows, 1 + most leads and discards of a player, S)
    used: NDArray[np.int64]  # (1,): rows in use


class State(NamedTuple):
    """A deal, and why it is as likely as it is: by style, P(plays) = numerator / denominator^τ."""

    hidden: NDArray[np.uint64]  # (3,): what each player holds
    passed: NDArray[np.uint64]  # (3,): what each player gave
    row: NDArray[np.int64]  # (3, 4): rows of memory
    numerator: NDArray[np.float64]  # (3, S)
    denominator: NDArray[np.float64]  # (3, S)
    passing: NDArray[np.float64]  # (3, S): 1 / P(pass)
    likelihood: NDArray[np.float64]  # (3,): styles summed up


@inlined
def _unit(stream):
    return float(mix(stream) >> _S11) * _UNIT


@inlined
def _below(stream, number):
    """A whole number below `number`."""
    return int(((mix(stream) >> _S32) * U(number)) >> _S32)


@inlined
def _suit_of(cards, suit):
    return (cards >> (U(suit) * U(16))) & LANE


@kernel
def _score(features, size, weights, scores):
    """Writes the dot products of features with every style's weights."""
    scores[:] = 0.0
    for j in range(size):
        value = features[j]
        if value != 0.0:
            for style in range(scores.shape[0]):
                scores[style] += value * weights[j, style]


@kernel
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


@kernel
def _remember(player, suit, lane, evidence, styles, scratch, row):
    """Writes the row of memory for a suit of a hand."""
    row[:] = 0.0
    features, scores, sums, chosen = scratch[0], scratch[1], scratch[2], scratch[3]
    shift, n = U(suit) * U(16), row.shape[1]
    for i in range(evidence.start[player], evidence.start[player + 1]):
        moment = evidence.moments[i]
        phase = moment[PHASE]
        if phase == FOLLOW and moment[LED] != suit:
            continue
        had = lane | ((evidence.held[i] >> shift) & LANE)
        attraction(
            moment, suit, had, styles.play[phase], features, scores[:n], sums[:n], chosen[:n]
        )
        for style in range(n):
            row[0, style] += chosen[style]
        if phase == FOLLOW:
            for style in range(n):
                row[0, style] -= math.log(sums[style])
        else:
            for style in range(n):
                row[1 + i - evidence.opened[player], style] = sums[style]
    for style in range(n):
        row[0, style] = math.exp((POWER if styles.tempered[style] else 1.0) * row[0, style])


@inlined
def _row_of(player, suit, hidden, evidence, styles, memory, scratch):
    """The row of memory for a player's suit, written if it is new."""
    place = memory.base[player, suit] + np.int64(
        squeeze(_suit_of(hidden, suit), _suit_of(evidence.possible[player], suit))
    )
    row = np.int64(memory.places[place])
    if row < 0:
        row = memory.used[0]
        memory.used[0] += 1
        memory.places[place] = row
        _remember(player, suit, _suit_of(hidden, suit), evidence, styles, scratch, memory.rows[row])
    return row


@inlined
def _explain_plays(player, evidence, memory, state):
    """Writes how a player's plays are explained, from the rows of its four suits."""
    opened, end = evidence.opened[player], evidence.start[player + 1]
    clubs, diamonds = memory.rows[state.row[player, 0]], memory.rows[state.row[player, 1]]
    spades, hearts = memory.rows[state.row[player, 2]], memory.rows[state.row[player, 3]]
    numerator, denominator = state.numerator[player], state.denominator[player]
    for style in range(numerator.shape[0]):
        numerator[style] = (
            clubs[0, style] * diamonds[0, style] * spades[0, style] * hearts[0, style]
        )
        denominator[style] = 1.0
    for i in range(opened, end):
        a = 1 + i - opened
        quiet = evidence.moments[i, HEARTS_BARRED] != 0
        for style in range(numerator.shape[0]):
            total = clubs[a, style] + diamonds[a, style] + spades[a, style]
            if not quiet or total == 0.0:
                total += hearts[a, style]
            denominator[style] *= total


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
                    e[2, style] += weight * e[1, style]
                    e[1, style] += weight * e[0, style]
                    e[0, style] += weight
                row += 1


@inlined
def explain_pass(dealt, passed, styles, passing):
    """Writes by style 1 / P(a hand of 13 gives these three cards)."""
    c, d = styles.sums[0, _suit_of(dealt, 0)], styles.sums[1, _suit_of(dealt, 1)]
    s, h = styles.sums[2, _suit_of(dealt, 2)], styles.sums[3, _suit_of(dealt, 3)]
    for style in range(passing.shape[0]):
        a1, a2 = c[0, style] + d[0, style], c[1, style] + d[1, style] + c[0, style] * d[0, style]
        a3 = c[2, style] + d[2, style] + c[1, style] * d[0, style] + c[0, style] * d[1, style]
        b1, b2 = s[0, style] + h[0, style], s[1, style] + h[1, style] + s[0, style] * h[0, style]
        b3 = s[2, style] + h[2, style] + s[1, style] * h[0, style] + s[0, style] * h[1, style]
        passing[style] = a3 + a2 * b1 + a1 * b2 + b3
    left = passed
    while left:
        card = left & (ZERO - left)
        left ^= card
        suit = lowest_place(card) >> _FOUR
        lane = _suit_of(dealt, suit)
        below = lane & ((card >> (suit * U(16))) - ONE)
        row = styles.cards[suit, styles.offsets[lane] + np.int64(popcount(below))]
        for style in range(passing.shape[0]):
            passing[style] /= row[style]


@inlined
def _explain_pass_of(player, evidence, styles, state):
    """Writes how a player's pass is explained."""
    source = evidence.source[player]
    got = evidence.received[player] if source == VIEWER else state.passed[source]
    dealt = (state.hidden[player] | evidence.played[player]) & ~got | state.passed[player]
    explain_pass(dealt, state.passed[player], styles, state.passing[player])


@inlined
def _sum_styles(player, evidence, styles, state):
    """Writes how likely what a player did is, whatever its style."""
    total = 0.0
    for style in range(state.numerator.shape[1]):
        below = state.denominator[player, style] * state.passing[player, style]
        if styles.tempered[style]:
            below = math.sqrt(below * math.sqrt(below))
        total += evidence.prior[player, style] * state.numerator[player, style] / below
    state.likelihood[player] = total


@kernel
def _explain(evidence, styles, memory, state, scratch):
    """Writes everything about a state that follows from who holds and gave what."""
    for player in range(PLAYERS):
        for suit in range(4):
            state.row[player, suit] = _row_of(
                player, suit, state.hidden[player], evidence, styles, memory, scratch
            )
        _explain_plays(player, evidence, memory, state)
        state.passing[player] = 1.0
        if evidence.source[player] >= 0:
            _explain_pass_of(player, evidence, styles, state)
        _sum_styles(player, evidence, styles, state)


@inlined
def _copy(source, target, changed):
    """Copies what belongs to the players that changed, as bits."""
    for player in range(PLAYERS):
        target.passed[player] = source.passed[player]
        if changed >> player & 1:
            target.hidden[player] = source.hidden[player]
            target.likelihood[player] = source.likelihood[player]
            for suit in range(4):
                target.row[player, suit] = source.row[player, suit]
            for style in range(source.numerator.shape[1]):
                target.numerator[player, style] = source.numerator[player, style]
                target.denominator[player, style] = source.denominator[player, style]
                target.passing[player, style] = source.passing[player, style]


@kernel
def draw_passes(evidence, passed, hidden, stream):
    """Writes what every player gave: what is known, and otherwise three cards of the receiver's."""
    for player in range(PLAYERS):
        passed[player] = evidence.given[player]
    for player in range(PLAYERS):
        source = evidence.source[player]
        if 0 <= source < VIEWER:
            left, chosen = hidden[player] | evidence.played[player], ZERO
            for _ in range(3):
                stream = advance(stream)
                card = nth_bit(left, U(_below(stream, popcount(left))))
                left ^= card
                chosen |= card
            passed[source] = chosen
    return stream


@inlined
def _replace(evidence, state, player, old, new):
    """Puts a card in the place of another, in the hand and in the pass that brought it."""
    state.hidden[player] ^= old | new
    source = evidence.source[player]
    if 0 <= source < VIEWER and state.passed[source] & old:
        state.passed[source] ^= old | new


@inlined
def _propose_pass(evidence, state, stream):
    """Exchanges a card of a hidden pass, if there is one."""
    stream = advance(stream)
    first = _below(stream, PLAYERS)
    for step in range(PLAYERS):
        player = (first + step) % PLAYERS
        source = evidence.source[player]
        if 0 <= source < VIEWER:
            given = state.passed[source]
            kept = (state.hidden[player] | evidence.played[player]) & ~given
            stream = advance(stream)
            out = nth_bit(given, U(_below(stream, 3)))
            stream = advance(stream)
            into = nth_bit(kept, U(_below(stream, popcount(kept))))
            state.passed[source] ^= out | into
            break
    return stream


@inlined
def _holder(state, card):
    return 0 if state.hidden[0] & card else 1 if state.hidden[1] & card else 2


@inlined
def _propose_swap(evidence, state, free, stream):
    """Swaps two cards between two players, where each may hold what he gets."""
    stream = advance(stream)
    word = mix(stream)
    size = U(free.shape[0])
    x = ONE << U(free[((word & _HALF) * size) >> _S32])
    y = ONE << U(free[((word >> _S32) * size) >> _S32])
    i, j = _holder(state, x), _holder(state, y)
    if i != j and evidence.possible[i] & y and evidence.possible[j] & x:
        _replace(evidence, state, i, x, y)
        _replace(evidence, state, j, y, x)
    return stream


@inlined
def _update(evidence, styles, memory, before, state, scratch):
    """Brings a state up to date with its cards; returns the players whose part differs, as bits."""
    result = 0
    for player in range(PLAYERS):
        moved = before.hidden[player] ^ state.hidden[player]
        if moved:
            for suit in range(4):
                if _suit_of(moved, suit):
                    state.row[player, suit] = _row_of(
                        player, suit, state.hidden[player], evidence, styles, memory, scratch
                    )
            _explain_plays(player, evidence, memory, state)
        changed = moved != ZERO
        source = evidence.source[player]
        if source >= 0:
            changed = changed or before.passed[player] != state.passed[player]
            if source < VIEWER:
                changed = changed or before.passed[source] != state.passed[source]
            if changed:
                _explain_pass_of(player, evidence, styles, state)
        if changed:
            _sum_styles(player, evidence, styles, state)
            result |= 1 << player
    return result


@kernel
def new_state(styles):
    """A state to write to."""
    n = styles.play.shape[2]
    return State(
        np.zeros(PLAYERS, dtype=np.uint64),
        np.zeros(PLAYERS, dtype=np.uint64),
        np.zeros((PLAYERS, 4), dtype=np.int64),
        np.ones((PLAYERS, n)),
        np.ones((PLAYERS, n)),
        np.ones((PLAYERS, n)),
        np.ones(PLAYERS),
    )


@kernel
def explain_worlds(evidence, styles, memory, hands, seed, likelihoods):
    """Writes the likelihood of worlds (n, 3), with hidden passes drawn at random."""
    state, scratch = new_state(styles), np.empty((4, MOST))
    stream = seed
    for world in range(hands.shape[0]):
        for player in range(PLAYERS):
            state.hidden[player] = hands[world, player]
        stream = draw_passes(evidence, state.passed, state.hidden, stream)
        _explain(evidence, styles, memory, state, scratch)
        likelihoods[world] = state.likelihood[0] * state.likelihood[1] * state.likelihood[2]


@kernel
def run_chain(evidence, styles, memory, free, moves, start, steps, seed, worlds, counts):
    """Walks from `start` (3,); writes `worlds` (n, 3), the states at equal distances.

    `steps` are (before the first world, between worlds). Adds to `counts` (free cards, 3) who holds
    the cards after the first steps, once per world; returns the moves that were tried and accepted.
    """
    state, trial, scratch = new_state(styles), new_state(styles), np.empty((4, MOST))
    hides_pass = False
    for player in range(PLAYERS):
        hides_pass = hides_pass or 0 <= evidence.source[player] < VIEWER
        state.hidden[player] = start[player]
    stream = draw_passes(evidence, state.passed, state.hidden, seed)
    _explain(evidence, styles, memory, state, scratch)
    _copy(state, trial, 7)
    tried = accepted = 0
    for world in range(worlds.shape[0]):
        for step in range(steps[0] if world == 0 else steps[1]):
            stream = advance(stream)
            word = mix(stream)
            if hides_pass and word & U(3) == ZERO:
                stream = _propose_pass(evidence, trial, stream)
            if not hides_pass or word & U(3) != ZERO or word & U(4):
                for _ in range(1 + int(((word >> _S32) * U(moves)) >> _S32)):
                    stream = _propose_swap(evidence, trial, free, stream)
            changed = _update(evidence, styles, memory, state, trial, scratch)
            if changed == 0:
                continue
            ratio = 1.0
            for player in range(PLAYERS):
                ratio *= trial.likelihood[player] / state.likelihood[player]
            stream = advance(stream)
            tried += 1
            if _unit(stream) < ratio:
                accepted += 1
                _copy(trial, state, changed)
            else:
                _copy(state, trial, changed)
        for player in range(PLAYERS):
            worlds[world, player] = state.hidden[player]
        for card in range(free.shape[0]):
            counts[card, _holder(state, ONE << U(free[card]))] += 1.0
    return tried, accepted
