"""Hands played before a deal: what players remember, and the gain from it, deal by deal."""

import pytest

from hearts.arena.experiments import Cell, adaptation, play_cell
from hearts.arena.experiments.adaptation import improvements
from hearts.arena.experiments.experiment import paired
from hearts.arena.journal import journal_name
from hearts.arena.outputs import Outputs
from hearts.arena.runner import Workers
from hearts.arena.statistics import Interval
from hearts.arena.tournament import Tournament, play_deal
from hearts.game.deal import REMEMBERED
from hearts.game.errors import InvalidConfig
from hearts.players.cautious import CautiousPlayer
from hearts.players.spec import Spec, parse_spec

ONE = Workers(jobs=1)
CAUTIOUS = Spec("cautious")


class Watched(CautiousPlayer):
    """A player that keeps what it is shown."""

    def __init__(self) -> None:
        self.views = []

    def choose_card(self, view, seed):
        self.views.append(view)
        return super().choose_card(view, seed)


def test_players_remember_the_hands_before_the_deal(monkeypatch):
    watched = Watched()
    monkeypatch.setattr("hearts.arena.tournament.shared_player", lambda spec, limit: watched)
    result = play_deal(Tournament(CAUTIOUS, CAUTIOUS, passing="cycle", earlier_hands=3), 5)
    known = [len(view.earlier) for view in watched.views]
    assert known == sorted(known[: len(known) // 4]) * 4  # each seating: 0, 1, 2, 3 hands
    assert set(known) == {0, 1, 2, 3}
    last = [view for view in watched.views if len(view.earlier) == 3]
    assert {view.match_scores for view in watched.views} == {(0, 0, 0, 0)}
    assert {view.direction for view in last} == {view.rules.pass_cycle[5 % 4] for view in last}
    assert len({view.earlier for view in last}) == 1  # all seats play alike here
    assert [len(tricks) for tricks in last[0].earlier] == [13, 13, 13]
    assert len(set(last[0].earlier)) == 3
    # The deal itself and the costs are those without earlier hands.
    plain = play_deal(Tournament(CAUTIOUS, CAUTIOUS, passing="cycle"), 5)
    assert plain.tables == result.tables
    assert plain.focus.moves == result.focus.moves


@pytest.mark.parametrize(
    "options",
    [
        {"unit": "match", "earlier_hands": 3},
        {"unit": "match", "predictions": True},
        {"earlier_hands": REMEMBERED + 1},
        {"earlier_hands": -1},
    ],
)
def test_what_only_hands_have_is_refused_elsewhere(options):
    with pytest.raises(InvalidConfig, match=r"predictions|earlier_hands"):
        Tournament(CAUTIOUS, CAUTIOUS, **options)


def test_tournaments_that_differ_in_what_is_known_have_journals_of_their_own():
    options = [{}, {"earlier_hands": 10}, {"earlier_hands": 9}, {"predictions": True}]
    made = [Tournament(CAUTIOUS, CAUTIOUS, **each) for each in options]
    assert len({journal_name(each) for each in made}) == len(made)
    assert [each.as_object().get("earlier_hands") for each in made] == [None, 10, 9, None]


def test_the_cells_of_adaptation_differ_in_what_is_known_alone():
    cells = adaptation(quick=False).cells
    before, after = cells[::2], cells[1::2]
    assert len(before) == len(after) == 5
    for left, right in zip(before, after, strict=True):
        assert (left.focus, left.others, left.passing) == (right.focus, right.others, right.passing)
        assert (left.earlier_hands, right.earlier_hands) == (0, REMEMBERED)


def test_who_ignores_earlier_hands_gains_exactly_nothing(tmp_path):
    focus = parse_spec("engine:simulations=20,worlds=2,belief=OM-1")
    cells = [
        Cell("duck", hands, focus, Spec("duck"), passing="cycle", earlier_hands=hands)
        for hands in (0, 2)
    ]
    results = {
        cell: play_cell(cell, 3, 0, ONE, Outputs(tmp_path), lambda results: None) for cell in cells
    }
    assert improvements(results) == {"duck": Interval(0.0, 0.0, 0.0)}
    before, after = results.values()
    assert [each.tables for each in before] == [each.tables for each in after]
    assert any(each.difference for each in before)


def test_the_change_is_that_of_each_deal():
    focus, others = Spec("careless"), Spec("duck")
    before, after = (
        play_cell(Cell("line", 0, each, others), 4, 0, ONE, Outputs(), lambda results: None)
        for each in (focus, Spec("cautious"))
    )
    changes = [b.difference - a.difference for a, b in zip(before, after, strict=True)]
    assert paired(before, after).mean == pytest.approx(sum(changes) / 4)
