"""Random deals of the cards that the focus player does not see.

`shuffle` draws independent deals, for positions in which nothing is known of the others. `step` is
a step of a Metropolis chain over the deals in which the others pass and play as they did. Its
proposals are symmetric and all these deals are equally likely, so a chain that starts at the true
deal has the distribution of the true deal, given what the focus player knows, after every step.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.core.bits import ONE, ZERO, U, nth_bit, popcount
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.random import advance, below, mix
from hearts.kernels.core.state import THREE
from hearts.kernels.luck.hand import open_hand, replay
from hearts.kernels.policies.choose import choose_pass


class Chain(NamedTuple):
    """The deal of a chain and a proposal: hands before the pass, and passes, (4,) each."""

    dealt: NDArray[np.uint64]
    passed: NDArray[np.uint64]
    new_dealt: NDArray[np.uint64]
    new_passed: NDArray[np.uint64]


@kernel
def new_chain():
    """An empty chain."""
    return Chain(
        np.zeros(4, dtype=np.uint64),
        np.zeros(4, dtype=np.uint64),
        np.zeros(4, dtype=np.uint64),
        np.zeros(4, dtype=np.uint64),
    )


@kernel
def shuffle(focus, dealt, stream):
    """Deal the cards of all seats but those of the focus anew; return the advanced stream."""
    left = ZERO
    for seat in range(4):
        if not focus[seat]:
            left |= dealt[seat]
            dealt[seat] = ZERO
    for seat in range(4):
        for _ in range(0 if focus[seat] else 13):
            stream, card = _any_card(left, stream)
            dealt[seat] |= card
            left ^= card
    return stream


@inlined
def _any_card(cards, stream):
    """The advanced stream, and a random card of a set."""
    stream = advance(stream)
    return stream, nth_bit(cards, U(below(stream, popcount(cards))))


@inlined
def _nth_other(focus, number):
    """The n-th seat that is not of the focus."""
    seat = 0
    while focus[seat] or number > 0:
        number -= 0 if focus[seat] else 1
        seat += 1
    return seat


@kernel
def swap(focus, fixed, dealt, stream):
    """Swap a card that is not `fixed` between two random other seats; return the advanced stream.

    A swap is as likely as its reverse. With one other seat, nothing changes.
    """
    others = 0
    for seat in range(4):
        others += 0 if focus[seat] else 1
    if others < 2:
        return stream
    stream = advance(stream)
    place = below(stream, others)
    stream = advance(stream)
    one = _nth_other(focus, place)
    two = _nth_other(focus, (place + 1 + below(stream, others - 1)) % others)
    first, second = dealt[one] & ~fixed, dealt[two] & ~fixed
    if first and second:
        stream, given = _any_card(first, stream)
        stream, got = _any_card(second, stream)
        dealt[one] ^= given | got
        dealt[two] ^= given | got
    return stream


@inlined
def _passes_as_seen(direction, focus, policies, rules, chain):
    """Write the passes of a proposal; return whether focus seats get what they got."""
    for seat in range(4):
        if focus[seat]:
            chain.new_passed[seat] = chain.passed[seat]
            continue
        given = choose_pass(policies[seat], chain.new_dealt[seat], direction, rules)
        chain.new_passed[seat] = given
        if focus[(seat + direction) & 3] and given != chain.passed[seat]:
            return False
    return True


@kernel
def step(
    direction, leader, focus, policies, rules, plays, number, played, stream, state, seen, chain
):
    """Propose another deal, and accept it if the others pass and play the same `number` cards.

    `played` are these cards; `leader` led the first one. Return the advanced stream. `state` and
    `seen` are scratch space.
    """
    stream = advance(stream)
    word = mix(stream)
    # With a pass, cards that were played may have been dealt to another seat.
    fixed = ZERO if direction and word & ONE else played
    chain.new_dealt[:] = chain.dealt
    for _ in range(1 << np.int64((word >> ONE) & THREE)):  # 1, 2, 4 or 8
        stream = swap(focus, fixed, chain.new_dealt, stream)
    if direction and not _passes_as_seen(direction, focus, policies, rules, chain):
        return stream
    open_hand(chain.new_dealt, chain.new_passed, direction, leader, focus, rules, state, seen)
    if state[6] & THREE != U(leader):
        return stream  # another seat would have led
    possible, _ = replay(plays, number, focus, policies, rules, state, seen)
    if possible:
        chain.dealt[:] = chain.new_dealt
        if direction:
            chain.passed[:] = chain.new_passed
    return stream
