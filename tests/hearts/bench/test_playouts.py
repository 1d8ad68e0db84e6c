"""The speed of playouts is measured."""

import pytest

from hearts.bench.playouts import playout_ns, playout_speed
from hearts.engine.playouts import Playout


@pytest.mark.parametrize("playout", Playout)
def test_a_playout_takes_time(playout):
    assert playout_ns(playout, repetitions=1) > 0


def test_a_playout_is_named():
    assert list(playout_speed(Playout.UNIFORM, 1)) == ["playout_uniform_ns"]
