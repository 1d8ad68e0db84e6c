"""Deals that fit what is known: counted, and drawn without a single rejection.

Five holders share the unseen cards: the pile of cards that are gone, and four seats; who has no
room takes no part. Cards with the same possible holders are a pool. Within one they are
exchangeable, so all that matters is how many of them each holder gets: a split of the pool.

Pools are dealt one after the other, those with few holders first, so that the last one has no
choice: it fills the room that is left. A state is how much room each holder has left, as a number
with one digit for each of the first four; the fifth has what remains. For every state that can be
reached before pool p, `before[p]` counts the ways to reach it, `after[p]` the ways to go on.
"""

import math

import numpy as np

from hearts.kernels.core.bits import U, nth_bit, popcount
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.random import advance, mix, open_stream

HOLDERS = 5
MAX_SPLITS = 14**3  # of a pool that is not the last: four holders, the fourth gets the rest

_S11, _S32 = U(11), U(32)
_UNIT = 1.0 / (1 << 53)

# [n, k]: how many ways to choose k of n cards; 0 for k > n.
_CHOOSE = np.array([[float(math.comb(n, k)) for k in range(53)] for n in range(53)])


@kernel
def _splits(size, who, left, splits, ways):
    """Writes every split of a pool among the holders in `who` (n, 5); how many there are.

    `left` is the room of each holder, `ways[i]` the number of choices of cards for split i.
    """
    cap_0 = left[0] if who & 1 else 0
    cap_1 = left[1] if who & 2 else 0
    cap_2 = left[2] if who & 4 else 0
    cap_3 = left[3] if who & 8 else 0
    cap_4 = left[4] if who & 16 else 0
    from_3 = cap_3 + cap_4
    from_2 = cap_2 + from_3
    from_1 = cap_1 + from_2
    found = 0
    for a in range(max(0, size - from_1), min(cap_0, size) + 1):
        rest_1 = size - a
        for b in range(max(0, rest_1 - from_2), min(cap_1, rest_1) + 1):
            rest_2 = rest_1 - b
            ways_2 = _CHOOSE[size, a] * _CHOOSE[rest_1, b]
            for c in range(max(0, rest_2 - from_3), min(cap_2, rest_2) + 1):
                rest_3 = rest_2 - c
                for d in range(max(0, rest_3 - cap_4), min(cap_3, rest_3) + 1):
                    splits[found, 0], splits[found, 1], splits[found, 2] = a, b, c
                    splits[found, 3], splits[found, 4] = d, rest_3 - d
                    ways[found] = ways_2 * _CHOOSE[rest_2, c] * _CHOOSE[rest_3, d]
                    found += 1
    return found


@inlined
def _strides(room):
    """What one card of each holder counts in the number of a state."""
    one = 1
    two = one * (room[0] + 1)
    three = two * (room[1] + 1)
    four = three * (room[2] + 1)
    return one, two, three, four


@inlined
def _after_split(state, split, strides):
    """The state after a split."""
    taken = split[0] * strides[0] + split[1] * strides[1]
    return state - taken - split[2] * strides[2] - split[3] * strides[3]


@inlined
def _room_left(state, room, cards, left):
    """Writes the room of each holder in a state with so many cards to deal."""
    left[4] = cards
    for holder in range(4):
        left[holder] = state % (room[holder] + 1)
        state //= room[holder] + 1
        left[4] -= left[holder]


@kernel
def count_deals(sizes, who, room, before, after):
    """Fills `before` and `after` (pools + 1, states), zero at first; the number of deals."""
    pools, states = sizes.shape[0], before.shape[1]
    splits, ways = np.empty((MAX_SPLITS, HOLDERS), dtype=np.int64), np.empty(MAX_SPLITS)
    left = np.empty(HOLDERS, dtype=np.int64)
    strides, start = _strides(room), states - 1
    before[0, start], after[pools, 0] = 1.0, 1.0
    cards = sizes.sum()
    for pool in range(pools):
        for state in range(states):
            if before[pool, state]:
                _room_left(state, room, cards, left)
                for i in range(_splits(sizes[pool], who[pool], left, splits, ways)):
                    reached = _after_split(state, splits[i], strides)
                    before[pool + 1, reached] += before[pool, state] * ways[i]
        cards -= sizes[pool]
    for pool in range(pools - 1, -1, -1):
        cards += sizes[pool]
        for state in range(states):
            if before[pool, state]:
                _room_left(state, room, cards, left)
                for i in range(_splits(sizes[pool], who[pool], left, splits, ways)):
                    reached = _after_split(state, splits[i], strides)
                    after[pool, state] += ways[i] * after[pool + 1, reached]
    return after[0, start]


