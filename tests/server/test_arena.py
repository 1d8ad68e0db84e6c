"""`hearts arena` and `hearts experiment`, as processes."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from hearts.arena.experiments import EXPERIMENTS
from hearts.records import read_records
from server.cli.arena import split_players
from tests.server.service import hearts

SCRIPT = Path(__file__).parents[1] / "hearts" / "players" / "scripted.py"
CONFIG = f"""
[tournament]
deals = 3
seed = 9
passing = "cycle"
jobs = 1

[players.steady]
kind = "cautious"

[players.script]
kind = "command"
command = '''{shlex.join([sys.executable, str(SCRIPT), "illegal"])}'''
"""


def figures(result) -> dict:
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_a_duel_for_programs(tmp_path):
    arguments = ("arena", "random", "cautious", "--deals", "25", "--json")
    found = figures(hearts(*arguments, "--jobs", "1", cwd=tmp_path))
    assert (found["deals"], found["hands"]) == (25, 100)
    assert found["difference"]["low"] > 3
    assert found["focus"]["faults"] == found["others"]["faults"] == {}
    again = figures(hearts(*arguments, "--jobs", "2", cwd=tmp_path))
    assert again["difference"] == found["difference"]


def test_a_duel_for_people_with_everything_kept(tmp_path):
    result = hearts(
        *("arena", "cautious", "careless", "--deals", "4", "--jobs", "1", "--pairs"),
        *("--journal", "j.jsonl", "--records", "hands.jsonl", "--plot", "figure.svg"),
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("cautious against careless, 2 against 2, no passing, seed 0\n")
    assert "4 deals × 6 seatings, 24 hands" in result.stdout
    assert len(list(read_records(tmp_path / "hands.jsonl"))) == 24
    assert (tmp_path / "figure.svg").read_text().startswith("<?xml")
    assert len((tmp_path / "j.jsonl").read_text().splitlines()) == 5


def test_a_config_file_names_players_and_options(tmp_path):
    (tmp_path / "arena.toml").write_text(CONFIG)
    arguments = ("arena", "script", "steady", "--config", "arena.toml", "--json")
    found = figures(hearts(*arguments, "--deals", "2", cwd=tmp_path))
    assert (found["deals"], found["tournament"]["seed"]) == (2, 9)
    assert found["tournament"]["passing"] == "cycle"
    assert found["focus"]["faults"]["illegal"] > 10
    assert found["others"]["faults"] == {}


def test_matches_end_at_the_target(tmp_path):
    arguments = ("arena", "cautious", "random", "--deals", "1", "--matches", "--jobs", "1")
    result = hearts(*arguments, cwd=tmp_path)
    assert "of matches" in result.stdout


def test_a_ladder_rates_all(tmp_path):
    arguments = ("arena", "--ladder", "random,cautious,careless", "--deals", "8", "--jobs", "1")
    found = figures(hearts(*arguments, "--json", "--plot", "ladder.svg", cwd=tmp_path))
    assert [each["player"] for each in found["ladder"]] == ["cautious", "careless", "random"]
    assert len(found["pairs"]) == 3
    assert "cautious" in (tmp_path / "ladder.svg").read_text()


def test_a_ladder_goes_on_from_its_journals(tmp_path):
    players = ("arena", "--ladder", "random,cautious,careless", "--jobs", "1", "--json")
    kept = ("--journal", "journals", "--records", "hands")
    whole = figures(hearts(*players, "--deals", "4", cwd=tmp_path))
    figures(hearts(*players, *kept, "--deals", "3", cwd=tmp_path))
    journals = sorted((tmp_path / "journals").iterdir())
    assert len(journals) == 3
    journals[1].unlink()  # as if interrupted before the second pair
    (tmp_path / "hands" / journals[1].name).unlink()
    before = [path.read_text() for path in (journals[0], journals[2])]
    assert figures(hearts(*players, *kept, "--deals", "4", cwd=tmp_path)) == whole
    after = [path.read_text() for path in (journals[0], journals[2])]
    assert all(new.startswith(old) for old, new in zip(before, after, strict=True))
    records = [list(read_records(path)) for path in (tmp_path / "hands").iterdir()]
    assert [len(each) for each in records] == [4 * 6] * 3


def test_players_of_a_ladder_may_have_options():
    text = "engine:algorithm=ismcts,simulations=100,cautious,http://a:1?x=1,random"
    assert split_players(text) == [
        "engine:algorithm=ismcts,simulations=100",
        "cautious",
        "http://a:1?x=1",
        "random",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["goose", "random"], 1, "Error: player: 'goose' is unknown; choose random, careless"),
        (["random"], 2, "name the focus player and the others"),
        (["random", "cautious", "--deals", "0"], 1, "Error: deals: 0 is out of range"),
        (["random", "cautious", "--rules", "99999"], 1, "Error: rules 99999"),
        (["random", "cautious", "--records", "r.jsonl"], 1, "beside a journal"),
        (["--ladder", "random"], 2, "two players or more"),
        (["--ladder", "random,duck", "--journal", "file"], 2, "file: a ladder wants a folder"),
        (["random", "cautious", "--journal", "."], 2, "--journal .: a duel wants a file"),
        (["random", "cautious", "--config", "none.toml"], 2, "No such file"),
    ],
)
def test_mistakes_are_one_line(tmp_path, arguments, code, message):
    (tmp_path / "file").touch()
    result = hearts("arena", *arguments, cwd=tmp_path)
    assert result.returncode == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_option_in_a_config_file_is_named(tmp_path):
    (tmp_path / "arena.toml").write_text("[tournament]\ndepth = 3\n")
    result = hearts("arena", "random", "cautious", "--config", "arena.toml", cwd=tmp_path)
    assert result.returncode == 2
    assert "[tournament] knows no depth" in result.stderr


def test_every_experiment_is_there(tmp_path):
    result = hearts("experiment", "--help", cwd=tmp_path)
    for name in EXPERIMENTS:
        assert name in result.stdout
