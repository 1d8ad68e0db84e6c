"""docs/operations.md against the code: every setting and every metric with its name and default."""

from __future__ import annotations

from dataclasses import fields

from server.runtime.settings import Settings, variable
from tests.docs.markdown import ROOT, read, tables
from tests.server.application import OPERATOR

TEXT = read(ROOT / "docs" / "operations.md")


def column(heading: str, place: int) -> list[str]:
    """The cells of a column of the table below a heading, without backticks."""
    (table,) = [each for each in tables(TEXT) if each.heading == heading]
    return [row[place].strip("`") for row in table.lines]


def test_every_setting_is_listed_with_its_default():
    defaults = {
        variable(each.name): str(each.default).replace("False", "false")
        for each in fields(Settings)
    }
    defaults["HEARTS_SLOTS"] = "number of cores"
    defaults["HEARTS_WORKERS"] = "number of cores, at most 4"
    shown = zip(column("Settings", 0), column("Settings", 1), strict=True)
    assert dict(shown) == defaults


def test_every_metric_is_listed(api):
    lines = api.client.get("/metrics", headers=OPERATOR).text.splitlines()
    served = {line.split()[2] for line in lines if line.startswith("# TYPE hearts_")}
    assert {name for name in served if not name.endswith("_created")} == set(
        column("Metrics and logs", 0)
    )
