"""Tournaments: duplicate deals, a player against itself, known strengths, records."""

import statistics
from collections import Counter
from dataclasses import replace

import pytest

from hearts.arena.results import deal_result_of, summarize
from hearts.arena.seeds import deal_of, derive_seed, match_of
from hearts.arena.tournament import SEATINGS, Tournament, play_deal
from hearts.game.errors import InvalidConfig
from hearts.game.records import parse_record
from hearts.game.rules import PASSING, PassDirection, Rules
from hearts.players.spec import RULE_BASED, Spec, parse_spec, parse_table

CAUTIOUS, RANDOM = Spec("cautious"), Spec("random")
NO_POINTS = Rules.parse({"hearts_arent_points": True, "queen_penalty": False})


@pytest.mark.parametrize("kind", RULE_BASED)
@pytest.mark.parametrize("seats", SEATINGS)
def test_a_player_against_itself_gives_exactly_0_on_every_deal(kind, seats):
    same = replace(Spec(kind), name="the same under another name")
    tournament = Tournament(Spec(kind), same, seats=seats, passing="cycle", seed=11)
    for number in range(6):
        result = play_deal(tournament, number)
        assert result.difference == 0.0
        assert len({table.digest for table in result.tables}) == 1
        even = statistics.fmean(len(table.focus) / 4 for table in result.tables)
        assert result.win_share == pytest.approx(even)


@pytest.mark.parametrize("seats", SEATINGS)
def test_a_player_against_itself_gives_exactly_0_in_matches(seats):
    tournament = Tournament(CAUTIOUS, CAUTIOUS, seats=seats, unit="match", passing="cycle")
    result = play_deal(tournament, 2)
    assert result.difference == 0.0
    assert result.hands > 4 * len(SEATINGS[seats])


def test_late_matches_start_when_a_seat_first_has_the_score():
    for number in range(50):
        match = match_of(3, number, PASSING, 75)
        before = [sum(hand[seat] for hand in match.hands[:-1]) for seat in range(4)]
        assert max(before) < 75 <= max(match.scores) < PASSING.target_score
        assert match == match_of(3, number, PASSING, 75)
    assert len({match_of(3, number, PASSING, 75) for number in range(50)}) == 50
    assert match_of(3, 0, PASSING, 0).hands == ()


def test_a_late_match_is_won_with_the_scores_it_started_from():
    tournament = Tournament(
        CAUTIOUS, RANDOM, seats="pairs", unit="match", passing="cycle", from_score=75
    )
    result = play_deal(tournament, 1)
    start = match_of(0, 1, tournament.table_rules, 75).scores
    for table in result.tables:
        ends = [own + more for own, more in zip(start, table.totals, strict=True)]
        assert table.start == start
        assert (
            max(ends)
            >= 100
            > max(own - last for own, last in zip(ends, table.points[-1], strict=True))
        )
        winners = [seat for seat in range(4) if ends[seat] == min(ends)]
        assert table.win_share == len({*winners} & {*table.focus}) / len(winners)
    assert deal_result_of(result.as_object()) == result


@pytest.mark.parametrize(
    "options",
    [
        {"unit": "hand", "from_score": 75},
        {"unit": "match", "from_score": 100},
        {"unit": "match", "from_score": -1},
        {"unit": "match", "from_score": 75, "rules": replace(PASSING, jack_bonus=True)},
    ],
)
def test_late_starts_need_a_match_of_the_usual_scoring(options):
    with pytest.raises(InvalidConfig, match="from_score"):
        Tournament(CAUTIOUS, RANDOM, **options)


def test_all_seatings_are_the_14_that_seat_both_players():
    seatings = SEATINGS["all"]
    assert len(set(seatings)) == len(seatings) == 2**4 - 2
    assert Counter(map(len, seatings)) == {1: 4, 2: 6, 3: 4}
    assert Counter(seat for seats in seatings for seat in seats) == dict.fromkeys(range(4), 7)
    assert sum(map(len, seatings)) == 28
    complements = {tuple(sorted({0, 1, 2, 3} - set(seats))) for seats in seatings}
    assert complements == set(seatings)


def test_sides_that_change_places_change_the_sign():
    one, other = (
        play_deal(Tournament(*sides, seats="all", passing="cycle", seed=5), 3)
        for sides in ((CAUTIOUS, RANDOM), (RANDOM, CAUTIOUS))
    )
    assert one.difference == -other.difference < 0
    assert one.focus_points == other.others_points
    assert one.win_share == pytest.approx(1 - other.win_share)
    digests = [{table.digest for table in result.tables} for result in (one, other)]
    assert digests[0] == digests[1]


