"""Results and summaries against calculations by hand."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.arena.referee import Spending
from hearts.arena.results import DealResult, Table, summarize
from hearts.arena.tournament import SEATINGS

MOON = Table((1,), ((26, 0, 26, 26),), (1,), 0)
PLAIN = Table((0,), ((1, 5, 7, 13),), (None,), 0)
PAIR = Table((0, 2), ((1, 5, 7, 13), (2, 2, 20, 2)), (None, None), 0)
TIED = Table((0, 3), ((5, 5, 8, 8), (8, 8, 5, 5)), (None, None), 0)


def test_advantages_and_wins_of_a_table():
    assert (MOON.advantage / 12, MOON.win_share, MOON.beats) == (0 - 26, 1.0, 1.0)
    assert PLAIN.advantage / 12 == pytest.approx(1 - 25 / 3)
    assert PAIR.advantage / 12 == 30 / 2 - 22 / 2
    assert (PAIR.totals, PAIR.win_share, PAIR.beats) == ([3, 7, 27, 15], 1.0, 0.0)
    assert (TIED.advantage, TIED.win_share, TIED.beats) == (0, 0.5, 0.5)


def test_a_summary_by_hand():
    focus = Spending(10, 500, {"illegal": 1}, seconds=0.2, cpu_seconds=0.1)
    others = Spending(30, 0, {}, seconds=0.3, cpu_seconds=0.3)
    first = DealResult(0, (MOON, PLAIN), focus, others)
    second = DealResult(1, (PLAIN,), focus, others)
    summary = summarize([first, second])
    plain = 1 - 25 / 3
    assert (summary.deals, summary.hands) == (2, 3)
    assert summary.difference.mean == pytest.approx(((-26 + plain) / 2 + plain) / 2)
    assert summary.win_rate.mean == 1.0
    assert summary.points_per_hand == pytest.approx((0.5 + 1) / 2)
    assert summary.others_points_per_hand == pytest.approx(((78 + 25) / 6 + 25 / 3) / 2)
    assert (summary.focus.moons, summary.others.moons) == (1, 0)
    assert summary.focus.faults == {"illegal": 2}
    assert summary.focus.ms_per_move == pytest.approx(20.0)
    assert summary.focus.simulations_per_move == 50
    assert summary.others.cpu_ms_per_hand == pytest.approx(200.0)
    assert summary.as_object()["difference"]["mean"] == summary.difference.mean


def result_of(points: list[tuple[int, ...]], seats: str) -> DealResult:
    """A deal of one hand in every seating, with these points."""
    tables = (
        Table(focus, (scored,), (None,), 0)
        for focus, scored in zip(SEATINGS[seats], points, strict=False)
    )
    return DealResult(0, tuple(tables), Spending(), Spending())


def difference_oracle(result: DealResult) -> Fraction:
    """The mean over the tables of the focus seats' mean minus the others' mean."""
    differences = []
    for table in result.tables:
        own = [table.totals[seat] for seat in table.focus]
        theirs = [table.totals[seat] for seat in range(4) if seat not in table.focus]
        differences.append(Fraction(sum(own), len(own)) - Fraction(sum(theirs), len(theirs)))
    return sum(differences, Fraction()) / len(differences)


POINTS = st.tuples(*[st.integers(-26, 78)] * 4)
OF_26 = st.sampled_from([*permutations((0, 1, 5, 20)), *permutations((3, 4, 6, 13))])


@given(st.lists(POINTS, min_size=14, max_size=14))
def test_the_difference_is_the_mean_of_the_tables(points):
    for seats in SEATINGS:
        result = result_of(points, seats)
        assert result.difference == float(difference_oracle(result))
        if seats != "all":  # as many focus seats at every table
            assert result.difference == pytest.approx(result.focus_points - result.others_points)


@given(POINTS)
def test_equal_tables_have_no_difference(points):
    for seats in SEATINGS:
        result = result_of([points] * 14, seats)
        assert result.difference == 0.0
        assert result.focus_points == pytest.approx(result.others_points)


@given(st.lists(OF_26, min_size=14, max_size=14))
def test_the_means_of_28_seats_add_up_to_half_of_the_points(points):
    result = result_of(points, "all")
    assert result.focus_points + result.others_points == pytest.approx(26 / 2)


def test_a_moon_helps_its_side_in_every_seating():
    """Even if it gives 26 points to two seats of that side, which raises the mean of its seats."""
    plain = [(6, 7, 6, 7)] * 14
    changes = []
    for focus in ((0,), (0, 1), (0, 1, 2)):
        points = plain.copy()
        points[SEATINGS["all"].index(focus)] = (0, 26, 26, 26)
        result = result_of(points, "all")
        assert result.difference < 0.0 == result_of(plain, "all").difference
        changes.append(result.focus_points - result.others_points)
    assert changes[0] < changes[1] < 0 < changes[2]
