"""Every command and every Python example of the README is executed."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.server.service import hearts

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
# Fences stand at the start of a line; what follows the opening one is the language.
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXECUTED = ("sh", "python")
SHOWN_ONLY = ("", "json", "text")


def blocks(language: str) -> list[str]:
    """The README's blocks in `language`."""
    return [body for name, body in BLOCK.findall(README.read_text("utf-8")) if name == language]


def commands() -> list[str]:
    """The README's shell commands, continued lines joined, comments left out."""
    joined = "\n".join(blocks("sh")).replace("\\\n", " ")
    words = [shlex.split(line, comments=True) for line in joined.splitlines()]
    return [shlex.join(line) for line in words if line]


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
    kinds = {name for name, _ in BLOCK.findall(README.read_text("utf-8"))}
    assert kinds <= {*EXECUTED, *SHOWN_ONLY}
    fences = re.findall(r"^\s*(?:```|~~~)", README.read_text("utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(BLOCK.findall(README.read_text("utf-8")))


def test_the_two_commands_are_there():
    assert {"make run", "make test"} <= set(commands())


@pytest.mark.parametrize("command", commands())
def test_command(command, tmp_path):
    program, *arguments = shlex.split(command)
    if program in ("hearts", ".venv/bin/hearts"):
        run_hearts(arguments, tmp_path)
    elif program == "make":
        check_make(arguments)
    else:
        pytest.fail(f"the README has a command that this test does not know how to run: {command}")


@pytest.mark.parametrize("block", blocks("python"))
def test_python_block(block):
    if ">>>" not in block:
        exec(compile(block, str(README), "exec"), {"__name__": "readme"})
        return
    example = doctest.DocTestParser().get_doctest(block, {}, "README", str(README), 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert result.failed == 0
