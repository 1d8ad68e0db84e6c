"""The benchmarks measure what they say; how fast it is, no test asserts."""

import pytest

from hearts.bench import first_tricks, machine, move_ms, playout_ns, steps
from hearts.config import SearchConfig
from hearts.playout import Playout


@pytest.mark.parametrize("playout", Playout)
def test_a_playout_takes_time(playout):
    assert playout_ns(playout, rounds=1) > 0


def test_more_simulations_take_more_time():
    few, many = (move_ms(SearchConfig(simulations=n), rounds=3) for n in (300, 30_000))
    assert 0 < few < many


def test_moves_are_measured_on_first_tricks_with_a_choice():
    views = first_tricks()
    assert len(views) == 8
    assert all(view.first_trick and view.legal.bit_count() > 1 for view in views)


def test_the_machine_is_named():
    assert {"cpu", "bmi2", "python", "numba", "numpy"} <= machine().keys()
    assert len(steps()) == 9
