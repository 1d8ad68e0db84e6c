"""Bit operations against plain Python, for both ways to find the n-th bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.game.cards import ALL_CARDS, bit, rank_of, set_of, suit_of
from hearts.kernels.core import bits, plain_bits
from hearts.kernels.core.jit import kernel
from tests.hearts.kernels.oracle import Stream

WORDS = st.integers(1, 2**64 - 1)
SETS = st.sets(st.sampled_from(ALL_CARDS), min_size=1)
U = np.uint64
# pdep exists only where the processor has it; broadword runs everywhere.
NTH_BITS = [bits._nth_bit_broadword] + [bits._nth_bit_bmi2] * bits.HAS_BMI2
PICKS = [bits._pick_broadword] + [bits._pick_bmi2] * bits.HAS_BMI2


@kernel
def all_of(word, other):
    """Intrinsics can be called from compiled code only."""
    return (
        bits.popcount(word),
        bits.lowest_bit_index(word),
        bits.highest_bit(word),
        bits.select(word > other, word, other),
        bits.multiply_fold(word, other),
    )


@given(WORDS, WORDS)
def test_intrinsics_agree_with_plain_python(word, other):
    expected = (
        plain_bits.popcount(word),
        plain_bits.lowest_bit_index(word),
        plain_bits.highest_bit(word),
        max(word, other),
        plain_bits.multiply_fold(word, other),
    )
    assert all_of(U(word), U(other)) == expected


@pytest.mark.parametrize("nth_bit", NTH_BITS)
@given(word=WORDS, data=st.data())
def test_the_nth_bit_is_the_nth_from_the_low_end(nth_bit, word, data):
    indices = [index for index in range(64) if word >> index & 1]
    n = data.draw(st.integers(0, len(indices) - 1))
    assert int(nth_bit(U(word), U(n))) == 1 << indices[n]


@pytest.mark.parametrize("pick", PICKS)
@given(word=WORDS, sixteen=st.integers(0, 0xFFFF))
def test_pick_scales_sixteen_bits_to_the_set(pick, word, sixteen):
    indices = [index for index in range(64) if word >> index & 1]
    assert int(pick(U(word), U(sixteen))) == 1 << indices[sixteen * len(indices) >> 16]


@given(source=WORDS, mask=WORDS)
def test_deposit_spreads_bits_over_the_mask(source, mask):
    indices = [index for index in range(64) if mask >> index & 1]
    expected = sum(1 << index for i, index in enumerate(indices) if source >> i & 1)
    assert int(plain_bits.deposit(source, mask)) == expected


@given(SETS)
def test_highest_and_lowest_rank_break_ties_by_suit(cards):
    by_rank = sorted(cards, key=lambda card: (rank_of(card), suit_of(card)))
    word = U(set_of(cards))
    assert int(bits.highest_rank(word)) == bit(by_rank[-1])
    assert int(bits.lowest_rank(word)) == bit(by_rank[0])


@given(WORDS, st.integers(0, 63))
def test_rotation_goes_around_the_corner(word, places):
    expected = (word >> places | word << 64 - places) & 2**64 - 1
    assert int(bits.rotate_right(U(word), U(places))) == expected


def test_picks_are_uniform():
    """Chi-square over the thirteen cards of a suit, from the stream that playouts use."""
    stream, counts = Stream(1, 2), np.zeros(13)
    for _ in range(13_000):
        picked = bits.pick(U(0x1FFF), U(stream.word() & 0xFFFF))
        counts[int(picked).bit_length() - 1] += 1
    assert ((counts - 1000) ** 2 / 1000).sum() < 32.9  # 99.9% of 12 degrees of freedom
