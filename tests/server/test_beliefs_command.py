"""`hearts beliefs`: figures as JSON and as a table, a plot, a fit."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli import main

DATA = Path(__file__).parents[1] / "data" / "xinxin-10k-dev.jsonl.gz"


def run(*arguments):
    result = CliRunner().invoke(main, ["beliefs", *map(str, arguments)])
    return result.exit_code, result.output


def test_figures_of_every_model(tmp_path):
    plot = tmp_path / "beliefs.svg"
    code, output = run("evaluate", DATA, "--hands", 2, "--json", "--neutralise", "--plot", plot)
    assert code == 0, output
    found = json.loads(output)
    assert found["hands"] == 2
    assert set(found["models"]) == {"OM-0", "OM-1", "OM-2"}
    wanted = {"log_loss", "by_trick", "brier", "calibration", "tssr", "ms_per_view"}
    for figures in found["models"].values():
        assert wanted <= set(figures)
        assert 0.2 < figures["log_loss"] < 1.2
    assert plot.read_text().startswith("<?xml")


def test_a_table_for_people():
    code, output = run("evaluate", DATA, "--hands", 1, "--models", "OM-0,OM-1")
    assert code == 0, output
    assert "log-loss by trick" in output


def test_a_fit_is_written_and_judged(tmp_path):
    out = tmp_path / "styles.json"
    code, output = run("fit", DATA, "--out", out, "--styles", 2, "--rounds", 2)
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
        (["evaluate", DATA, "--styles", DATA], "is no book of styles"),
    ],
)
def test_what_is_wrong_is_said(arguments, message):
    code, output = run(*arguments)
    assert code == 1
    assert message in output
