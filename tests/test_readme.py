"""All commands and examples of the README run, and those of the page on the command line."""

from __future__ import annotations

import doctest
import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, all_blocks, blocks, commands, read
from tests.server.service import hearts

README = ROOT / "README.md"
TEXT = read(README)
COMMANDS = [*commands(TEXT), *commands(read(ROOT / "docs" / "guide" / "command-line.md"))]
EXECUTED = ("sh", "python")
SHOWN_ONLY = ("", "json", "text")


def run_hearts(arguments: list[str], directory: Path) -> None:
    """Run `hearts` in the repository, with a database of its own."""
    settings = {"HEARTS_DATABASE_URL": f"sqlite:///{directory / 'hearts.db'}"}
    for command in (["database", "upgrade"], arguments):
        done = hearts(*command, cwd=ROOT, **settings)
        assert done.returncode == 0, done.stderr


def check_make(arguments: list[str]) -> None:
    """Ask make whether it knows the targets; running `make test` here would never end."""
    subprocess.run(["make", "--dry-run", *arguments], cwd=ROOT, check=True, capture_output=True)


def test_every_block_is_of_a_known_kind():
    assert {block.language for block in all_blocks(TEXT)} <= {*EXECUTED, *SHOWN_ONLY}
    fences = re.findall(r"^\s*(?:```|~~~)", TEXT, re.MULTILINE)
    assert len(fences) == 2 * len(all_blocks(TEXT))


def test_it_fits_on_two_screens():
    assert len(TEXT.splitlines()) <= 110


def test_the_two_commands_are_there():
    assert COMMANDS[:2] == [["make", "run"], ["make", "test"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_command(command, tmp_path):
    program, *arguments = command
    if program in ("hearts", ".venv/bin/hearts"):
        run_hearts(arguments, tmp_path)
    elif program == "make":
        check_make(arguments)
    else:  # its requests are sent by tests.docs.test_guide
        assert program == "curl", f"no way is known to run {program}"


@pytest.mark.parametrize("block", blocks(TEXT, "python"))
def test_python_block(block):
    example = doctest.DocTestParser().get_doctest(block, {}, "README", str(README), 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert (result.failed, result.attempted > 0) == (0, True)
