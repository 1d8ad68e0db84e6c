"""The time of worlds is measured."""

from hearts.bench.positions import first_tricks
from hearts.bench.worlds import worlds_us


def test_more_worlds_take_more_time():
    assert worlds_us(first_tricks()[0], repetitions=40) > 0
