"""Bit operations on 64-bit words: LLVM intrinsics, and BMI2's PDEP and PEXT where available.

Words are `uint64` throughout. numba types `uint64 + 1` as a signed number, so every constant is an
`np.uint64`. Under NUMBA_DISABLE_JIT=1 the functions of `hearts.kernels.core.plain_bits` replace the
LLVM intrinsics.
"""

import numba
import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hearts.kernels.core import plain_bits
from hearts.kernels.core.jit import inlined

U = np.uint64  # a short name, because every constant of a kernel needs it

ZERO, ONE = U(0), U(1)
LANE = U(0xFFFF)  # the lowest 16 bits: a suit of a card set, or a seat of `taken`
EVERY_LANE = U(0x0001000100010001)  # times a 16-bit number: a copy of it in every lane
S16, S32, S48 = U(16), U(32), U(48)  # shifts by one, two, three lanes


def _may_use_bmi2() -> bool:
    """Whether compiled code may use BMI2.

    NUMBA_CPU_NAME and NUMBA_CPU_FEATURES take precedence over the host's features. Both are part of
    the key of numba's cache, so code for one kind of processor is never loaded on another.
    """
    if numba.config.CPU_FEATURES is not None:
        return "+bmi2" in numba.config.CPU_FEATURES
    if numba.config.CPU_NAME is not None:
        return False
    return bool(binding.get_host_cpu_features().get("bmi2", False))


HAS_BMI2 = _may_use_bmi2()
JIT = not numba.config.DISABLE_JIT

if JIT:
    _WORD = ir.IntType(64)
    _UNDEFINED_FOR_ZERO = ir.Constant(ir.IntType(1), 1)

    @intrinsic
    def popcount(typing, word):
        """The number of set bits."""
        return types.uint64(types.uint64), lambda _, builder, __, args: builder.ctpop(args[0])

    @intrinsic
    def lowest_bit_index(typing, word):
        """The index of the lowest set bit; undefined for 0."""

        def emit(_, builder, __, args):
            return builder.cttz(args[0], _UNDEFINED_FOR_ZERO)

        return types.uint64(types.uint64), emit

    @intrinsic
    def highest_bit(typing, word):
        """The isolated highest set bit; undefined for 0."""

        def emit(_, builder, __, args):
            leading_zeros = builder.ctlz(args[0], _UNDEFINED_FOR_ZERO)
            return builder.lshr(ir.Constant(_WORD, 1 << 63), leading_zeros)

        return types.uint64(types.uint64), emit

    @intrinsic
    def select(typing, condition, yes, no):
        """`yes` or `no`, computed without a branch."""

        def emit(_, builder, __, args):
            return builder.select(*args)

        return types.uint64(types.boolean, types.uint64, types.uint64), emit

    @intrinsic
    def multiply_fold(typing, a, b):
        """The two halves of the 128-bit product, combined by xor."""

        def emit(_, builder, __, args):
            wide = ir.IntType(128)
            product = builder.mul(*(builder.zext(factor, wide) for factor in args))
            high = builder.lshr(product, ir.Constant(wide, 64))
            return builder.xor(builder.trunc(high, _WORD), builder.trunc(product, _WORD))

        return types.uint64(types.uint64, types.uint64), emit

    @intrinsic
    def _deposit(typing, source, mask):
        """Scatter the low bits of `source` to the set bits of `mask` (PDEP)."""

        def emit(_, builder, __, args):
            signature = ir.FunctionType(_WORD, [_WORD, _WORD])
            pdep = cgutils.get_or_insert_function(builder.module, signature, "llvm.x86.bmi.pdep.64")
            return builder.call(pdep, args)

        return types.uint64(types.uint64, types.uint64), emit

    @intrinsic
    def _extract(typing, source, mask):
        """Gather the bits of `source` at the set bits of `mask` into the low bits (PEXT)."""

        def emit(_, builder, __, args):
            signature = ir.FunctionType(_WORD, [_WORD, _WORD])
            pext = cgutils.get_or_insert_function(builder.module, signature, "llvm.x86.bmi.pext.64")
            return builder.call(pext, args)

        return types.uint64(types.uint64, types.uint64), emit

