"""The accumulator: first-layer sums of all four seats, updated with each card.

As in NNUE (Nasu 2018), the first layer before its activation is kept between moves. `refresh`
computes it from all active features, about 200 rows of weights for the four seats; `update` adds
only what a card changes, about 8 rows. The features of the trick on the table change with every
card, so they are left out here and added in `hearts.kernels.network.inference`.

Only the seats that a network plays have an accumulator: those with NETWORK or more in `policies`
(4,). `networks` is a stack: the seats may be played by different networks of the same shape.
"""

import numpy as np

from hearts.kernels.core.bits import ONE, S16, ZERO, U, lowest_bit_index
from hearts.kernels.core.jit import exact, exact_inlined
from hearts.kernels.core.state import PENALTIES_TAKEN, QUEEN, lane_of, void_bit
from hearts.kernels.network.features import (
    BROKEN,
    FIRST,
    GIVEN,
    HEARTS_BITS,
    HEARTS_TAKEN,
    LENGTH,
    PENALTY_BITS,
    PLAYED,
    QUEEN_BIT,
    QUEEN_OUT,
    QUEEN_TAKEN,
    SEEN_DIRECTION,
    SEEN_GAVE,
    SOLE_TAKER,
    UNSEEN,
    VOID,
    known_features,
    sole_taker,
    suit_count,
)
from hearts.kernels.network.stack import network_of
from hearts.kernels.policies.choose import NETWORK


@exact_inlined
def has_choice(hand):
    """Whether a hand has more than one card."""
    return hand & (hand - ONE) != ZERO


@exact_inlined
def _add(accumulator, seat, row, sign):
    """Add `sign` times a row of weights to the accumulator of a seat."""
    own = accumulator[seat]
    for i in range(own.shape[0]):
        own[i] += sign * row[i]


@exact
def refresh(policies, hands, seen, voids, taken, first, broken, networks, active, accumulator):
    """Compute `accumulator` (4, hidden1) for the start of a trick; `active` is scratch space."""
    for seat in range(4):
        if policies[seat] < NETWORK:
            continue
        layers = network_of(networks, policies[seat])
        n = known_features(seat, hands[seat], seen, voids, taken, first, broken, active)
        for i in range(layers.bias.shape[0]):
            accumulator[seat, i] = layers.bias[i]
        for k in range(n):
            _add(accumulator, seat, layers.features[active[k]], np.float32(1))


@exact
def update(card, seat, policies, hands, best, count, seen, voids, networks, accumulator):
    """Update the accumulator for a card that `seat` is about to play; return the new voids.

    Seats that will have a forced card are skipped, because they need no policy.
    """
    index = np.int64(lowest_bit_index(card))
    suit = index >> 4
    in_play = hands[0] | hands[1] | hands[2] | hands[3]
    left = suit_count(in_play, suit)
    if policies[seat] >= NETWORK and has_choice(hands[seat] ^ card):
        deltas = network_of(networks, policies[seat]).deltas
        own, played = accumulator[seat], deltas[PLAYED + index]
        shorter = deltas[LENGTH + 16 * suit + suit_count(hands[seat], suit)]
        for i in range(own.shape[0]):
            own[i] += played[i] + shorter[i]
    for r in range(1, 4):
        other = (seat - r) & 3
        if policies[other] < NETWORK or not has_choice(hands[other]):
            continue
        layers = network_of(networks, policies[other])
        features, deltas = layers.features, layers.deltas
        own, played = accumulator[other], features[PLAYED + 64 * r + index]
        shorter = deltas[UNSEEN + 16 * suit + left - suit_count(hands[other], suit)]
        for i in range(own.shape[0]):
            own[i] += played[i] + shorter[i]
        if seen[other, SEEN_GAVE] & card and np.int64(seen[other, SEEN_DIRECTION]) == r:
            _add(accumulator, other, features[GIVEN + 64 * (r - 1) + index], np.float32(-1))
    if card == QUEEN:
        for other in range(4):
            if policies[other] >= NETWORK:
                features = network_of(networks, policies[other]).features
                _add(accumulator, other, features[QUEEN_OUT], np.float32(-1))
    if count == ZERO or card & lane_of(best):
        return voids
    led = np.int64(lowest_bit_index(best)) >> 4
    void = void_bit(seat, led)
    if not voids & void:
        for r in range(1, 4):
            other = (seat - r) & 3
            if policies[other] >= NETWORK:
                features = network_of(networks, policies[other]).features
                _add(accumulator, other, features[VOID + 4 * (r - 1) + led], np.float32(1))
    return voids | void


@exact
def update_trick(
    taken, taken_before, first, broken, broken_before, policies, networks, accumulator
):
    """Update the accumulator for the end of a trick: penalties taken, hearts broken."""
    changed = (taken ^ taken_before) & PENALTIES_TAKEN != ZERO
    was, sole = sole_taker(taken_before), sole_taker(taken)
    for seat in range(4):
        if policies[seat] < NETWORK:
            continue
        features = network_of(networks, policies[seat]).features
        if first:
            _add(accumulator, seat, features[FIRST], np.float32(-1))
        if broken != broken_before:
            _add(accumulator, seat, features[BROKEN], np.float32(1))
        if changed:
            _update_taken(seat, taken, taken_before, features, accumulator)
        if was != sole:
            if was >= 0:
                _add(accumulator, seat, features[SOLE_TAKER + ((was - seat) & 3)], np.float32(-1))
            if sole >= 0:
                _add(accumulator, seat, features[SOLE_TAKER + ((sole - seat) & 3)], np.float32(1))


@exact
def _update_taken(seat, taken, taken_before, features, accumulator):
    """Update the accumulator of a seat for penalty cards that were taken."""
    for r in range(4):
        taker = U((seat + r) & 3)
        lane = (taken >> (taker * S16)) & PENALTY_BITS
        before = (taken_before >> (taker * S16)) & PENALTY_BITS
        if lane == before:
            continue
        hearts = HEARTS_TAKEN + 16 * r
        _add(accumulator, seat, features[hearts + np.int64(before & HEARTS_BITS)], np.float32(-1))
        _add(accumulator, seat, features[hearts + np.int64(lane & HEARTS_BITS)], np.float32(1))
        if (lane ^ before) & QUEEN_BIT:
            _add(accumulator, seat, features[QUEEN_TAKEN + r], np.float32(1))