def test_a_deal_depends_on_seed_and_number_only():
    first = deal_of(1, 7, 0, PASSING, PassDirection.HOLD)
    assert deal_of(1, 7, 0, PASSING, PassDirection.LEFT).dealt == first.dealt
    others = [deal_of(*place, PASSING, PassDirection.HOLD) for place in ((2, 7, 0), (1, 8, 0))]
    assert len({first.dealt, *(other.dealt for other in others)}) == 3
    assert len({derive_seed(a, b, c) for a in range(9) for b in range(9) for c in range(9)}) == 9**3


def test_every_seating_is_the_same_deal_with_the_focus_elsewhere():
    result = play_deal(Tournament(CAUTIOUS, RANDOM, seed=3), 4, keep_records=True)
    records = [parse_record(dict(record)) for record in result.records]
    assert [table.focus for table in result.tables] == [(0,), (1,), (2,), (3,)]
    assert len({record.deal.dealt for record in records}) == 1
    assert len({tuple(record.deal.plays) for record in records}) == 4


@pytest.mark.parametrize("unit", ["hand", "match"])
def test_records_replay_and_say_who_played(unit):
    tournament = Tournament(CAUTIOUS, RANDOM, unit=unit, passing="cycle", seed=3)
    result = play_deal(tournament, 1, keep_records=True)
    assert len(result.records) == result.hands
    points = [points for table in result.tables for points in table.points]
    for record, scored in zip(result.records, points, strict=True):
        replayed = parse_record(dict(record))
        assert replayed.points == scored
        assert replayed.deal.finished
    assert result.records[0]["players"] == ["cautious", "random", "random", "random"]
    assert len({record["id"] for record in result.records}) == result.hands


@pytest.mark.parametrize(
    ("passing", "directions"),
    [
        ("none", {PassDirection.HOLD}),
        ("across", {PassDirection.ACROSS}),
        ("cycle", set(PassDirection)),
    ],
)
def test_passing_is_none_one_way_or_the_cycle(passing, directions):
    tournament = Tournament(RANDOM, RANDOM, passing=passing)
    found = {
        parse_record(
            dict(play_deal(tournament, number, keep_records=True).records[0])
        ).deal.direction
        for number in range(4)
    }
    assert found == directions


def test_cautious_beats_random_by_more_than_5():
    tournament = Tournament(RANDOM, CAUTIOUS, seed=1)
    summary = summarize([play_deal(tournament, number) for number in range(60)])
    assert summary.difference.low > 5
    assert summary.win_rate.high < 0.2
    assert summary.focus.faults == summary.others.faults == {}


@pytest.mark.parametrize("unit", ["hand", "match"])
def test_results_come_back_from_json(unit):
    result = play_deal(Tournament(RANDOM, CAUTIOUS, unit=unit), 0)
    assert deal_result_of(result.as_object()) == result


def tournament_of(given: dict) -> Tournament:
    sides = {side: parse_table(given[side]) for side in ("focus", "others")}
    return Tournament(**given | sides | {"rules": Rules.parse(given["rules"])})


def test_tournaments_come_back_from_json():
    spec = parse_spec("engine:algorithm=ismcts,simulations=100")
    tournament = Tournament(spec, CAUTIOUS, 4, "pairs", "match", "cycle", equal_time=5.0)
    assert tournament_of(tournament.as_object()) == tournament


def test_equal_time_is_for_those_who_search():
    tournament = Tournament(Spec("hard"), CAUTIOUS, equal_time=20.0)
    found = dict(tournament.player_spec(tournament.focus).options)
    assert found == {"time_ms": 20.0, "clock": "cpu", "threads": 1}
    assert tournament.player_spec(CAUTIOUS) == CAUTIOUS


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"limit": 0.0}, "timeout: 0.0 is out of range"),
        ({"limit": float("nan")}, "timeout: nan is out of range"),
        ({"equal_time": -1.0}, "equal_time: -1.0 is out of range"),
        ({"equal_time": 5.0, "others": Spec("http", place="http://a")}, "has its own clock"),
        ({"seed": -1}, "seed: -1 is out of range"),
        ({"unit": "match", "rules": NO_POINTS}, "rules: give no points"),
        ({"unit": "match", "rules": replace(NO_POINTS, jack_bonus=True)}, "rules: give no points"),
    ],
)
def test_what_cannot_be_played_is_refused(wrong, message):
    with pytest.raises(InvalidConfig, match=message):
        replace(Tournament(CAUTIOUS, RANDOM), **wrong)


@pytest.mark.parametrize("wrong", [{"seats": "three"}, {"unit": "day"}, {"passing": "up"}])
def test_unknown_ways_to_play_are_refused(wrong):
    with pytest.raises(InvalidConfig, match="is unknown; choose"):
        Tournament(CAUTIOUS, RANDOM, **wrong)
