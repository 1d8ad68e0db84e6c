"""The score of a finished hand: ranking, and the choice of a shooter."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.game.cards import bit, members
from hearts.game.deal import Deal
from hearts.game.match import Match
from hearts.game.rules import STANDARD, MoonScoring, Rules
from hearts.game.scoring import moon_choice, points_of, ranking

CHOICE = replace(STANDARD, moon=MoonScoring.SHOOTER_CHOOSES)


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


def test_a_shooter_who_may_choose_looks_at_the_match():
    rules = Rules.parse({"moon": "shooter_chooses"})
    suits = [sum(bit(16 * suit + rank) for rank in range(13)) for suit in (3, 1, 2, 0)]
    deal = Deal.of(rules, suits)
    while not deal.finished:  # hearts go on clubs: seat 3 has all the clubs, and takes everything
        deal = deal.play(next(members(deal.legal)))
    assert deal.shooter == 3
    assert points_of(deal) == (26, 26, 26, 0)
    assert points_of(deal, (20, 80, 30, 60)) == deal.final_points(MoonScoring.SHOOTER_SUBTRACTS)
