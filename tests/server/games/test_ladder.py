"""The ladder of levels: written by `hearts ladder` from journals, shown by the service."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from hearts.arena.experiments import levels
from hearts.arena.journal import Journal, journal_name
from hearts.arena.referee import Spending
from hearts.arena.results import DealResult, Table
from server.cli import main
from server.games.ladder import shipped
from server.http.schemas.ladder import LadderReply

DEALS = 3


def won_by_the_focus(deal):
    """A deal in both seatings: the focus takes 6 points, the others 20."""
    seats = ((0, 2), (1, 3))
    tables = tuple(
        Table(focus, (tuple(3 if seat in focus else 10 for seat in range(4)),), (None,), digest=n)
        for n, focus in enumerate(seats)
    )
    spent = Spending(moves=26, seconds=1.3, cpu_seconds=1.3)
    return DealResult(deal, tables, spent, spent)


@pytest.fixture
def journals(tmp_path):
    """Journals of the experiment in which every level beats the one below."""
    folder = tmp_path / "experiments" / "levels"
    for cell in levels(quick=False).cells:
        tournament = cell.tournament(seed=0)
        journal = Journal(folder / journal_name(tournament), tournament)
        for deal in range(DEALS):
            journal.add(won_by_the_focus(deal))
    return folder


def ladder(journals, out):
    words = ["ladder", "--journals", str(journals.parent), "--out", str(out)]
    return CliRunner().invoke(main, words)


def test_what_tournaments_found_becomes_the_ladder(journals, tmp_path):
    told = ladder(journals, tmp_path / "ladder.json")
    assert told.exit_code == 0, told.output
    best_first = ["expert", "hard", "medium", "easy", "cautious"]
    assert [line.split(":")[0] for line in told.stdout.splitlines()] == best_first
    found = shipped(tmp_path / "ladder.json")
    assert [each["player"] for each in found["players"]] == best_first
    assert [(rung["deals"], rung["difference"]) for rung in found["rungs"]] == [(DEALS, -7)] * 4
    assert found["stale"] == []
    assert LadderReply().validate({"status": "success", "warnings": [], **found}) == {}


def test_levels_that_have_changed_since_are_said_to_be_stale(journals, tmp_path):
    out = tmp_path / "ladder.json"
    assert ladder(journals, out).exit_code == 0
    written = json.loads(out.read_text())
    written["levels"]["hard"]["worlds"] += 1
    del written["levels"]["easy"]["worlds"]  # an option that did not exist yet says nothing
    out.write_text(json.dumps(written))
    assert shipped(out)["stale"] == ["hard"]


def test_what_was_not_played_is_not_shown(journals, tmp_path):
    assert shipped(tmp_path / "none.json")["players"] == []
    next(journals.iterdir()).unlink()
    told = ladder(journals, tmp_path / "ladder.json")
    assert (told.exit_code, "hearts experiment levels" in told.output) == (1, True)
    assert not (tmp_path / "ladder.json").exists()


def test_a_ladder_is_shipped():
    found = shipped()
    assert found["measured"]
    assert [each["player"] for each in found["players"]][:3] == ["expert", "hard", "medium"]
    assert found["stale"] == []
