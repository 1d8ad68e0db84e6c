"""Symmetric proposals of the Metropolis chain: swaps of cards, and changes of hidden passes.

A card that replaces another in a hand also replaces it in the pass that brought it, so that every
proposal is as probable as its reverse.
"""

from hearts.kernels.beliefs.chain_state import holder_of
from hearts.kernels.beliefs.likelihood import PLAYERS, VIEWER
from hearts.kernels.core.bits import ONE, ZERO, U, nth_bit, popcount
from hearts.kernels.core.jit import bare, bare_inlined
from hearts.kernels.core.random import advance, below, mix

_S32 = U(32)
_CARD_BITS, _S20, _S40, _S62 = U(0xFFFFF), U(20), U(40), U(62)


@bare
def draw_passes(evidence, passed, hidden, stream):
    """Write the cards that every player passed: known ones, or three random ones of the receiver.

    Return the stream.
    """
    for player in range(PLAYERS):
        passed[player] = evidence.given[player]
    for player in range(PLAYERS):
        source = evidence.source[player]
        if 0 <= source < VIEWER:
            left, chosen = hidden[player] | evidence.played[player], ZERO
            for _ in range(3):
                stream = advance(stream)
                card = nth_bit(left, U(below(stream, popcount(left))))
                left ^= card
                chosen |= card
            passed[source] = chosen
    return stream


@bare_inlined
def propose(evidence, state, free, swaps, hides_pass, stream):
    """Change a state by 1 to `swaps` swaps, by a change of a hidden pass, or by both.

    Return the stream.
    """
    stream = advance(stream)
    word = mix(stream)
    if hides_pass and word & U(3) == ZERO:
        stream = _change_pass(evidence, state, stream)
    if not hides_pass or word & U(3) != ZERO or word & U(4):
        for _ in range(1 + int(((word >> _S32) * U(swaps)) >> _S32)):
            stream = _swap_cards(evidence, state, free, stream)
    return stream


@bare_inlined
def _change_pass(evidence, state, stream):
    """Exchange one card of a hidden pass for one that its receiver was dealt."""
    stream = advance(stream)
    first = below(stream, PLAYERS)
    for step in range(PLAYERS):
        player = (first + step) % PLAYERS
        source = evidence.source[player]
        if 0 <= source < VIEWER:
            given = state.passed[source]
            kept = (state.hidden[player] | evidence.played[player]) & ~given
            stream = advance(stream)
            out = nth_bit(given, U(below(stream, 3)))
            stream = advance(stream)
            into = nth_bit(kept, U(below(stream, popcount(kept))))
            state.passed[source] ^= out | into
            break
    return stream


@bare_inlined
def _swap_cards(evidence, state, free, stream):
    """Swap two cards between two players or, sometimes, rotates three among all of them.

    Changes nothing if a player may not hold the card it would get. Swaps alone would not be
    irreducible: players who are void in several suits may have no legal swap, only a rotation. With
    both, every deal can be reached from every other.
    """
    stream = advance(stream)
    word = mix(stream)
    x, y, z = _free_card(word, free), _free_card(word >> _S20, free), ZERO
    i, j, k = holder_of(state.hidden, x), holder_of(state.hidden, y), 0
    if i == j:
        return stream
    if word >> _S62 == ZERO:
        z = _free_card(word >> _S40, free)
        k = holder_of(state.hidden, z)
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
def _free_card(word, free):
    """One of the free cards, chosen by the lowest 20 bits of a word."""
    return ONE << U(free[((word & _CARD_BITS) * U(free.shape[0])) >> _S20])


@bare_inlined
def _replace(evidence, state, player, old, new):
    """Replace a card in a hand, and in the pass that brought it."""
    state.hidden[player] ^= old | new
    source = evidence.source[player]
    if 0 <= source < VIEWER and state.passed[source] & old:
        state.passed[source] ^= old | new
