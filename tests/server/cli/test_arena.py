"""`hearts arena` and `hearts experiment`, as processes."""

import io
import json
import math
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hearts.arena.experiments import EXPERIMENTS
from hearts.arena.referee import Spending
from hearts.arena.results import DealResult, Side, Table
from hearts.arena.stopping import Sprt
from hearts.game.records import read_records
from server.cli import main
from server.cli.research.arena import columns, progress_bar
from server.cli.research.arena_config import split_players
from tests.server.service import HEARTS, hearts, wait_until

SCRIPT = Path(__file__).parents[2] / "hearts" / "players" / "scripted.py"
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


@pytest.fixture
def arena(tmp_path, monkeypatch) -> Callable[..., Result]:
    """Runs `hearts arena` in this process, in an empty folder, with rough intervals of ratings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hearts.arena.ratings.RESAMPLES", 20)
    return lambda *arguments: CliRunner().invoke(main, ["arena", *arguments])


def output_of(result: Result) -> dict:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_duel_for_programs(tmp_path):
    arguments = ("arena", "random", "cautious", "--deals", "15", "--json")
    first, again = (hearts(*arguments, "--jobs", jobs, cwd=tmp_path) for jobs in "12")
    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    assert first.stderr == again.stderr == ""  # a bar is shown on terminals only
    found = json.loads(first.stdout)
    assert (found["deals"], found["hands"]) == (15, 60)
    assert found["difference"]["low"] > 3
    assert found["focus"]["faults"] == found["others"]["faults"] == {}
    assert json.loads(again.stdout)["difference"] == found["difference"]


def test_a_duel_for_people_with_everything_kept(arena, tmp_path):
    result = arena(
        *("cautious", "careless", "--deals", "4", "--jobs", "1", "--pairs"),
        *("--journal", "j.jsonl", "--records", "hands.jsonl", "--plot", "figure.svg"),
    )
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("cautious against careless, 2 against 2, no passing, seed 0\n")
    assert "4 deals × 6 seatings, 24 hands" in result.stdout
    assert len(list(read_records(tmp_path / "hands.jsonl"))) == 24
    assert (tmp_path / "figure.svg").read_text().startswith("<?xml")
    assert len((tmp_path / "j.jsonl").read_text().splitlines()) == 5


def test_the_14_seatings_of_two_players(arena, tmp_path):
    duel = ("cautious", "careless", "--deals", "3", "--jobs", "1", "--passing", "cycle")
    kept = ("--journal", "j.jsonl", "--records", "hands.jsonl", "--plot", "figure.svg")
    result = arena(*duel, "--seatings", "all", *kept)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("cautious against careless, all seatings, passing cycle")
    assert "3 deals × 14 seatings, 42 hands" in result.stdout
    assert len(re.findall(" points per hand, 28 seats\n", result.stdout)) == 2
    assert len(list(read_records(tmp_path / "hands.jsonl"))) == 42
    assert (tmp_path / "figure.svg").read_text().startswith("<?xml")
    found = output_of(arena(*duel, "--seatings", "all", *kept, "--json"))
    assert (found["tournament"]["seats"], found["hands"]) == ("all", 42)
    assert found["difference"]["mean"] < 0
    assert found["points_per_hand"] < found["others_points_per_hand"]


def test_pairs_are_seatings(arena):
    duel = ("cautious", "careless", "--deals", "2", "--jobs", "1", "--json")
    named = [("--pairs",), ("--seatings", "pairs"), ("--pairs", "--seatings", "pairs")]
    first, *others = (output_of(arena(*duel, *each))["difference"] for each in named)
    assert others == [first, first]
    single = [output_of(arena(*duel, *each)) for each in ((), ("--seatings", "single"))]
    assert [each["tournament"]["seats"] for each in single] == ["single", "single"]


def test_a_sequential_test(arena):
    duel = ("cautious", "random", "--jobs", "1", "--deals", "100")
    result = arena(*duel, "--sprt", "-3", "0")
    assert result.exit_code == 0, result.stderr
    assert "20 deals × 4 seatings" in result.stdout
    (line,) = re.findall("^SPRT +(.*)$", result.stdout, re.MULTILINE)
    assert re.match(r"LLR \+\d+\.\d\d \(-2\.94 … \+2\.94\): ", line)
    assert line.endswith(": accepted H1 (difference ≤ -3) after 20 deals")
    found = output_of(arena(*duel, "--sprt", "-3", "0", "--json"))
    assert (found["deals"], found["sprt"]["decision"]) == (20, "H1")
    assert found["sprt"]["llr"] > found["sprt"]["bounds"][1] == pytest.approx(2.944, abs=0.001)
    worse = output_of(arena("random", "cautious", *duel[2:], "--sprt", "-3", "0", "--json"))
    assert (worse["deals"], worse["sprt"]["decision"]) == (20, "H0")


def test_a_sequential_test_may_stay_undecided(arena):
    duel = ("cautious", "duck", "--jobs", "1", "--deals", "3", "--sprt", "-0.01", "0")
    assert "): undecided after 3 deals\n" in arena(*duel).stdout
    errors = ("--alpha", "0.01", "--beta", "0.1")
    found = output_of(arena(*duel, *errors, "--json"))["sprt"]
    assert (found["alpha"], found["beta"], found["decision"]) == (0.01, 0.1, "undecided")
    assert found["bounds"] == pytest.approx([math.log(0.1 / 0.99), math.log(0.9 / 0.01)])


def test_an_adjusted_duel(arena):
    duel = ("cautious", "duck", "--jobs", "1", "--deals", "3", "--adjusted")
    text = arena(*duel).stdout
    assert re.search(
        r"^adjusted +-\d\.\d\d \(.*\) points per hand, variance ÷ \d", text, re.MULTILINE
    )
    found = output_of(arena(*duel, "--json"))
    assert found["tournament"]["proxy"] == "cautious"
    adjusted, raw = found["adjusted"]["difference"], found["difference"]
    assert adjusted["high"] - adjusted["low"] < raw["high"] - raw["low"]
    assert found["adjusted"]["variance_ratio"] > 1
    same = output_of(arena("duck", "duck", *duel[2:], "--json"))
    assert (
        same["adjusted"]["difference"] == same["difference"] == dict.fromkeys(same["difference"], 0)
    )
    assert same["adjusted"]["variance_ratio"] is None


def test_an_adjusted_duel_stops_by_the_adjusted_interval(arena):
    duel = ("cautious", "duck", "--jobs", "1", "--deals", "60", "--until", "0.3", "--json")
    assert output_of(arena(*duel, "--adjusted"))["deals"] == 20
    assert output_of(arena(*duel))["deals"] == 60


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("duck", "random", "--adjusted"), "the policy of random is not known"),
        (("duck", "cautious", "--adjusted", "--matches"), "hands of a match"),
        (("duck", "cautious", "--adjusted", "--proxy", "easy"), "'easy' is unknown"),
        (("duck", "cautious", "--proxy", "duck"), "--proxy is for --adjusted"),
        (("--ladder", "duck,cautious", "--adjusted"), "counts the tables won"),
    ],
)
def test_tournaments_that_cannot_be_adjusted(arena, arguments, reason):
    result = arena(*arguments, "--deals", "2", "--jobs", "1")
    assert result.exit_code != 0
    assert reason in result.stderr


def test_a_config_file_may_name_a_sequential_test(arena, tmp_path):
    (tmp_path / "arena.toml").write_text("[tournament]\ndeals = 2\njobs = 1\nsprt = [-0.5, 0]\n")
    found = output_of(arena("random", "duck", "--config", "arena.toml", "--json"))
    assert (found["sprt"]["low"], found["sprt"]["high"]) == (-0.5, 0.0)


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_progress_bar_shows_a_sequential_test(monkeypatch):
    monkeypatch.setattr("server.cli.research.arena.REDRAW_SECONDS", 0)
    monkeypatch.setattr("sys.stderr", Terminal())
    table = Table((0,), ((1, 5, 7, 13),), (None,), 0)
    results = [DealResult(0, (table,), Spending(), Spending())]
    with progress_bar("a vs b", 9, Sprt(-1.0, 0.0)) as progress:
        progress(results)
        assert "-7.33 (-7.33 … -7.33), LLR +0.15 (-2.94 … +2.94)" in sys.stderr.getvalue()


def test_a_run_that_is_killed_goes_on_from_its_journal(arena, tmp_path):
    duel = ("careless", "random", "--deals", "150", "--jobs", "1", "--json")
    journal = tmp_path / "j.jsonl"
    process = subprocess.Popen([HEARTS, "arena", *duel, "--journal", journal], cwd=tmp_path)
    wait_until(lambda: journal.exists() and journal.read_text().count("\n") > 3, 120)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    before = journal.read_text()
    assert before.count("\n") < 150
    whole = output_of(arena(*duel))
    found = output_of(arena(*duel, "--journal", "j.jsonl"))
    same = ("deals", "hands", "difference", "win_rate", "points_per_hand")
    assert [found[each] for each in same] == [whole[each] for each in same]
    assert journal.read_text().startswith(before[: before.rindex("\n")])


def test_a_config_file_names_players_and_options(arena, tmp_path):
    (tmp_path / "arena.toml").write_text(CONFIG)
    arguments = ("script", "steady", "--config", "arena.toml", "--json")
    found = output_of(arena(*arguments, "--deals", "2"))
    assert (found["deals"], found["tournament"]["seed"]) == (2, 9)
    assert found["tournament"]["passing"] == "cycle"
    assert found["focus"]["faults"]["illegal"] > 10
    assert found["others"]["faults"] == {}


def test_matches_end_at_the_target(arena):
    result = arena("cautious", "random", "--deals", "1", "--matches", "--jobs", "1")
    assert "of matches" in result.stdout


def test_a_ladder_rates_all(arena, tmp_path):
    arguments = ("--ladder", "random,cautious,careless", "--deals", "8", "--jobs", "1")
    found = output_of(arena(*arguments, "--json", "--plot", "ladder.svg"))
    assert [each["player"] for each in found["ladder"]] == ["cautious", "careless", "random"]
    assert len(found["pairs"]) == 3
    assert "cautious" in (tmp_path / "ladder.svg").read_text()


def test_a_ladder_of_all_seatings(arena, tmp_path):
    arguments = ("--ladder", "random,cautious", "--seatings", "all", "--deals", "3", "--jobs", "1")
    found = output_of(arena(*arguments, "--json", "--journal", "journals"))
    assert [each["player"] for each in found["ladder"]] == ["cautious", "random"]
    (journal,) = (tmp_path / "journals").iterdir()
    _, *deals = map(json.loads, journal.read_text().splitlines())
    assert [len(deal["tables"]) for deal in deals] == [14] * 3


def test_a_ladder_goes_on_from_its_journals(arena, tmp_path):
    players = ("--ladder", "random,cautious,careless", "--jobs", "1", "--json")
    kept = ("--journal", "journals", "--records", "hands")
    whole = output_of(arena(*players, "--deals", "4"))
    output_of(arena(*players, *kept, "--deals", "3"))
    journals = sorted((tmp_path / "journals").iterdir())
    assert len(journals) == 3
    journals[1].unlink()  # as if interrupted before the second pair
    (tmp_path / "hands" / journals[1].name).unlink()
    before = [path.read_text() for path in (journals[0], journals[2])]
    assert output_of(arena(*players, *kept, "--deals", "4")) == whole
    after = [path.read_text() for path in (journals[0], journals[2])]
    assert all(new.startswith(old) for old, new in zip(before, after, strict=True))
    records = [list(read_records(path)) for path in (tmp_path / "hands").iterdir()]
    assert [len(each) for each in records] == [4 * 6] * 3


def test_rules_are_a_mask_or_an_object_of_options(arena):
    def tournament(rules: str) -> dict:
        played = arena("random", "duck", "--deals", "1", "--jobs", "1", "--json", "--rules", rules)
        return output_of(played)["tournament"]

    assert tournament("4003")["rules"] == tournament('{"jack_bonus": true}')["rules"] == 4003
    assert tournament('{"moon": "shooter_subtracts"}')["rules"]["moon"] == "shooter_subtracts"


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
        (["random", "cautious", "--rules", "99999"], 1, "Error: rules: 99999"),
        (["random", "cautious", "--rules", "jack"], 1, "Error: rules: 'jack' is neither a bit"),
        (["random", "cautious", "--rules", '{"jack": true}'], 1, "Error: rules.jack: there is no"),
        (["random", "cautious", "--records", "r.jsonl"], 1, "only with a journal"),
        (["--ladder", "random"], 2, "two players or more"),
        (["--ladder", "random,duck,random"], 2, "each of them once"),
        (["random", "duck", "--ladder", "random,duck"], 2, "not both"),
        (
            ["random", "duck", "--pairs", "--seatings", "all"],
            2,
            "--pairs is --seatings pairs, not all",
        ),
        (["random", "duck", "--seatings", "three"], 2, "'three' is not one of"),
        (["--ladder", "random,duck", "--seatings", "single"], 2, "needs --seatings pairs or all"),
        (
            ["random", "duck", "--sprt", "0", "-1"],
            1,
            "Error: sprt: 0.0 -1.0: the first number must be",
        ),
        (
            ["random", "duck", "--sprt", "-1", "0", "--alpha", "0.6"],
            1,
            "Error: alpha: 0.6 is out of",
        ),
        (
            ["random", "duck", "--sprt", "-1", "0", "--until", "1"],
            2,
            "--until and --sprt are two rules",
        ),
        (["--ladder", "random,duck", "--sprt", "-1", "0"], 2, "tests two players, not a --ladder"),
        (["random", "duck", "--timeout", "0"], 1, "Error: timeout: 0.0 is out of range"),
        (["random", "duck", "--until", "-1"], 1, "Error: until: -1.0 is out of range"),
        (["random", "duck", "--journal", "/proc/j"], 1, "/proc/j"),
        (["http://a:99999", "duck", "--deals", "1"], 1, "write http://host:port"),
        (["http://127.0.0.1:9", "duck"], 1, "Error: player: http://127.0.0.1:9 does not answer: "),
        (["--ladder", "duck,http://127.0.0.1:9"], 1, "http://127.0.0.1:9 does not answer: "),
        (["engine:belief=OM-9", "duck", "--deals", "1"], 1, "'OM-9' is not installed"),
        (["--ladder", "random,duck", "--journal", "file"], 2, "file: a ladder wants a folder"),
        (["random", "cautious", "--journal", "."], 2, "--journal .: a duel wants a file"),
        (["random", "cautious", "--config", "none.toml"], 2, "No such file"),
    ],
)
def test_mistakes_are_one_line(arena, tmp_path, arguments, code, message):
    (tmp_path / "file").touch()
    result = arena(*arguments, "--jobs", "1")
    assert result.exit_code == code
    assert message in result.stderr
    assert isinstance(result.exception, SystemExit)  # no traceback


def test_columns_are_separated_however_long_their_texts_are():
    wide = Side(1e9, 1e9, 1e12, 1e13, 10**13, {"illegal": 10**6, "error": 10**6})
    lines = columns(wide, wide).splitlines()
    assert all(len(re.split(" {2,}", row)) == 3 for row in lines), lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tournament]\ndepth = 3\n", "[tournament] has no depth"),
        ("[tournamant]\ndeals = 3\n", "[tournamant] is unknown"),
        ("tournament = 3\n", "tournament: is not a table"),
        ("[players]\nx = 3\n", "x: is not a table"),
        ("[players.x]\nsimulations = 0\n", "simulations: 0 is out of range"),
        ("[tournament]\ndeals = 'x'\n", "'x' is not a valid integer"),
        ("[tournament", "Expected ']'"),
    ],
)
def test_mistakes_in_a_config_file_are_named(arena, tmp_path, text, message):
    (tmp_path / "arena.toml").write_text(text)
    result = arena("random", "duck", "--config", "arena.toml")
    assert result.exit_code == 2
    assert message in result.stderr
    assert isinstance(result.exception, SystemExit)


def test_a_config_file_may_have_everything(arena, tmp_path):
    (tmp_path / "arena.toml").write_text(
        "[tournament]\nladder = ['random', 'mine']\ndeals = 2\njobs = 1\njson = true\n"
        "equal-time = 5\nseatings = 'all'\n[players.mine]\nkind = 'careless'\n"
    )
    assert list(output_of(arena("--config", "arena.toml"))["pairs"]) == ["random vs mine"]


def test_every_experiment_is_there():
    result = CliRunner().invoke(main, ["experiment", "--help"])
    for name in EXPERIMENTS:
        assert name in result.stdout
