"""The outputs of a tournament: its journal, and stores of all hands.

The hands of a deal are written before its line in the journal. So an interrupted run may leave
hands of an unfinished deal; they are replaced when that deal is played again.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from hearts.arena.journal import Journal, append_lines, journal_name, read_lines, write_lines
from hearts.arena.results import DealResult
from hearts.arena.tournament import Tournament
from hearts.game.errors import InvalidConfig, InvalidRecord


class HandStore(Protocol):
    """A store for the hands of a tournament: a file of records, or a database."""

    def begin(self, finished: Collection[int]) -> None:
        """Resume after these deals; fail if hands of one of them are missing."""

    def add(self, result: DealResult) -> None:
        """Write the hands of a deal; replace hands that an interrupted run has left."""


class RecordFile(HandStore):
    """A file of game records, one line per hand."""

    def __init__(self, path: Path, tournament: Tournament) -> None:
        self.path = path
        self.tournament = tournament

    def begin(self, finished: Collection[int]) -> None:
        """Trim the file to the finished deals."""
        records = read_lines(self.path) if self.path.exists() else []
        if not all(map(self.tournament.owns, records)):
            raise InvalidRecord(str(self.path), "has hands of another tournament: name a new file")
        kept = [record for record in records if record["deal"] in finished]
        refuse_missing(str(self.path), finished, {record["deal"] for record in kept})
        write_lines(self.path, kept)

    def add(self, result: DealResult) -> None:
        """Write the records of a deal."""
        append_lines(self.path, result.records)


def refuse_missing(place: str, finished: Collection[int], kept: Collection[int]) -> None:
    """Fail if a store lacks the hands of a deal that the journal has."""
    missing = sorted(set(finished) - set(kept))
    if missing:
        reason = f"lacks the hands of deal {missing[0]}, which the journal has: begin a new journal"
        raise InvalidRecord(place, reason)


@dataclass(frozen=True)
class Outputs:
    """Where a run writes its results."""

    journal: Path | None = None  # a line for each finished deal, to resume from
    records: Path | None = None  # every hand as a game record
    hands: HandStore | None = None  # another store of every hand

    def __post_init__(self) -> None:
        if self.records is not None and self.journal is None:
            raise InvalidConfig("records", "are written only with a journal: name one too")

    def of(self, tournament: Tournament) -> "Outputs":
        """The outputs of one of several tournaments, if journal and records are folders."""
        return replace(
            self,
            journal=_file_in(self.journal, tournament),
            records=_file_in(self.records, tournament),
        )


def _file_in(folder: Path | None, tournament: Tournament) -> Path | None:
    if folder is None:
        return None
    return folder / journal_name(tournament)


class ResultWriter:
    """Writes finished deals to the outputs, and holds those of earlier runs."""

    def __init__(self, outputs: Outputs, tournament: Tournament) -> None:
        self.journal = Journal(outputs.journal, tournament) if outputs.journal else None
        records = RecordFile(outputs.records, tournament) if outputs.records else None
        self.stores = [store for store in (records, outputs.hands) if store is not None]
        self.finished = dict(self.journal.finished) if self.journal else {}
        for store in self.stores:
            store.begin(self.finished.keys())

    @property
    def wants_hands(self) -> bool:
        """Whether any output needs the records of hands."""
        return bool(self.stores)

    def add(self, result: DealResult) -> DealResult:
        """Write a finished deal; return it without its records, to save memory."""
        for store in self.stores:
            store.add(result)
        if self.journal is not None:
            self.journal.add(result)
        return result.without_hands()
