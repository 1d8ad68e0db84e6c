"""Matches: totals, the pass cycle, and the end."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.game.errors import IllegalMove
from hearts.game.match import Match
from hearts.game.rules import PASSING, STANDARD, MoonScoring, PassDirection

POINTS = st.tuples(*[st.integers(-26, 26)] * 4)
CHOICE = replace(STANDARD, moon=MoonScoring.SHOOTER_CHOOSES)


@given(st.lists(POINTS, max_size=12))
def test_scores_are_sums_and_the_end_is_the_target(hands):
    match = Match(PASSING)
    for number, points in enumerate(hands):
        if match.finished:
            break
        assert match.direction.label == ("left", "right", "across", "hold")[number % 4]
        match = match.add(points)
    played = match.hands
    assert match.scores == tuple(sum(points[seat] for points in played) for seat in range(4))
    assert match.finished == (max(match.scores) >= 100)
    best = [seat for seat in range(4) if match.scores[seat] == min(match.scores)]
    assert match.winners == (tuple(best) if match.finished else ())


def test_rules_without_passing_always_hold():
    match = Match(STANDARD)
    for _ in range(4):
        assert match.direction is PassDirection.HOLD
        match = match.add((6, 7, 13, 0))


def test_another_cycle_is_followed():
    rules = replace(PASSING, pass_cycle=(PassDirection.ACROSS, PassDirection.LEFT))
    match, seen = Match(rules), []
    for _ in range(3):
        seen.append(match.direction.label)
        match = match.add((0, 0, 13, 13))
    assert seen == ["across", "left", "across"]


def test_a_finished_match_takes_no_more_hands():
    match = Match(replace(STANDARD, target_score=20)).add((0, 26, 26, 26))
    assert (match.finished, match.winners, match.ranking) == (True, (0,), (1, 2, 2, 2))
    with pytest.raises(IllegalMove, match=r"the match is over at \(0, 26, 26, 26\)"):
        match.add((26, 0, 0, 0))


def test_a_hand_scores_four_seats():
    with pytest.raises(IllegalMove, match="a hand scores 4 seats, not 3"):
        Match().add((1, 2, 3))
