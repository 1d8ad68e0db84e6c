"""What is kept while deals are played: the journal, and every hand where somebody wants them.

The hands of a deal are kept before its line is in the journal. So a run that is interrupted may
have left hands of a deal that does not count; when that deal is played again, they are replaced.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from hearts.arena.journal import Journal, append_lines, journal_name, whole_lines, write_lines
from hearts.arena.results import DealResult
from hearts.arena.tournament import Tournament
from hearts.game.errors import InvalidConfig, InvalidRecord


class HandStore(Protocol):
    """Where the hands of a tournament are kept: a file of records, a database."""

    def begin(self, finished: Collection[int]) -> None:
        """Get ready to go on after these deals; refuse where hands of one of them are missing."""

    def add(self, result: DealResult) -> None:
        """Keep the hands of a deal, in place of what was left of it."""


class RecordFile(HandStore):
    """A file of game records, one line per hand."""

    def __init__(self, path: Path, tournament: Tournament) -> None:
        self.path = path
        self.tournament = tournament

    def begin(self, finished: Collection[int]) -> None:
        """Trim the file to the finished deals, so that each hand is in it once."""
        found = whole_lines(self.path) if self.path.exists() else []
        if not all(map(self.tournament.owns, found)):
            raise InvalidRecord(str(self.path), "has other hands too: name another file")
        kept = [record for record in found if record["deal"] in finished]
        refuse_missing(str(self.path), finished, {record["deal"] for record in kept})
        write_lines(self.path, kept)

    def add(self, result: DealResult) -> None:
        """Write the records of a deal."""
        append_lines(self.path, result.records)


def refuse_missing(place: str, finished: Collection[int], kept: Collection[int]) -> None:
    """Refuse to go on where hands of a finished deal were not kept: nobody would notice later."""
    missing = sorted(set(finished) - set(kept))
    if missing:
        reason = f"lacks the hands of deal {missing[0]}, which the journal has: begin a new journal"
        raise InvalidRecord(place, reason)


@dataclass(frozen=True)
class Keeping:
    """What a run is asked to keep."""

    journal: Path | None = None  # finished deals, to resume from
    records: Path | None = None  # every hand as a game record
    hands: HandStore | None = None  # every hand there too

    def __post_init__(self) -> None:
        if self.records is not None and self.journal is None:
            raise InvalidConfig("records", "are kept beside a journal: name one too")

    def of(self, tournament: Tournament) -> "Keeping":
        """What is kept of one among several tournaments: journal and records are folders then."""
        return replace(
            self,
            journal=_file_in(self.journal, tournament),
            records=_file_in(self.records, tournament),
        )


def _file_in(folder: Path | None, tournament: Tournament) -> Path | None:
    if folder is None:
        return None
    return folder / journal_name(tournament)


class Keeper:
    """Keeps finished deals as it was asked to, and knows those that were kept before."""

    def __init__(self, keeping: Keeping, tournament: Tournament) -> None:
        self.journal = Journal(keeping.journal, tournament) if keeping.journal else None
        records = RecordFile(keeping.records, tournament) if keeping.records else None
        self.stores = [store for store in (records, keeping.hands) if store is not None]
        self.finished = dict(self.journal.finished) if self.journal else {}
        for store in self.stores:
            store.begin(self.finished.keys())

    @property
    def wants_hands(self) -> bool:
        """Whether anybody keeps hands."""
        return bool(self.stores)

    def add(self, result: DealResult) -> DealResult:
        """Keep a finished deal; the result without its hands, which need no memory any more."""
        for store in self.stores:
            store.add(result)
        if self.journal is not None:
            self.journal.add(result)
        return result.without_hands()
