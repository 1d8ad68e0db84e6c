"""The time of decisions is measured; no test asserts how fast they are."""

from dataclasses import replace

from hearts.bench.decisions import level_ms, move_ms, time_over_ms
from hearts.bench.timing import QUICK
from hearts.engine.config import SearchConfig

ONCE = replace(QUICK, level_deals=1, levels=2)


def test_more_simulations_take_more_time():
    few, many = (move_ms(SearchConfig(simulations=n), repetitions=3) for n in (300, 30_000))
    assert 0 < few < many


def test_a_level_is_measured_on_passes_and_on_every_trick_with_a_choice():
    found = level_ms(SearchConfig(simulations=300), ONCE)
    assert 0 < found["mean"] <= found["max"]
    assert 0 < found["first_tricks"] <= found["max"]
    assert found["pass_max"] > 0


def test_a_search_by_time_is_measured_against_its_budget():
    # By how much it is late depends on the machine; no card is decided on before its time.
    assert time_over_ms(2, repetitions=1) > 0
