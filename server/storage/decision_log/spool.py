"""A bounded spool of decisions on disk, as lines of JSON.

A line is one write to the operating system without a sync: it survives the process, not a power
cut. To empty the spool, its file is renamed, so that nobody writes to a file that is read. A
renamed file that is left behind is read next time, also after a restart. So entries may be written
twice; the database knows them by `uid`. Entries that the database rejects go to `unknown.jsonl`,
which only people read; renamed to `decisions-again.jsonl`, it is tried again.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import cast

import structlog

from server.storage.decisions import DecisionEntry

log = structlog.stdlib.get_logger("hearts.spool")

BATCH = 200  # entries of one transaction


class Spool:
    """A folder with one file that grows, and perhaps files that are being emptied."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit  # limit: bytes
        self.file = folder / "decisions.jsonl"
        self.rejects = folder / "unknown.jsonl"

    @property
    def size(self) -> int:
        """The bytes that wait for the database."""
        return sum(_size(path) for path in self.folder.glob("decisions*.jsonl"))

    def add(self, entry: DecisionEntry) -> bool:
        """Add an entry; False if the spool is full or cannot be written."""
        return self._append(entry, self.file, lambda: self.size)

    def add_reject(self, entry: DecisionEntry) -> str | None:
        """Keep an entry that the database rejects; returns the file's name, None if it is full."""
        added = self._append(entry, self.rejects, lambda: _size(self.rejects))
        return self.rejects.name if added else None

    def empty(self, write: Callable[[list[DecisionEntry]], object]) -> int:
        """Pass all entries to `write` in batches and delete them; returns how many there were."""
        done = 0
        for path in self._rename_file():
            entries = _entries(path)
            while batch := list(islice(entries, BATCH)):
                write(batch)
                done += len(batch)
            path.unlink(missing_ok=True)
        return done

    def _append(self, entry: DecisionEntry, file: Path, size: Callable[[], int]) -> bool:
        """Append a line to a file, unless that exceeds the limit or fails."""
        line = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
        try:
            with self._locked():
                return size() + len(line) <= self.limit and _write_line(file, line)
        except OSError as error:
            log.error("the spool cannot be written", reason=error.strerror)
            return False

    def _rename_file(self) -> list[Path]:
        """The files to be emptied, with the one that grew among them under a new name."""
        if not self.folder.exists():
            return []
        with self._locked():
            if self.file.exists():
                self.file.rename(self.folder / f"decisions-{secrets.token_hex(4)}.jsonl")
        return sorted(self.folder.glob("decisions-*.jsonl"))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock of the spool, which all threads and processes share."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _write_line(file: Path, line: bytes) -> bool:
    with file.open("ab", buffering=0) as stream:
        written = stream.write(line)
        if written == len(line):
            return True
        # A full disk took a part of the line: remove it, so that the next line stays readable.
        os.truncate(file, stream.tell() - (written or 0))
        return False


def _entries(path: Path) -> Iterator[DecisionEntry]:
    """The entries of a file; a line that cannot be read is skipped and logged."""
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                entry = _entry(line)
                if entry is not None:
                    yield entry
                else:
                    log.error("a spooled line cannot be read", file=path.name, line=number)
    except FileNotFoundError:  # another process has emptied the spool
        return


def _entry(line: bytes) -> DecisionEntry | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return cast(DecisionEntry, found) if isinstance(found, dict) and "uid" in found else None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
