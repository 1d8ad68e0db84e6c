"""`hearts stats` and `hearts decisions`: what people read, and numbers that cannot be."""

from __future__ import annotations

from dataclasses import fields, replace
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from hearts.arena.statistics import Interval
from server.cli import main
from server.cli.games.stats import COLUMNS, table
from server.games.statistics import Line, plot_statistics

NOTHING = Line(**{each.name: 0 for each in fields(Line)} | {"interval": None, "config": None})


def test_columns_stand_apart_and_in_line():
    wide = replace(NOTHING, name="ann", points=-12.5, interval=Interval(-12.5, -112.25, 100.25))
    far = replace(NOTHING, name="bob", hands=123_456_789, points=1234.5)
    groups = table([wide, far]).splitlines()
    assert [len(row.split("ann")[-1].replace(" … ", "…").split()) for row in groups] == [
        len(COLUMNS),
        len(COLUMNS),
        len(COLUMNS) + 1,  # with the name
    ]
    assert len({len(row) for row in groups}) == 1
    assert "-112.25 … 100.25" in groups[1]


def test_a_figure_has_a_row_for_each_of_the_first_lines(tmp_path):
    alike = [replace(NOTHING, kind=kind, name="ann") for kind in ("human", "client", "client")]
    others = [replace(NOTHING, kind="client", name=f"player {n}") for n in range(60)]
    plot_statistics(tmp_path / "points.svg", [*alike, *others])
    text = " ".join(ElementTree.parse(tmp_path / "points.svg").getroot().itertext())
    assert all(name in text for name in ("ann", "ann (client)", "ann (2)", "player 46"))
    assert "player 47" not in text


@pytest.mark.parametrize(
    "words",
    [
        ("stats", "--judge", "-5"),
        ("decisions", "replay", "9" * 23),
        ("decisions", "show", "9" * 23),
        ("decisions", "show", "0"),
    ],
)
def test_numbers_that_cannot_be_are_refused(words, tmp_path, monkeypatch):
    monkeypatch.setenv("HEARTS_DATABASE_URL", f"sqlite:///{tmp_path / 'hearts.db'}")
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(main, words)
    assert (refused.exit_code, "is not in the range" in refused.stderr) == (2, True), refused.output
