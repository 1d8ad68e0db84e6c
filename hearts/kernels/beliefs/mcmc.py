"""A Metropolis chain over whole deals: worlds as likely as they explain what was played and passed.

The others are players 0, 1, 2 in order of play after the viewer. A state is what each of them
holds, in which style each plays and, after a pass among them, which three cards each gave. A move
swaps cards between players, several at once, or exchanges a card of a hidden pass; a card that
takes another's place in a hand takes its role in a pass too, so that every move is as likely as
its reverse. Every few moves the kind of table and the styles are drawn anew, given the hands.

    weight of a state = Σ kind of table  Π player  tables[kind, style] · prior[style]
                        · (P_style(passed cards) · Π P_style(play))^power[style]
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.beliefs.features import MOST
from hearts.kernels.beliefs.likelihood import (
    PLAYERS,
    VIEWER,
    explain_pass,
    explain_plays,
    row_of,
    suit_of,
)
from hearts.kernels.core.bits import ONE, ZERO, U, lowest_place, nth_bit, popcount
from hearts.kernels.core.jit import bare, bare_inlined, kernel
from hearts.kernels.core.random import advance, mix

_S32 = U(32)
_S11 = U(11)
_UNIT = 1.0 / (1 << 53)
_CARD_BITS, _S20, _S40, _S62 = U(0xFFFFF), U(20), U(40), U(62)
_PLACES = 64  # of cards in a set


class State(NamedTuple):
    """A deal with the players' styles, and how likely it is."""

    hidden: NDArray[np.uint64]  # (3,): what each player holds
    passed: NDArray[np.uint64]  # (3,): what each player gave
    style: NDArray[np.int64]  # (3,)
    row: NDArray[np.int64]  # (3, 4): rows of memory
    likelihood: NDArray[np.float64]  # (3,): of what each player did, in its style


class Scratch(NamedTuple):
    """Room for intermediate results."""

    rows: NDArray[np.float64]  # (5, features or styles): for `row_of`
    styles: NDArray[np.float64]  # (3, S): how likely each style of each player is
    tables: NDArray[np.float64]  # (T,): how likely each kind of table is
    since: NDArray[np.int64]  # (64,): the step at which each card came where it is


@bare_inlined
def _unit(stream):
    return float(mix(stream) >> _S11) * _UNIT


@bare_inlined
def _below(stream, number):
    """A whole number below `number`."""
    return int(((mix(stream) >> _S32) * U(number)) >> _S32)


@bare_inlined
def _likelihood(player, style, evidence, styles, memory, state):
    """How likely what a player did is in a style, raised to the style's power."""
    result = explain_plays(player, style, state.row[player], evidence, memory)
    source = evidence.source[player]
    if source >= 0:
        got = evidence.received[player] if source == VIEWER else state.passed[source]
        dealt = (state.hidden[player] | evidence.played[player]) & ~got | state.passed[player]
        result *= explain_pass(dealt, state.passed[player], style, styles)
    return result ** styles.power[style]


@bare
def _find_rows(evidence, styles, memory, state, scratch):
    """Writes the rows of all suits of all hands."""
    for player in range(PLAYERS):
        for suit in range(4):
            state.row[player, suit] = row_of(
                player, suit, state.hidden[player], evidence, styles, memory, scratch.rows
            )


@bare
def _weigh_tables(evidence, styles, memory, state, scratch):
    """Writes how likely what happened is by player and style, and by table; returns the sum.

    The hands and passes are those of the state; the rows must be there.
    """
    n = styles.power.shape[0]
    for player in range(PLAYERS):
        for style in range(n):
            scratch.styles[player, style] = evidence.prior[player, style] * _likelihood(
                player, style, evidence, styles, memory, state
            )
    total = 0.0
    for kind in range(styles.tables.shape[0]):
        product = 1.0
        for player in range(PLAYERS):
            some = 0.0
            for style in range(n):
                some += styles.tables[kind, style] * scratch.styles[player, style]
            product *= some
        scratch.tables[kind] = product
        total += product
    return total


