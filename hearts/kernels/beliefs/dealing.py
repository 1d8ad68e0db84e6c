"""Exact counting and sampling of deals by dynamic programming over pools of cards.

Five holders share the unseen cards: four seats and the pile of cards that left the hands unseen.
Cards with the same possible holders form a pool. Cards of a pool are exchangeable, so only the
number of them that each holder gets matters: a split of the pool. A split stands for a number of
deals that is a product of binomial coefficients.

Pools are dealt in turn, those with the fewest holders first; the last pool fills the free slots. A
state is the number of cards that each holder still needs, written as a mixed-radix number with one
digit for each of the first four holders; the fifth needs the rest. `forward[p, state]` counts the
ways to reach a state before pool p, `backward[p, state]` the ways to complete it. Samples are drawn
along the backward counts, without rejection.
"""

import math

import numpy as np

from hearts.kernels.core.bits import U, nth_bit, popcount
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.random import advance, mix, open_stream, unit_float

HOLDERS = 5
MAX_SPLITS = 14**3  # of a pool that is not the last: it has four holders, the fourth gets the rest

_S32 = U(32)

# [n, k]: the binomial coefficient, 0 for k > n
_CHOOSE = np.array([[float(math.comb(n, k)) for k in range(53)] for n in range(53)])


@kernel
def _splits(size, holders, left, splits, ways):
    """Write every split (n, 5) of a pool among the holders in `holders` (bits); return n.

    `left` is the number of cards that each holder needs, `ways[i]` the number of deals of split i.
    """
    cap_0 = left[0] if holders & 1 else 0
    cap_1 = left[1] if holders & 2 else 0
    cap_2 = left[2] if holders & 4 else 0
    cap_3 = left[3] if holders & 8 else 0
    cap_4 = left[4] if holders & 16 else 0
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
def _strides(capacity):
    """The value of each digit of a state."""
    one = 1
    two = one * (capacity[0] + 1)
    three = two * (capacity[1] + 1)
    four = three * (capacity[2] + 1)
    return one, two, three, four


@inlined
def _after_split(state, split, strides):
    """The state after a split."""
    taken = split[0] * strides[0] + split[1] * strides[1]
    return state - taken - split[2] * strides[2] - split[3] * strides[3]


@inlined
def _cards_needed(state, capacity, cards, left):
    """Write the number of cards that each holder needs in a state with `cards` left to deal."""
    left[4] = cards
    for holder in range(4):
        left[holder] = state % (capacity[holder] + 1)
        state //= capacity[holder] + 1
        left[4] -= left[holder]


@kernel
def count_deals(sizes, holders, capacity, forward, backward):
    """Fill the counts `forward` and `backward` (pools + 1, states), given as zeros.

    Return the number of deals.
    """
    pools, states = sizes.shape[0], forward.shape[1]
    splits, ways = np.empty((MAX_SPLITS, HOLDERS), dtype=np.int64), np.empty(MAX_SPLITS)
    left = np.empty(HOLDERS, dtype=np.int64)
    strides, start = _strides(capacity), states - 1
    forward[0, start], backward[pools, 0] = 1.0, 1.0
    cards = sizes.sum()
    for pool in range(pools):
        for state in range(states):
            if forward[pool, state]:
                _cards_needed(state, capacity, cards, left)
                for i in range(_splits(sizes[pool], holders[pool], left, splits, ways)):
                    reached = _after_split(state, splits[i], strides)
                    forward[pool + 1, reached] += forward[pool, state] * ways[i]
        cards -= sizes[pool]
    for pool in range(pools - 1, -1, -1):
        cards += sizes[pool]
        for state in range(states):
            if forward[pool, state]:
                _cards_needed(state, capacity, cards, left)
                for i in range(_splits(sizes[pool], holders[pool], left, splits, ways)):
                    reached = _after_split(state, splits[i], strides)
                    backward[pool, state] += ways[i] * backward[pool + 1, reached]
    return backward[0, start]


@kernel
def expect_splits(sizes, holders, capacity, forward, backward, expected):
    """Write to `expected` (pools, 5) the expected number of cards of each pool by holder."""
    splits, ways = np.empty((MAX_SPLITS, HOLDERS), dtype=np.int64), np.empty(MAX_SPLITS)
    left = np.empty(HOLDERS, dtype=np.int64)
    strides, states = _strides(capacity), forward.shape[1]
    cards = sizes.sum()
    for pool in range(sizes.shape[0]):
        expected[pool] = 0.0
        for state in range(states):
            if forward[pool, state] and backward[pool, state]:
                _cards_needed(state, capacity, cards, left)
                for i in range(_splits(sizes[pool], holders[pool], left, splits, ways)):
                    reached = _after_split(state, splits[i], strides)
                    deals = forward[pool, state] * ways[i] * backward[pool + 1, reached]
                    for holder in range(HOLDERS):
                        expected[pool, holder] += deals * splits[i, holder]
        expected[pool] /= backward[0, states - 1]
        cards -= sizes[pool]


@kernel
def _draw(cards, number, stream):
    """A random subset of `number` cards; return it and the stream."""
    size = popcount(cards)
    inverted = U(2) * U(number) > size  # then it is cheaper to draw the complement
    left = cards
    for _ in range(int(size) - number if inverted else number):
        stream = advance(stream)
        left ^= nth_bit(left, ((mix(stream) >> _S32) * popcount(left)) >> _S32)
    return (left if inverted else cards ^ left), stream


@kernel
def _choose_split(found, weights, point):
    """The split at the quantile `point` in [0, 1) of the weights; never one of weight 0."""
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
def deal_worlds(pools, sizes, holders, capacity, backward, uniform, seed, hands):
    """Sample n deals into `hands` (n, 5).

    If `uniform`, all deals are equally likely. If not, the cards of each pool fall into random free
    slots of their holders; of the later pools only the existence of a deal is considered.
    """
    splits, weights = np.empty((MAX_SPLITS, HOLDERS), dtype=np.int64), np.empty(MAX_SPLITS)
    left = np.empty(HOLDERS, dtype=np.int64)
    strides = _strides(capacity)
    for world in range(hands.shape[0]):
        stream = open_stream(seed, U(world))
        state = backward.shape[1] - 1
        for holder in range(HOLDERS):
            left[holder] = capacity[holder]
            hands[world, holder] = U(0)
        for pool in range(pools.shape[0]):
            found, chosen = _splits(sizes[pool], holders[pool], left, splits, weights), 0
            if found > 1:
                for i in range(found):
                    ways = backward[pool + 1, _after_split(state, splits[i], strides)]
                    if uniform:
                        weights[i] *= ways
                    else:
                        weights[i] = 1.0 if ways > 0.0 else 0.0
                        for holder in range(HOLDERS):
                            weights[i] *= _CHOOSE[left[holder], splits[i, holder]]
                stream = advance(stream)
                chosen = _choose_split(found, weights, unit_float(stream))
            state = _after_split(state, splits[chosen], strides)
            cards = pools[pool]
            for holder in range(HOLDERS):
                number = splits[chosen, holder]
                if number:
                    left[holder] -= number
                    taken, stream = _draw(cards, number, stream)
                    hands[world, holder] |= taken
                    cards ^= taken
