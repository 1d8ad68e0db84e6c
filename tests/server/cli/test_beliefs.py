"""`hearts beliefs`: scores as JSON and as a table, a plot, a fit."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hearts.game.records import read_records
from server.cli import main

DATA = Path(__file__).parents[2] / "data" / "xinxin-10k-dev.jsonl.gz"
FEW = ("--styles", 1, "--iterations", 1)


def run(*arguments):
    result = CliRunner().invoke(main, ["beliefs", *map(str, arguments)])
    return result.exit_code, result.output


def test_scores_of_every_model(tmp_path):
    plot = tmp_path / "beliefs.svg"
    code, output = run("evaluate", DATA, "--hands", 2, "--json", "--neutralise", "--plot", plot)
    assert code == 0, output
    found = json.loads(output)
    assert found["hands"] == 2
    assert set(found["models"]) == {"OM-0", "OM-1", "OM-2"}
    wanted = {"log_loss", "by_trick", "brier", "calibration", "tssr", "ms_per_view"}
    for scores in found["models"].values():
        assert wanted <= set(scores)
        assert 0.2 < scores["log_loss"] < 1.2
        losses = {str(trick["trick"]): trick["log_loss"] for trick in scores["tricks"]}
        assert losses == scores["by_trick"]
        for trick in scores["tricks"]:
            assert 0 <= trick["brier"] < 1
            assert {"tssr", "effective_worlds", "ms_per_view"} < set(trick)
    assert plot.read_text().startswith("<?xml")


def test_scores_as_a_table():
    code, output = run("evaluate", DATA, "--hands", 1, "--models", "OM-0,OM-1")
    assert code == 0, output
    assert "log-loss by trick" in output


def test_a_fit_is_written_and_evaluated(tmp_path):
    out = tmp_path / "styles.json"
    code, output = run("fit", DATA, "--out", out, "--styles", 2, "--iterations", 2)
    assert code == 0, output
    assert "68 hands fitted" in output
    assert "left out" in output
    code, output = run(
        "evaluate", DATA, "--hands", 1, "--models", "OM-2", "--styles", out, "--json"
    )
    assert code == 0, output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", DATA, "--models", "OM-9"], "OM-9"),
        (["evaluate", "nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["evaluate", DATA, "--styles", DATA], "is not a style book"),
        (["evaluate", "empty.jsonl"], "no hand reached the second trick"),
        (["evaluate", "wrong.jsonl"], "wrong.jsonl: line 1: rules: "),
        (["fit", "empty.jsonl", "--out", "styles.json"], "no hands to fit"),
        (["fit", DATA, "--out", "nowhere/styles.json"], "nowhere/styles.json: there is no such"),
        (["fit", "one.jsonl", "--out", "/dev/full", *FEW], "/dev/full: No space left"),
    ],
)
def test_errors_are_told(arguments, message, files):
    code, output = run(*arguments)
    assert code == 1
    assert output.startswith("Error: ")
    assert message in output


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", DATA, "--hands", 0],
        ["evaluate", DATA, "--seed", -1],
        ["fit", DATA, "--out", "styles.json", "--styles", 0],
        ["fit", DATA, "--out", "styles.json", "--rounds", 0],  # the former name of --iterations
        ["fit", DATA, "--out", "styles.json", "--iterations", 0],
        ["fit", DATA, "--out", "styles.json", "--penalty", -1],
    ],
)
def test_numbers_out_of_range_are_refused(arguments, files):
    code, output = run(*arguments)
    assert code == 2
    assert "is not in the range" in output


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with empty, invalid and unfinished records."""
    monkeypatch.chdir(tmp_path)
    record = next(iter(read_records(DATA))).as_object()
    early = {**record, "plays": record["plays"][:20], "points": None}
    for name, lines in (("empty", []), ("wrong", [{}]), ("one", [record]), ("early", [early])):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text)


def test_unfinished_hands_are_evaluated_and_fitted(files):
    code, output = run("evaluate", "early.jsonl", "--models", "OM-1", "--json")
    assert code == 0, output
    tricks = json.loads(output)["models"]["OM-1"]["by_trick"]
    assert list(tricks) == ["1", "2", "3", "4", "5"]
    code, output = run("fit", "early.jsonl", "one.jsonl", "--out", "styles.json", *FEW)
    assert code == 0, output