else:
    popcount = plain_bits.popcount
    lowest_bit_index = plain_bits.lowest_bit_index
    highest_bit = plain_bits.highest_bit
    select = plain_bits.select
    multiply_fold = plain_bits.multiply_fold
    _deposit = plain_bits.deposit
    _extract = plain_bits.extract


# Without PDEP, broadword selection (Vigna 2008) finds the n-th set bit: counts per byte find the
# byte, a table finds the bit in it.
_S1, _S2, _S4, _S7, _S8, _S56 = U(1), U(2), U(4), U(7), U(8), U(56)
_PAIRS, _QUADS = U(0x5555555555555555), U(0x3333333333333333)
_NIBBLES, _EVERY_BYTE = U(0x0F0F0F0F0F0F0F0F), U(0x0101010101010101)
_TOP_OF_BYTES, _BYTE = U(0x8080808080808080), U(0xFF)
_NTH_BIT_OF_BYTE = plain_bits.nth_bit_of_bytes()


@inlined
def _counts_by_byte(word):
    """Byte i holds the number of set bits in bytes 0 … i, so the top byte counts the word."""
    counts = word - ((word >> _S1) & _PAIRS)
    counts = (counts & _QUADS) + ((counts >> _S2) & _QUADS)
    return ((counts + (counts >> _S4)) & _NIBBLES) * _EVERY_BYTE


@inlined
def _nth_bit_by_counts(word, counts, n):
    # A byte whose count is at most n lies below the wanted byte; only its top bit stays set.
    below = (((n * _EVERY_BYTE) | _TOP_OF_BYTES) - counts) & _TOP_OF_BYTES
    shift = (((below >> _S7) * _EVERY_BYTE) >> _S56) << U(3)
    before = ((counts << _S8) >> shift) & _BYTE
    return U(_NTH_BIT_OF_BYTE[(word >> shift) & _BYTE, n - before]) << shift


@inlined
def _nth_bit_broadword(word, n):
    return _nth_bit_by_counts(word, _counts_by_byte(word), n)


@inlined
def _pick_broadword(word, sixteen_bits):
    counts = _counts_by_byte(word)
    return _nth_bit_by_counts(word, counts, (sixteen_bits * (counts >> _S56)) >> S16)


@inlined
def _nth_bit_bmi2(word, n):
    return _deposit(ONE << n, word)


@inlined
def _pick_bmi2(word, sixteen_bits):
    return _deposit(ONE << ((sixteen_bits * popcount(word)) >> S16), word)


@inlined
def _squeeze_loop(word, mask):
    result, index = ZERO, ZERO
    while mask:
        lowest = mask & (ZERO - mask)
        if word & lowest:
            result |= ONE << index
        mask ^= lowest
        index += ONE
    return result


@inlined
def _squeeze_bmi2(word, mask):
    return _extract(word, mask)


# Gather the bits of a word at a mask's set bits into the low bits.
squeeze = _squeeze_bmi2 if HAS_BMI2 else _squeeze_loop
# The isolated n-th set bit of a word, counted from 0 at the low end; n is below the popcount.
nth_bit = _nth_bit_bmi2 if HAS_BMI2 else _nth_bit_broadword
# One isolated set bit of a word, drawn uniformly by 16 random bits.
pick = _pick_bmi2 if HAS_BMI2 else _pick_broadword


@inlined
def rotate_right(word, bits):
    """The word rotated right by `bits` (0 … 63)."""
    return (word >> bits) | (word << ((U(64) - bits) & U(63)))


@inlined
def highest_rank(cards):
    """The card of the highest rank in a set; among equal ranks that of the highest suit."""
    ranks = cards | (cards >> S32)
    ranks = (ranks | (ranks >> S16)) & LANE
    return highest_bit(cards & (highest_bit(ranks) * EVERY_LANE))


@inlined
def lowest_rank(cards):
    """The card of the lowest rank in a set; among equal ranks that of the lowest suit."""
    ranks = cards | (cards >> S32)
    ranks = (ranks | (ranks >> S16)) & LANE
    same = cards & ((ranks & (ZERO - ranks)) * EVERY_LANE)
    return same & (ZERO - same)
