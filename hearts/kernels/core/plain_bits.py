"""The bit operations in plain Python: used without JIT, and the oracle of the compiled ones."""

import numpy as np


def popcount(word):
    """The number of set bits."""
    return np.uint64(int(word).bit_count())


def lowest_place(word):
    """The index of the lowest set bit; 64 for 0, for which compiled code is undefined."""
    word = int(word) or 1 << 64
    return np.uint64((word & -word).bit_length() - 1)


def highest_bit(word):
    """The highest set bit alone; 0 for 0, for which compiled code is undefined."""
    return np.uint64((1 << int(word).bit_length()) >> 1)


def select(condition, yes, no):
    """`yes` or `no`."""
    return yes if condition else no


def multiply_fold(a, b):
    """The two halves of the 128-bit product, combined by xor."""
    product = int(a) * int(b)
    return np.uint64((product >> 64 ^ product) & 0xFFFFFFFFFFFFFFFF)


def deposit(source, mask):
    """The low bits of `source`, moved to the places that `mask` has set."""
    result, mask = 0, int(mask)
    while mask:
        lowest = mask & -mask
        result |= lowest * (int(source) & 1)
        source, mask = int(source) >> 1, mask ^ lowest
    return np.uint64(result)


def extract(source, mask):
    """The bits of `source` at the places that `mask` has set, moved together."""
    places = [place for place in range(64) if int(mask) >> place & 1]
    return np.uint64(sum((int(source) >> place & 1) << i for i, place in enumerate(places)))


def nth_bit_of_bytes():
    """Table [byte, n]: the n-th set bit of the byte alone, 0 if there is none."""
    table = np.zeros((256, 8), dtype=np.uint8)
    for byte in range(256):
        places = [place for place in range(8) if byte >> place & 1]
        for n, place in enumerate(places):
            table[byte, n] = 1 << place
    return table