@bare
def _draw_styles(evidence, styles, memory, state, scratch, stream):
    """Draws the kind of table and the players' styles, given the hands and passes of a state."""
    total = _weigh_tables(evidence, styles, memory, state, scratch)
    stream = advance(stream)
    kind = _drawn(scratch.tables, total * _unit(stream))
    for player in range(PLAYERS):
        total = 0.0
        weights = scratch.styles[player]
        for style in range(weights.shape[0]):
            weights[style] *= styles.tables[kind, style]
            total += weights[style]
        stream = advance(stream)
        style = _drawn(weights, total * _unit(stream))
        state.style[player] = style
        state.likelihood[player] = _likelihood(player, style, evidence, styles, memory, state)
    return stream


@bare_inlined
def _drawn(weights, left):
    """The place at which the sum of the weights so far exceeds `left`."""
    place = 0
    while place < weights.shape[0] - 1 and left >= weights[place]:
        left -= weights[place]
        place += 1
    return place


@bare_inlined
def _copy(source, target, changed):
    """Copies what belongs to the players that changed, as bits."""
    for player in range(PLAYERS):
        target.passed[player] = source.passed[player]
        if changed >> player & 1:
            target.hidden[player] = source.hidden[player]
            target.likelihood[player] = source.likelihood[player]
            for suit in range(4):
                target.row[player, suit] = source.row[player, suit]


@bare
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


@bare_inlined
def _replace(evidence, state, player, old, new):
    """Puts a card in the place of another, in the hand and in the pass that brought it."""
    state.hidden[player] ^= old | new
    source = evidence.source[player]
    if 0 <= source < VIEWER and state.passed[source] & old:
        state.passed[source] ^= old | new


@bare_inlined
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


@bare_inlined
def _holder(state, card):
    return 0 if state.hidden[0] & card else 1 if state.hidden[1] & card else 2


@bare_inlined
def _drawn_card(word, free):
    """One of the free cards, by the lowest bits of a word."""
    return ONE << U(free[((word & _CARD_BITS) * U(free.shape[0])) >> _S20])


@bare_inlined
def _propose_swap(evidence, state, free, stream):
    """Swaps two cards between two players or, now and then, moves three round all of them.

    Nothing happens where somebody may not hold what he would get. Swaps alone would not do: who is
    short of suits may be able to change cards in no other way than round the table. With both,
    every deal that fits can be reached from every other.
    """
    stream = advance(stream)
    word = mix(stream)
    x, y, z = _drawn_card(word, free), _drawn_card(word >> _S20, free), ZERO
    i, j, k = _holder(state, x), _holder(state, y), 0
    if i == j:
        return stream
    if word >> _S62 == ZERO:
        z = _drawn_card(word >> _S40, free)
        k = _holder(state, z)
    if z and k != i and k != j:
        allowed = evidence.possible[j] & x and evidence.possible[k] & y
        if allowed and evidence.possible[i] & z:
            _replace(evidence, state, i, x, z)
            _replace(evidence, state, j, y, x)
            _replace(evidence, state, k, z, y)
    elif evidence.possible[i] & y and evidence.possible[j] & x:
        _replace(evidence, state, i, x, y)
        _replace(evidence, state, j, y, x)
    return stream


@bare_inlined
def _propose(evidence, state, free, swaps, hides_pass, stream):
    """Swaps cards and, where a pass is hidden, now and then exchanges a card of it."""
    stream = advance(stream)
    word = mix(stream)
    if hides_pass and word & U(3) == ZERO:
        stream = _propose_pass(evidence, state, stream)
    if not hides_pass or word & U(3) != ZERO or word & U(4):
        for _ in range(1 + int(((word >> _S32) * U(swaps)) >> _S32)):
            stream = _propose_swap(evidence, state, free, stream)
    return stream


@bare_inlined
def _update(evidence, styles, memory, before, state, scratch):
    """Brings a state up to date with its cards; returns the players whose part differs, as bits."""
    result = 0
    for player in range(PLAYERS):
        moved = before.hidden[player] ^ state.hidden[player]
        if moved:
            for suit in range(4):
                if suit_of(moved, suit):
                    state.row[player, suit] = row_of(
                        player, suit, state.hidden[player], evidence, styles, memory, scratch.rows
                    )
        changed = moved != ZERO
        source = evidence.source[player]
        if source >= 0:
            changed = changed or before.passed[player] != state.passed[player]
            if source < VIEWER:
                changed = changed or before.passed[source] != state.passed[source]
        if changed:
            state.likelihood[player] = _likelihood(
                player, before.style[player], evidence, styles, memory, state
            )
            result |= 1 << player
    return result


