"""The benchmarks measure what they say; how fast it is, no test asserts."""

import pytest

from hearts.bench import (
    first_tricks,
    level_ms,
    machine,
    move_ms,
    playout_ns,
    steps,
    time_over_ms,
    worlds_us,
)
from hearts.engine.config import SearchConfig
from hearts.engine.playouts import Playout


@pytest.mark.parametrize("playout", Playout)
def test_a_playout_takes_time(playout):
    assert playout_ns(playout, rounds=1) > 0


def test_more_simulations_take_more_time():
    few, many = (move_ms(SearchConfig(simulations=n), rounds=3) for n in (300, 30_000))
    assert 0 < few < many


def test_a_level_is_measured_on_passes_and_on_every_trick_with_a_choice():
    figures = level_ms(SearchConfig(simulations=300), deals=1, rounds=2)
    assert 0 < figures["mean"] < figures["max"]
    assert 0 < figures["first_tricks"] < figures["max"]
    assert figures["pass_max"] > 0


def test_a_search_by_time_is_measured_against_its_budget():
    # By how much it is late is the machine's affair; a card is never decided on before its time.
    assert time_over_ms(2, rounds=1) > 0


def test_more_worlds_take_more_time():
    assert worlds_us(first_tricks()[0]) > 0


def test_moves_are_measured_on_first_tricks_with_a_choice():
    views = first_tricks()
    assert len(views) == 8
    assert all(view.first_trick and view.legal.bit_count() > 1 for view in views)


def test_the_machine_is_named():
    assert {"cpu", "bmi2", "python", "numba", "numpy"} <= machine().keys()
    assert len(steps()) == 18
