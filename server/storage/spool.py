"""Decisions on disk while the database does not answer: lines of JSON, bounded.

A line is handed to the operating system in one write and not synced: it outlives the process, not
a power cut. To empty the spool, its file is renamed first, so that nobody writes to what is read;
a renamed file that is left behind is read by the next one, also after a restart. Entries may so
come twice: the database knows them by their `uid`. What a database will not take is put aside, in
a file of its own that nobody reads but people: renamed to `decisions-again.jsonl`, it is tried
again.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import structlog

log = structlog.stdlib.get_logger("hearts.spool")

Entry = Mapping[str, Any]
BATCH = 200  # entries that are handed over together


class Spool:
    """A folder with one file that grows, and perhaps some that are being emptied."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit  # limit: bytes
        self.file = folder / "decisions.jsonl"
        self.aside = folder / "unknown.jsonl"

    @property
    def size(self) -> int:
        """How many bytes wait; 0 where nothing was ever spooled."""
        return sum(_size(path) for path in self.folder.glob("decisions*.jsonl"))

    def add(self, entry: Entry) -> bool:
        """Keep an entry; False where the spool is full or the disk refuses."""
        return self._append(entry, self.file, lambda: self.size)

    def put_aside(self, entry: Entry) -> str | None:
        """Keep an entry for people to look at; the file's name, None where it is full."""
        added = self._append(entry, self.aside, lambda: _size(self.aside))
        return self.aside.name if added else None

    def empty(self, write: Callable[[list[Entry]], object]) -> int:
        """Hand everything to `write`, and forget it once that has returned; returns how much."""
        done = 0
        for path in self._set_aside():
            entries = _entries(path)
            while batch := list(islice(entries, BATCH)):
                write(batch)
                done += len(batch)
            path.unlink(missing_ok=True)
        return done

    def _append(self, entry: Entry, file: Path, size: Callable[[], int]) -> bool:
        """Add a line to a file, unless the limit or the disk is in the way."""
        line = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
        try:
            with self._locked():
                return size() + len(line) <= self.limit and _write_line(file, line)
        except OSError as error:
            log.error("the spool cannot be written", reason=error.strerror)
            return False

    def _set_aside(self) -> list[Path]:
        """The files to be emptied; the one that grew is renamed and becomes one of them."""
        if not self.folder.exists():
            return []
        with self._locked():
            if self.file.exists():
                self.file.rename(self.folder / f"decisions-{secrets.token_hex(4)}.jsonl")
        return sorted(self.folder.glob("decisions-*.jsonl"))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One thread of one process at a time."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _write_line(file: Path, line: bytes) -> bool:
    with file.open("ab", buffering=0) as stream:
        written = stream.write(line)
        if written == len(line):
            return True
        # A full disk took a part: what is left of it must not spoil the next line.
        os.truncate(file, stream.tell() - (written or 0))
        return False


def _entries(path: Path) -> Iterator[Entry]:
    """The entries of a file; a line that is none, as it was cut short, is skipped, and said so."""
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                entry = _entry(line)
                if entry is not None:
                    yield entry
                else:
                    log.error("a spooled line cannot be read", file=path.name, line=number)
    except FileNotFoundError:  # another process has emptied it
        return


def _entry(line: bytes) -> Entry | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "uid" in found else None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
