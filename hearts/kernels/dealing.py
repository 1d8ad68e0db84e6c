"""Deals that fit what is known, each equally likely, drawn without a single rejection.

Unseen cards are pooled by who may hold them: pool m holds the cards that may be with exactly the
holders whose bits are in m (bits 0, 1, 2: the other seats in order of play). Cards of one pool are
exchangeable, so only the number of cards that each holder gets from each pool matters. With the
first holder's numbers fixed (a row), what is left for the second and third is a single choice,
counted by binomials: the weight of a row. Rows are enumerated once per position, at most 560.

In a partial view any unseen card may also be gone, which is the fourth holder, without restriction.
"""

import math

import numpy as np

from hearts.kernels.bits import U, nth_bit, popcount
from hearts.kernels.jit import inlined, kernel
from hearts.kernels.random import advance, mix, open_stream

MAX_ROWS = 560  # ways to write 13 as an ordered sum of four numbers
POOLS = 8

_S32 = U(32)
_UNIT = 1.0 / (1 << 53)
_S11 = U(11)

# [n, k]: how many ways to choose k of n cards; 0 for k > n.
_CHOOSE = np.array([[float(math.comb(n, k)) for k in range(53)] for n in range(53)])


@inlined
def _choose(n, k):
    return _CHOOSE[n, k] if 0 <= k <= n else 0.0


@kernel
def _ways_for_two(only_b, both, only_c, room_b, room_c, some_gone):
    """How many ways the second and third holder can take their cards."""
    if not some_gone:
        shared = room_b - only_b
        return _choose(both, shared) if only_c + both - shared == room_c else 0.0
    ways = 0.0
    for x in range(min(only_b, room_b) + 1):
        shared = room_b - x
        ways += _choose(only_b, x) * _choose(both, shared) * _choose(only_c + both - shared, room_c)
    return ways


@kernel
def enumerate_rows(pools, room, some_gone, rows, cumulative):
    """Writes what the first holder may take from pools 1, 3, 5, 7 (560, 4), and running weights."""
    sizes = np.empty(POOLS, dtype=np.int64)
    for pool in range(POOLS):
        sizes[pool] = popcount(pools[pool])
    found, total = 0, 0.0
    for a in range(0 if some_gone else sizes[1], min(sizes[1], room[0]) + 1):
        for b in range(min(sizes[3], room[0] - a) + 1):
            for c in range(min(sizes[5], room[0] - a - b) + 1):
                d = room[0] - a - b - c
                if d > sizes[7]:
                    continue
                ways = (
                    _choose(sizes[1], a)
                    * _choose(sizes[3], b)
                    * _choose(sizes[5], c)
                    * _choose(sizes[7], d)
                )
                ways *= _ways_for_two(
                    sizes[2] + sizes[3] - b,
                    sizes[6] + sizes[7] - d,
                    sizes[4] + sizes[5] - c,
                    room[1],
                    room[2],
                    some_gone,
                )
                if ways > 0.0:
                    total += ways
                    rows[found, 0], rows[found, 1], rows[found, 2], rows[found, 3] = a, b, c, d
                    cumulative[found] = total
                    found += 1
    return found


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
def _first_above(cumulative, rows, point):
    """The first row whose running weight is above `point`, by halving."""
    low, high = 0, rows - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def _shared_with_second(only_b, both, only_c, room_b, room_c, stream):
    """How many cards the second holder takes from those that only it and the gone pile may have."""
    stream = advance(stream)
    point = _unit(stream) * _ways_for_two(only_b, both, only_c, room_b, room_c, True)
    last = 0
    for x in range(min(only_b, room_b) + 1):
        shared = room_b - x
        ways = _choose(only_b, x) * _choose(both, shared) * _choose(only_c + both - shared, room_c)
        if ways > 0.0:
            last = x
            point -= ways
            if point < 0.0:
                break
    return last, stream


@kernel
def deal_worlds(pools, room, some_gone, rows, cumulative, found, seed, hands):
    """Writes to `hands` (n, 3) what the three holders have in each of n worlds."""
    for world in range(hands.shape[0]):
        stream = advance(open_stream(seed, U(world)))
        row = _first_above(cumulative, found, _unit(stream) * cumulative[found - 1])
        first_1, stream = _draw(pools[1], rows[row, 0], stream)
        first_3, stream = _draw(pools[3], rows[row, 1], stream)
        first_5, stream = _draw(pools[5], rows[row, 2], stream)
        first_7, stream = _draw(pools[7], rows[row, 3], stream)
        only_b = pools[2] | (pools[3] ^ first_3)
        only_c = pools[4] | (pools[5] ^ first_5)
        both = pools[6] | (pools[7] ^ first_7)
        n_only_b, n_both = int(popcount(only_b)), int(popcount(both))
        x = n_only_b
        if some_gone:
            x, stream = _shared_with_second(
                n_only_b, n_both, int(popcount(only_c)), room[1], room[2], stream
            )
        alone, stream = _draw(only_b, x, stream)
        shared, stream = _draw(both, room[1] - x, stream)
        third, stream = _draw(only_c | (both ^ shared), room[2], stream)
        hands[world, 0] = first_1 | first_3 | first_5 | first_7
        hands[world, 1] = alone | shared
        hands[world, 2] = third
