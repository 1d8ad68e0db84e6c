"""Statistics of groups, against sums that are made in Python, on both databases."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import Engine, insert, select, update

from hearts.engine.levels import LEVELS
from hearts.game.cards import SEATS
from hearts.game.records import Record
from hearts.game.summary import SeatSummary, summarise
from models.evaluation.hand_loss import belief_loss
from server.games.belief_scorer import score_beliefs
from server.games.statistics import Line, config_text, statistics
from server.storage.games import create_game, player_ids, writing
from server.storage.results import result_values, unscored_seats
from server.storage.schema import RESULTS
from server.storage.statistics import GROUPS, Choice, Viewer
from server.storage.values import Player, Seat
from tests.server.jobs.working import statuses, working
from tests.server.service import wait_until
from tests.server.storage.played import a_game, keep, sample_records

CONFIGS = {level: {k: v for k, v in vars(LEVELS[level]).items() if k not in ("seed", "threads")}
           for level in ("easy", "hard")}  # fmt: skip
ANN = Player("human", "ann")
HARD, EASY = (Player("engine", f"hearts {each}", each, CONFIGS[each]) for each in ("hard", "easy"))
NEWER = Player("engine", "hearts hard", "hard", CONFIGS["hard"], "2.0")
TABLES = ((ANN, HARD, HARD, NEWER), (HARD, ANN, EASY, EASY), (EASY, HARD, NEWER, ANN))
# Of Student's t, from tables: what holds 95% for 1 to 11 degrees of freedom.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201)
START = datetime(2026, 5, 1, tzinfo=UTC)

Kept = list[tuple[int, Player, Record, SeatSummary, bool]]  # game, player, hand, result, won


@pytest.fixture
def kept(engine: Engine) -> Kept:
    """Twelve hands: games of one hand, at three kinds of tables, a day apart."""
    found: Kept = []
    with writing(engine) as connection:
        for number, record in enumerate(sample_records(12)):
            players, results = TABLES[number % 3], summarise(record)
            won = [each.points == min(each.points for each in results) for each in results]
            seats, source = tuple(map(Seat, players)), ("club", "web")[number % 2]
            game = a_game(record.deal.rules, seats=seats, source=source, kind="table")
            create_game(connection, game)
            ids = player_ids(connection, players)
            key = {"game_id": game.id, "hand": 0, "finished_at": START + timedelta(days=number)}
            seats = result_values(record, [ids[player.digest] for player in players], won)
            connection.execute(insert(RESULTS), [row | key for row in seats])
            seated = zip(players, results, won, strict=True)
            found += [(number, player, record, each, first) for player, each, first in seated]
    return found


def lines(engine: Engine, **choice: object) -> dict[str, Line]:
    with engine.connect() as connection:
        return {line.label: line for line in statistics(connection, Choice(**choice))}


def check(line: Line, seats: Kept) -> None:
    """A line beside plain sums over its seats."""
    results = [each for _, _, _, each, _ in seats]
    assert line.hands == len(results)
    assert line.points == pytest.approx(np.mean([each.points for each in results]))
    assert line.queens == sum(each.queen_taken for each in results)
    assert line.moons_tried == sum(each.moon_tried for each in results)
    assert line.moons_made == sum(each.moon_made for each in results)
    assert line.moons_stopped == sum(each.moon_stopped for each in results)
    assert line.passes == sum(bool(record.deal.direction) for _, _, record, _, _ in seats)
    assert (line.games, line.wins) == (len(seats), sum(won for *_, won in seats))
    gaps: dict[int, float] = {}  # by hand: how far its seats are from the mean, together
    for game, _, _, each, _ in seats:
        gaps[game] = gaps.get(game, 0.0) + each.points - line.points
    n = len(gaps)
    error = math.sqrt(sum(gap**2 for gap in gaps.values()) * n / (n - 1)) / len(seats)
    assert line.interval is not None
    assert line.interval.half_width == pytest.approx(STUDENT[n - 2] * error, rel=0.01, abs=1e-6)


def test_players_levels_and_configs_add_up(engine, kept):
    of_name = lines(engine, group="player")
    assert set(of_name) == {"ann", "hearts hard", "hearts easy"}
    for name, line in of_name.items():
        check(line, [row for row in kept if row[1].name == name])
    of_level = lines(engine, group="level")
    assert set(of_level) == {"human", "hard", "easy"}  # two versions of hard are one level
    for level in ("hard", "easy"):
        check(of_level[level], [row for row in kept if row[1].level == level])
    of_config = lines(engine, group="config")
    assert {line.hands for line in of_config.values()} == {each.hands for each in of_level.values()}
    assert [line.config for line in of_config.values() if line.kind == "human"] == [None]
    assert of_config[config_text(CONFIGS["easy"])].config == CONFIGS["easy"]
    assert sum(line.hands for line in of_name.values()) == 12 * SEATS


def test_hands_may_be_chosen(engine, kept):
    middle = START + timedelta(days=4)
    check(lines(engine, since=middle)["ann"], [r for r in kept if r[0] >= 4 and r[1] == ANN])
    check(lines(engine, until=middle)["ann"], [r for r in kept if r[0] < 4 and r[1] == ANN])
    check(lines(engine, source="web")["ann"], [r for r in kept if r[0] % 2 and r[1] == ANN])
    assert list(lines(engine, player="ann")) == ["ann"]
    assert lines(engine, source="nowhere") == {}
    against = lines(engine, against="easy")
    check(against["ann"], [r for r in kept if r[1] == ANN and EASY in TABLES[r[0] % 3]])
    # The only easy seat of a table does not meet itself.
    easy = [r for r in kept if r[1] == EASY and TABLES[r[0] % 3].count(EASY) > 1]
    check(against["hearts easy"], easy)


@pytest.mark.parametrize("kind", ["log", "record"])
def test_nobody_in_a_posted_game_is_counted(engine, kept, kind):
    ours = {group: lines(engine, group=group) for group in GROUPS}
    seats = tuple(map(Seat, (HARD, HARD, EASY, ANN)))
    posted = keep(engine, sample_records(1), seats=seats, source="club", kind=kind)
    assert {group: lines(engine, group=group) for group in GROUPS} == ours
    assert lines(engine, source="posted") == {}
    assert lines(engine, source="club")["ann"] == lines(engine, source="club", player="ann")["ann"]
    with engine.connect() as connection:
        assert posted not in {seat.game_id for seat in unscored_seats(connection)}


def test_posted_games_are_counted_by_name_and_owner(engine, kept):
    for number, record in enumerate(sample_records(3)):
        seats = tuple(map(Seat, (HARD, NEWER, EASY, ANN)))
        keep(engine, [record], seats=seats, source="posted", owner_id=(None, 7, 7)[number])
    mine = lines(engine, posted=True, viewer=Viewer(7))
    assert {label: line.hands for label, line in mine.items()} == {
        "hearts hard": 4, "hearts easy": 2, "ann": 2,
    }  # fmt: skip
    assert {(line.kind, line.level, line.config) for line in mine.values()} == {
        ("client", None, None)
    }
    assert lines(engine, posted=True, viewer=Viewer(8)) == {}
    assert lines(engine, posted=True, viewer=Viewer())["ann"].hands == 1
    assert lines(engine, posted=True)["ann"].hands == 3
    for group in ("level", "config"):
        found = lines(engine, posted=True, viewer=Viewer(7), group=group)
        assert {each.hands for each in found.values()} == {8}


OTHERS = [Viewer(), Viewer(8)]  # without a key, and with another one


@pytest.fixture
def private(engine: Engine) -> None:
    """Two private tables of key 7, one of them in play, and one without an owner."""
    for record, owner_id, target in zip(sample_records(3), (7, 7, None), (1, 999, 1), strict=True):
        seats = tuple(map(Seat, (ANN, HARD, replace(HARD, name="ann's bot"), EASY)))
        keep(engine, [record], seats=seats, kind="table", private=True, owner_id=owner_id,
             target_score=target)  # fmt: skip


@pytest.mark.parametrize("viewer", OTHERS)
def test_nobody_at_a_private_table_is_named_to_others(engine, private, viewer):
    assert lines(engine, viewer=viewer) == {}
    for group in GROUPS:
        for name in ("ann", "ann's bot", "hearts easy"):
            assert lines(engine, viewer=viewer, group=group, player=name) == {}


@pytest.mark.parametrize("viewer", OTHERS)
def test_of_private_tables_of_others_engines_count_after_the_game(engine, private, viewer):
    found = lines(engine, viewer=viewer, group="level")
    assert {level: line.hands for level, line in found.items()} == {"hard": 4, "easy": 2}
    found = lines(engine, viewer=viewer, group="config")
    assert sorted((line.kind, line.hands) for line in found.values()) == [
        ("engine", 2),
        ("engine", 4),
    ]


def test_private_tables_count_for_their_owner_and_the_operator(engine, private):
    mine, everything = lines(engine, viewer=Viewer(7)), lines(engine)
    assert {label: line.hands for label, line in mine.items()} == {
        "ann": 2, "hearts hard": 2, "ann's bot": 2, "hearts easy": 2,
    }  # fmt: skip
    assert {line.hands for line in everything.values()} == {3}
    assert lines(engine, viewer=Viewer(7), player="ann")["ann"].hands == 2
    assert lines(engine, viewer=Viewer(7), group="level")["human"].hands == 2


def test_a_single_hand_has_no_interval_and_nobody_else_a_time(engine):
    clients = tuple(Seat(Player("client", n)) for n in "abcd")
    keep(engine, sample_records(1), seats=clients, kind="table")
    line = lines(engine)["a"]
    assert (line.hands, line.interval) == (1, None)
    told = line.as_object()
    assert told["points_low"] is told["ms_per_move"] is told["belief_log_loss"] is None
    assert lines(engine, group="level")["client"].interval is None


def test_times_are_means_of_all_moves(engine, kept):
    with writing(engine) as connection:
        seats = connection.execute(select(RESULTS.c.game_id, RESULTS.c.hand, RESULTS.c.seat)).all()
        for i, row in enumerate(seats):
            here = update(RESULTS).filter_by(game_id=row.game_id, hand=row.hand, seat=row.seat)
            connection.execute(here.values(moves=10 + i, ms=2.0 * (10 + i)))
    assert {line.ms_per_move for line in lines(engine).values()} == {2.0}


def test_beliefs_are_judged_once_and_only_those_of_our_engine(engine):
    first, second = sample_records(2)
    for record in (first, second):
        keep(engine, [record], seats=tuple(map(Seat, (EASY, ANN, HARD, EASY))), kind="table")
    seen: list[tuple[int, int]] = []
    assert score_beliefs(engine, 2, lambda *done: seen.append(done)) == 2
    assert seen == [(1, 2), (2, 2)]
    url = engine.url.render_as_string(hide_password=False)
    with working(url):
        # one for each hand, and the hourly one
        wait_until(lambda: statuses(url).get("done", 0) >= 3)
    assert score_beliefs(engine) == 0
    found = lines(engine, group="level")
    assert found["human"].belief_log_loss is None
    for level, seats in (("easy", (0, 3)), ("hard", (2,))):
        belief = LEVELS[level].belief
        judged = [belief_loss(record, s, belief) for record in (first, second) for s in seats]
        loss = sum(each for each, _ in judged) / sum(cards for _, cards in judged)
        assert found[level].belief_log_loss == pytest.approx(loss)


def test_a_belief_that_is_gone_is_asked_for_once(engine):
    gone = Player("engine", "old", None, {"belief": "OM-9"})
    keep(engine, sample_records(1), seats=tuple(map(Seat, (gone, ANN, ANN, ANN))), kind="table")
    assert (score_beliefs(engine), score_beliefs(engine)) == (1, 0)
    assert lines(engine)["old"].belief_log_loss is None


def test_groups_of_nothing_are_none(engine):
    assert all(lines(engine, group=group) == {} for group in GROUPS)
