"""Matches: totals, the pass cycle, the end, the ranking, and the shooter's choice."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.game.errors import IllegalMove
from hearts.game.match import Match
from hearts.game.rules import PASSING, STANDARD, MoonScoring, PassDirection
from hearts.game.scoring import moon_choice, ranking

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


@pytest.mark.parametrize(
    ("scores", "places"),
    [
        ((10, 20, 30, 40), (1, 2, 3, 4)),
        ((40, 10, 10, 5), (4, 2, 2, 1)),
        ((7, 7, 7, 7), (1, 1, 1, 1)),
        ((9, 9, 3, 3), (3, 3, 1, 1)),
    ],
)
def test_equal_scores_share_the_better_place(scores, places):
    assert ranking(scores) == places


@pytest.mark.parametrize(
    ("scores", "shooter", "choice"),
    [
        ((0, 0, 0, 0), 0, MoonScoring.OTHERS_ADD),  # far from the end
        ((50, 80, 60, 70), 0, MoonScoring.OTHERS_ADD),  # ends the match, and wins it
        ((95, 80, 60, 70), 0, MoonScoring.SHOOTER_SUBTRACTS),  # would end it behind seat 2
        ((95, 80, 69, 70), 0, MoonScoring.OTHERS_ADD),  # ends it level with seat 2: 95 and 95
        ((95, 40, 30, 20), 0, MoonScoring.OTHERS_ADD),  # behind, but the match goes on
        ((10, 0, 74, 0), 0, MoonScoring.OTHERS_ADD),  # 100 is the end, won with 10 to 26
        ((30, 0, 74, 0), 0, MoonScoring.SHOOTER_SUBTRACTS),
        ((30, 0, 73, 0), 0, MoonScoring.OTHERS_ADD),  # one point short of the end
    ],
)
def test_a_shooter_subtracts_only_to_stay_in_the_match(scores, shooter, choice):
    assert moon_choice(scores, shooter, CHOICE) is choice


@given(st.tuples(*[st.integers(-50, 99)] * 4), st.integers(0, 3))
def test_the_choice_never_ends_a_match_that_the_other_would_keep_alive_to_lose_it(scores, shooter):
    chosen = moon_choice(scores, shooter, CHOICE)
    others_add = chosen is MoonScoring.OTHERS_ADD
    points = [
        (0 if others_add else -26) if seat == shooter else (26 if others_add else 0)
        for seat in range(4)
    ]
    match = Match(CHOICE).add(scores).add(points)
    assert not match.finished or shooter in match.winners


@pytest.mark.parametrize("moon", [MoonScoring.OTHERS_ADD, MoonScoring.SHOOTER_SUBTRACTS])
def test_rules_that_decide_leave_no_choice(moon):
    assert moon_choice((95, 80, 60, 70), 0, replace(STANDARD, moon=moon)) is moon
