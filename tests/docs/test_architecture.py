"""docs/ARCHITECTURE.md is true: it names every module, and nothing that does not exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.docs.markdown import ROOT, read, tables

TEXT = read(ROOT / "docs" / "ARCHITECTURE.md")
PACKAGES = ("hearts", "models", "server")
STATIC = ROOT / "server" / "web" / "static"
NAME = re.compile(r"`([\w]+\.py)`")
IMPORTED = re.compile(r'^(?:import|\} from|import .* from) "\./([\w-]+)\.js"', re.MULTILINE)
# What SQL is written with; Engine, Connection and exceptions may be named anywhere.
SQL = {"select", "insert", "update", "delete", "text", "func", "Table", "Column"}


def named() -> list[str]:
    """The paths of all modules in the tables; a heading is the folder of the modules below."""
    return [
        f"{table.heading}/{name}"
        for table in tables(TEXT)
        if table.head == ["module", "contents"]
        for row in table.lines
        for name in NAME.findall(row[0])
    ]


def existing() -> list[str]:
    """The paths of all modules in the repository."""
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return [str(path.relative_to(ROOT)) for path in found if path.name != "__init__.py"]


def test_every_module_is_named_once_and_exists():
    assert sorted(named()) == sorted(existing())


def web_modules() -> list[str]:
    """The modules of the pages, in the order of the table."""
    (table,) = [each for each in tables(TEXT) if each.heading == "server/web"]
    return [name for row in table.lines for name in re.findall(r"`([\w-]+)`", row[0])]


def test_every_module_of_the_pages_is_named_once_and_exists():
    assert sorted(web_modules()) == sorted(path.stem for path in STATIC.glob("*.js"))


def test_modules_of_the_pages_import_only_those_listed_before_them():
    order = web_modules()
    imports = {name: IMPORTED.findall(read(STATIC / f"{name}.js")) for name in order}
    later = [
        (name, other)
        for name, found in imports.items()
        for other in found
        if order.index(other) >= order.index(name)
    ]
    assert later == []
    assert sum(map(len, imports.values())) > 100  # the pattern finds them


def test_all_places_that_answer_503_are_named():
    made = re.compile(r"(?<!class )\b(?:Busy|NotReady)\(")
    places = {path for path in existing() if made.search(read(ROOT / path))}
    (row,) = [line for line in TEXT.splitlines() if line.startswith("| what returns a 503? |")]
    named_there = set(re.findall(r"`([\w/]+\.py)`", row))
    assert places | {"server/runtime/errors.py"} == named_there


def imported_from_sqlalchemy(path: Path) -> Iterator[str]:
    """The names that a module imports from SQLAlchemy."""
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlalchemy"):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            found = [alias.name for alias in node.names if alias.name.startswith("sqlalchemy")]
            yield from SQL if found else ()


def test_all_sql_is_in_storage():
    modules = {path: set(imported_from_sqlalchemy(ROOT / path)) & SQL for path in existing()}
    writing = {path for path, found in modules.items() if found}
    assert writing
    assert [path for path in writing if not path.startswith("server/storage/")] == []
