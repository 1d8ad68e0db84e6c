"""docs/ARCHITECTURE.md is true: it names every module, and nothing that does not exist."""

from __future__ import annotations

import re

from tests.docs.markdown import ROOT, read, tables

TEXT = read(ROOT / "docs" / "ARCHITECTURE.md")
PACKAGES = ("hearts", "models", "server")
NAME = re.compile(r"`([\w]+\.py)`")


def named() -> list[str]:
    """The paths of all modules in the tables; a heading is the folder of the modules below."""
    return [
        f"{table.heading}/{name}"
        for table in tables(TEXT)
        if table.head == ["module", "holds"]
        for row in table.lines
        for name in NAME.findall(row[0])
    ]


def existing() -> list[str]:
    """The paths of all modules in the repository."""
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return [str(path.relative_to(ROOT)) for path in found if path.name != "__init__.py"]


def test_every_module_is_named_once_and_exists():
    assert sorted(named()) == sorted(existing())


def test_modules_of_the_pages_exist():
    (table,) = [each for each in tables(TEXT) if each.heading == "server/web"]
    modules = [name for row in table.lines for name in re.findall(r"`([\w-]+)`", row[0])]
    folder = ROOT / "server" / "web" / "static"
    assert [name for name in modules if not (folder / f"{name}.js").exists()] == []
