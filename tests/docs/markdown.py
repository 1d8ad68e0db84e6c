"""Markdown files as the tests read them: code blocks, commands, tables, links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
# Fences stand at the start of a line; what follows the opening one is the language.
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


class Table(NamedTuple):
    """A table: its cells by row, and the latest heading above it."""

    heading: str
    head: list[str]
    rows: list[list[str]]


def read(path: Path) -> str:
    """The text of a document."""
    return path.read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    """The code blocks of a text in one language."""
    return [body for name, body in BLOCK.findall(text) if name == language]


def commands(text: str) -> list[list[str]]:
    """The shell commands of a text as words; continued lines joined, comments left out."""
    joined = "\n".join(blocks(text, "sh")).replace("\\\n", " ")
    words = [shlex.split(line, comments=True) for line in joined.splitlines()]
    return [line for line in words if line]


def tables(text: str) -> Iterator[Table]:
    """All tables of a text, in order."""
    heading, lines = "", []
    for line in [*BLOCK.sub("", text).splitlines(), ""]:
        if line.startswith("|"):
            lines.append([cell.strip() for cell in line.strip("|").split("|")])
        elif lines:
            yield Table(heading, lines[0], lines[2:])
            lines = []
        if found := HEADING.match(line):
            heading = found[1]
