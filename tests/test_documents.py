"""What the documents point at exists, their commands are valid, nothing was left to fill in."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import suppress

import click
import pytest

from server.cli import main
from tests.docs.markdown import DOCUMENTS, LINK, ROOT, commands, read

TO_FILL_IN = re.compile(r"@[A-Z]+@|\bTODO\b|\bFIXME\b")
FOLDERS = "hearts|models|server|migrations|tests|docs|examples"
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")
PLACE = re.compile(r"`(\w+)` in `([\w/]+\.py)`")
# The changelog tells of files that are gone.
CURRENT = [document for document in DOCUMENTS if document.name != "CHANGELOG.md"]
EXPERIMENTS = sorted((ROOT / "docs" / "experiments").glob("0*.md"))


def name(path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_lead_somewhere_and_nothing_is_left_to_fill_in(document):
    text = read(document)
    local = [link for link in LINK.findall(text) if "://" not in link]
    assert [link for link in local if not (document.parent / link).exists()] == []
    assert TO_FILL_IN.findall(text) == []


@pytest.mark.parametrize("document", CURRENT, ids=name)
def test_files_that_are_named_exist(document):
    assert [path for path in PATH.findall(read(document)) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", CURRENT, ids=name)
def test_names_that_are_said_to_be_in_a_file_are_there(document):
    told = PLACE.findall(read(document))
    assert [(word, path) for word, path in told if word not in read(ROOT / path)] == []


def test_there_are_documents_with_links():
    assert len(DOCUMENTS) > 5
    assert any(LINK.search(read(document)) for document in DOCUMENTS)


def check_hearts(words: list[str]) -> None:
    """Let click read a command line, without running it."""
    command: click.Command = main
    while isinstance(command, click.Group):
        if words == ["--help"]:
            return
        _, command, words = command.resolve_command(click.Context(command), words)
    with suppress(click.exceptions.Exit):  # of --help
        command.make_context(command.name, words)


def check_make(words: list[str]) -> None:
    subprocess.run(["make", "--dry-run", *words], cwd=ROOT, check=True, capture_output=True)


def check_pytest(words: list[str]) -> None:
    assert all((ROOT / word).exists() for word in words)


def check_python(words: list[str]) -> None:
    option, module, *_ = words
    assert option == "-m"
    assert (ROOT / f"{module.replace('.', '/')}.py").exists()


# curl commands are executed elsewhere: tests.docs
CHECKS = {
    "curl": lambda words: None,
    "hearts": check_hearts,
    "make": check_make,
    "pytest": check_pytest,
    "python": check_python,
}


@pytest.mark.parametrize("document", [d for d in CURRENT if commands(read(d))], ids=name)
def test_commands_are_valid(document, monkeypatch):
    monkeypatch.chdir(ROOT)
    for program, *words in commands(read(document)):
        known = program.rpartition("/")[2]
        assert known in CHECKS, f"no check for the command {program}"
        CHECKS[known](words)


def test_invalid_commands_are_noticed():
    with pytest.raises(click.UsageError):
        check_hearts(["experiment", "budgets", "--deels", "5"])
    with pytest.raises(click.UsageError):
        check_hearts(["experiment", "bogus"])
    with pytest.raises(AssertionError):
        check_python(["-m", "tests.nowhere"])
    with pytest.raises(subprocess.CalledProcessError):
        check_make(["bogus"])


@pytest.mark.parametrize("page", EXPERIMENTS, ids=name)
def test_every_experiment_has_its_four_parts_and_is_listed(page):
    text = read(page)
    assert re.match(rf"# {page.name[:3]} \S", text)
    for part in ("**Question.**", "**Command.**", "**Result.**", "**Decision.**"):
        assert text.count(part) == 1, part
    assert f"]({page.name})" in read(page.with_name("index.md"))


def test_experiments_are_numbered_without_gaps():
    numbers = [int(page.name[:3]) for page in EXPERIMENTS]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_site_builds_and_asks_nobody_else(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    pages = list(tmp_path.rglob("*.html"))
    assert {tmp_path / "index.html", tmp_path / "API_SPEC.html"} <= set(pages)
    foreign = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"?https?:[^>]*>")
    found = [match for page in pages for match in foreign.findall(page.read_text("utf-8"))]
    assert [match for match in found if 'rel="canonical"' not in match] == []
