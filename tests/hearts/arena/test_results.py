"""Results and summaries against calculations by hand."""

import pytest

from hearts.arena.referee import Spending
from hearts.arena.results import DealResult, Table, summarize

MOON = Table((1,), ((26, 0, 26, 26),), (1,), 0)
PLAIN = Table((0,), ((1, 5, 7, 13),), (None,), 0)
PAIR = Table((0, 2), ((1, 5, 7, 13), (2, 2, 20, 2)), (None, None), 0)
TIED = Table((0, 3), ((5, 5, 8, 8), (8, 8, 5, 5)), (None, None), 0)


def test_advantages_and_wins_of_a_table():
    assert (MOON.advantage / 3, MOON.win_share, MOON.beats) == (0 - 26, 1.0, 1.0)
    assert PLAIN.advantage / 3 == pytest.approx(1 - 25 / 3)
    assert PAIR.advantage / 4 == 30 / 2 - 22 / 2
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
    assert (summary.focus.moons, summary.others.moons) == (1, 0)
    assert summary.focus.faults == {"illegal": 2}
    assert summary.focus.ms_per_move == pytest.approx(20.0)
    assert summary.focus.simulations_per_move == 50
    assert summary.others.cpu_ms_per_hand == pytest.approx(200.0)
    assert summary.as_object()["difference"]["mean"] == summary.difference.mean
