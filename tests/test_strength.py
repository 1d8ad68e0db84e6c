"""The check of strength fails for a weaker engine, and passes for an unchanged one."""

from __future__ import annotations

from random import Random

import pytest

from hearts.arena.statistics import Interval, bootstrap
from tests.strength import TOURNAMENTS, Yardstick, differences_of, played, stored

chance = Random(3)
DEALS = [chance.gauss(-3, 4) for _ in range(60)]
YARDSTICK = played("expert", "duck", "none", DEALS)


@pytest.mark.parametrize(
    ("now", "problem"),
    [
        (DEALS, None),
        ([deal + 0.3 * (-1) ** place for place, deal in enumerate(DEALS)], None),
        ([deal + 2 for deal in DEALS], "worse than stated"),
        ([deal + 0.2 for deal in DEALS], "worse deal by deal"),
        ([deal - 2 for deal in DEALS], "better than stated"),
    ],
)
def test_what_is_wrong_is_said(now, problem):
    found = YARDSTICK.problem(now)
    assert found is None if problem is None else found.startswith(problem)


def test_the_yardsticks_are_those_of_the_tournaments():
    yardsticks = stored()
    found = [(y.focus, y.others, y.passing, len(y.differences)) for y in yardsticks]
    assert found == list(TOURNAMENTS)
    for yardstick in yardsticks:
        assert yardstick.interval == bootstrap(yardstick.differences)


def test_the_same_players_repeat_their_yardstick():
    blank = Yardstick("cautious", "duck", "cycle", Interval(0, 0, 0), ())
    once = played("cautious", "duck", "cycle", differences_of(blank, 3, jobs=1))
    assert any(once.differences)
    assert once.change(differences_of(once, 3, jobs=1)) == Interval(0, 0, 0)