@bare_inlined
def _count(counts, since, now, before, after):
    """Adds up for how long cards that change hands now were where they were."""
    for player in range(PLAYERS):
        left = before.hidden[player] & ~after.hidden[player]
        while left:
            card = np.int64(lowest_place(left))
            left &= left - ONE
            counts[card, player] += now - since[card]
            since[card] = now


@kernel
def _new_state():
    """A state to write to."""
    return State(
        np.zeros(PLAYERS, dtype=np.uint64),
        np.zeros(PLAYERS, dtype=np.uint64),
        np.zeros(PLAYERS, dtype=np.int64),
        np.zeros((PLAYERS, 4), dtype=np.int64),
        np.ones(PLAYERS),
    )


@kernel
def _new_scratch(styles):
    kinds, n = styles.tables.shape
    return Scratch(
        np.empty((5, max(MOST, n))),
        np.empty((PLAYERS, n)),
        np.empty(kinds),
        np.zeros(_PLACES, dtype=np.int64),
    )


@kernel
def explain_worlds(evidence, styles, memory, hands, seed, likelihoods):
    """Writes the likelihood of worlds (n, 3), with hidden passes drawn at random."""
    state, scratch = _new_state(), _new_scratch(styles)
    stream = seed
    for world in range(hands.shape[0]):
        for player in range(PLAYERS):
            state.hidden[player] = hands[world, player]
        stream = draw_passes(evidence, state.passed, state.hidden, stream)
        _find_rows(evidence, styles, memory, state, scratch)
        likelihoods[world] = _weigh_tables(evidence, styles, memory, state, scratch)


@kernel
def run_chain(evidence, styles, memory, free, swaps, start, steps, seed, worlds, counts):
    """Walks from `start` (3,); writes `worlds` (n, 3), the states at equal distances.

    A step swaps up to `swaps` pairs of the cards `free`. `steps` are (before the first world,
    between worlds, between draws of styles). Adds to `counts` (64, 3) for how many steps after the
    first each player held each card; returns the moves that were tried and accepted.
    """
    state, trial, scratch = _new_state(), _new_state(), _new_scratch(styles)
    for player in range(PLAYERS):
        state.hidden[player] = start[player]
    stream = draw_passes(evidence, state.passed, state.hidden, seed)
    _find_rows(evidence, styles, memory, state, scratch)
    _copy(state, trial, 7)
    return _walk(
        evidence, styles, memory, free, swaps, steps, stream, state, trial, scratch, worlds, counts
    )


@bare
def _walk(
    evidence, styles, memory, free, swaps, steps, stream, state, trial, scratch, worlds, counts
):
    settling, between, restyle = steps[0], steps[1], steps[2]
    end = settling + between * worlds.shape[0]
    hides_pass = False
    for player in range(PLAYERS):
        hides_pass = hides_pass or 0 <= evidence.source[player] < VIEWER
    tried = accepted = 0
    for step in range(end):
        if step % restyle == 0:
            stream = _draw_styles(evidence, styles, memory, state, scratch, stream)
            _copy(state, trial, 7)
        stream = _propose(evidence, trial, free, swaps, hides_pass, stream)
        changed = _update(evidence, styles, memory, state, trial, scratch)
        if changed:
            ratio = 1.0
            for player in range(PLAYERS):
                ratio *= trial.likelihood[player] / state.likelihood[player]
            stream = advance(stream)
            tried += 1
            if _unit(stream) < ratio:
                accepted += 1
                _count(counts, scratch.since, max(step - settling, 0), state, trial)
                _copy(trial, state, changed)
            else:
                _copy(state, trial, changed)
        after = step + 1 - settling
        if after > 0 and after % between == 0:
            for player in range(PLAYERS):
                worlds[after // between - 1, player] = state.hidden[player]
    for place in range(free.shape[0]):
        card = free[place]
        counts[card, _holder(state, ONE << U(card))] += end - settling - scratch.since[card]
    return tried, accepted
