"""Reference implementation of the bit operations in plain Python; also used without JIT."""

import numpy as np


def popcount(word):
    """The number of set bits."""
    return np.uint64(int(word).bit_count())


def lowest_bit_index(word):
    """The index of the lowest set bit; 64 for 0, for which compiled code is undefined."""
    word = int(word) or 1 << 64
    return np.uint64((word & -word).bit_length() - 1)


def highest_bit(word):
    """The isolated highest set bit; 0 for 0, for which compiled code is undefined."""
    return np.uint64((1 << int(word).bit_length()) >> 1)


def select(condition, yes, no):
    """`yes` or `no`."""
    return yes if condition else no


def multiply_fold(a, b):
    """The two halves of the 128-bit product, combined by xor."""
    product = int(a) * int(b)
    return np.uint64((product >> 64 ^ product) & 0xFFFFFFFFFFFFFFFF)


def deposit(source, mask):
    """Scatter the low bits of `source` to the set bits of `mask`: PDEP."""
    result, mask = 0, int(mask)
    while mask:
        lowest = mask & -mask
        result |= lowest * (int(source) & 1)
        source, mask = int(source) >> 1, mask ^ lowest
    return np.uint64(result)


def extract(source, mask):
    """Gather the bits of `source` at the set bits of `mask` into the low bits: PEXT."""
    indices = [index for index in range(64) if int(mask) >> index & 1]
    return np.uint64(sum((int(source) >> index & 1) << i for i, index in enumerate(indices)))


def nth_bit_of_bytes():
    """Table [byte, n]: the isolated n-th set bit of the byte, 0 if there is none."""
    table = np.zeros((256, 8), dtype=np.uint8)
    for byte in range(256):
        indices = [index for index in range(8) if byte >> index & 1]
        for n, index in enumerate(indices):
            table[byte, n] = 1 << index
    return table
