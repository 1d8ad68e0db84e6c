"""Decorators of the kernels: fast-math stays where it is asked for."""

from hearts.kernels.core import jit


@jit.inlined
def _product_and_sum(a, b, c):
    return a * b + c


@jit.exact
def _reordering_caller(a, b, c):
    return _product_and_sum(a, b, c)


def test_ordinary_kernels_do_not_inherit_the_fast_math_of_their_callers():
    """Else who compiles a policy first would decide how it breaks ties.

    0.1 × 10 is rounded to 1; a fused multiply-add does not round it.
    """
    assert _reordering_caller(0.1, 10.0, -1.0) == 0.0
