"""Random numbers by wyrand (Wang 2019): a counter, mixed by one multiplication.

A stream is one word of state: `advance` it, then `mix` it to get a random word. 16 bits of that
word draw one card (`hearts.kernels.core.bits.pick`), so one word is enough for a trick.
"""

from hearts.kernels.core.bits import U, multiply_fold
from hearts.kernels.core.jit import inlined

_STEP = U(0xA0761D6478BD642F)
_TWIST = U(0xE7037ED1A0B428DB)
_FORK = U(0x9E3779B97F4A7C15)
_SEED_SALT = U(0x8EBC6AF09C88C6E3)
_INDEX_SALT = U(0x589965CC75374CC3)
_S11, _S32 = U(11), U(32)
_ULP = 1.0 / (1 << 53)


@inlined
def advance(stream):
    """The next state of a stream."""
    return stream + _STEP


@inlined
def mix(stream):
    """The random word of a state."""
    return multiply_fold(stream, stream ^ _TWIST)


@inlined
def open_stream(seed, index):
    """The initial state of stream `index` of a seed, hashed so that streams do not overlap."""
    return mix(mix(seed ^ _SEED_SALT) ^ (index * _INDEX_SALT))


@inlined
def fork(stream, index):
    """The initial state of substream `index`: cheaper, for streams of some dozens of words."""
    return stream + index * _FORK


@inlined
def unit_float(stream):
    """A float in [0, 1) with 53 random bits, from an advanced stream."""
    return float(mix(stream) >> _S11) * _ULP


@inlined
def below(stream, number):
    """An integer in [0, number), from an advanced stream."""
    return int(((mix(stream) >> _S32) * U(number)) >> _S32)
