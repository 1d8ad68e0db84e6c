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
BLOCK = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


class Block(NamedTuple):
    """A code block: its language, what else stands in the opening line, its text."""

    language: str
    about: str
    text: str


class Table(NamedTuple):
    """A table: its cells by line, and the latest heading above it."""

    heading: str
    head: list[str]
    lines: list[list[str]]


def read(path: Path) -> str:
    """The text of a document."""
    return path.read_text("utf-8")


def all_blocks(text: str) -> list[Block]:
    """The code blocks of a text."""
    return [Block(name, about.strip(), body) for name, about, body in BLOCK.findall(text)]


def blocks(text: str, language: str) -> list[str]:
    """The code blocks of a text in one language."""
    return [block.text for block in all_blocks(text) if block.language == language]


def commands(text: str) -> list[list[str]]:
    """The shell commands of a text as words; comments left out."""
    return [words for block in blocks(text, "sh") for words in split_commands(block)]


def split_commands(block: str) -> Iterator[list[str]]:
    """The commands of one block; a command goes on while a quotation or a backslash is open."""
    command = ""
    for line in block.splitlines():
        command += line + "\n"
        if line.endswith("\\") or command.replace("\\'", "").count("'") % 2:
            continue
        if words := shlex.split(command.replace("\\\n", " "), comments=True):
            yield words
        command = ""


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