@kernel
def expect_splits(sizes, who, room, before, after, expected):
    """Writes to `expected` (pools, 5) how many cards of each pool each holder has on average."""
    splits, ways = np.empty((MAX_SPLITS, HOLDERS), dtype=np.int64), np.empty(MAX_SPLITS)
    left = np.empty(HOLDERS, dtype=np.int64)
    strides, states = _strides(room), before.shape[1]
    cards = sizes.sum()
    for pool in range(sizes.shape[0]):
        expected[pool] = 0.0
        for state in range(states):
            if before[pool, state] and after[pool, state]:
                _room_left(state, room, cards, left)
                for i in range(_splits(sizes[pool], who[pool], left, splits, ways)):
                    reached = _after_split(state, splits[i], strides)
                    deals = before[pool, state] * ways[i] * after[pool + 1, reached]
                    for holder in range(HOLDERS):
                        expected[pool, holder] += deals * splits[i, holder]
        expected[pool] /= after[0, states - 1]
        cards -= sizes[pool]


@inlined
def _unit(stream):
    """A number in [0, 1) with 53 random bits."""
    return float(mix(stream) >> _S11) * _UNIT


@kernel
def _draw(cards, number, stream):
    """A random subset of so many cards, and the stream after it."""
    size = popcount(cards)
    inverted = U(2) * U(number) > size  # then it is cheaper to draw what is left out
    left = cards
    for _ in range(int(size) - number if inverted else number):
        stream = advance(stream)
        left ^= nth_bit(left, ((mix(stream) >> _S32) * popcount(left)) >> _S32)
    return (left if inverted else cards ^ left), stream


@kernel
def _choose_split(found, weights, point):
    """The split at `point` in [0, 1) of the running weights; never one of weight 0."""
    total = 0.0
    for i in range(found):
        total += weights[i]
    point *= total
    chosen = 0
    for i in range(found):
        if weights[i] > 0.0:
            chosen = i
            point -= weights[i]
            if point < 0.0:
                break
    return chosen


@kernel
def deal_worlds(pools, sizes, who, room, after, evenly, seed, hands):
    """Writes to `hands` (n, 5) what the holders have in each of n deals.

    With `evenly` all deals are equally likely. Without, each pool is dealt as if its cards fell at
    random into the free places of those who may hold them, and nothing but that a deal exists is
    asked of the pools to come.
    """
    splits, weights = np.empty((MAX_SPLITS, HOLDERS), dtype=np.int64), np.empty(MAX_SPLITS)
    left = np.empty(HOLDERS, dtype=np.int64)
    strides = _strides(room)
    for world in range(hands.shape[0]):
        stream = open_stream(seed, U(world))
        state = after.shape[1] - 1
        for holder in range(HOLDERS):
            left[holder] = room[holder]
            hands[world, holder] = U(0)
        for pool in range(pools.shape[0]):
            found, chosen = _splits(sizes[pool], who[pool], left, splits, weights), 0
            if found > 1:
                for i in range(found):
                    ways = after[pool + 1, _after_split(state, splits[i], strides)]
                    if evenly:
                        weights[i] *= ways
                    else:
                        weights[i] = 1.0 if ways > 0.0 else 0.0
                        for holder in range(HOLDERS):
                            weights[i] *= _CHOOSE[left[holder], splits[i, holder]]
                stream = advance(stream)
                chosen = _choose_split(found, weights, _unit(stream))
            state = _after_split(state, splits[chosen], strides)
            cards = pools[pool]
            for holder in range(HOLDERS):
                number = splits[chosen, holder]
                if number:
                    left[holder] -= number
                    taken, stream = _draw(cards, number, stream)
                    hands[world, holder] |= taken
                    cards ^= taken
