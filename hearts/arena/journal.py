"""The journal of a tournament: a line for what is played, then one for every finished deal.

A tournament that is interrupted goes on from its journal: the deals in it are not played again. A
last line that was cut off in the middle is dropped. Records of hands are kept in a file of their
own, which on resuming is trimmed to the deals of the journal, so that each hand is in it once.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hearts.arena.results import DealResult, deal_result_of
from hearts.arena.tournament import Tournament
from hearts.errors import InvalidRecord

FORMAT = "hearts-arena-1"


class Journal:
    """Appends finished deals to a file, and knows those that it found there."""

    def __init__(self, path: Path, tournament: Tournament, records: Path | None = None) -> None:
        self.path, self.records = path, records
        self.header = {"format": FORMAT, "tournament": _plain(tournament.as_object())}
        self.finished = {result.deal: result for result in self._read()}
        self._write_all()
        if records is not None:
            _trim(records, self.finished)

    def add(self, result: DealResult) -> None:
        """Write a finished deal down, its records first: the deal counts once its line is there."""
        if self.records is not None:
            _append(self.records, result.records)
        _append(self.path, [result.as_object()])
        self.finished[result.deal] = result

    def _read(self) -> list[DealResult]:
        if not self.path.exists():
            return []
        lines = _whole_lines(self.path)
        if not lines:
            return []
        if lines[0] != self.header:
            raise InvalidRecord(str(self.path), "is the journal of another tournament")
        return [deal_result_of(line) for line in lines[1:]]

    def _write_all(self) -> None:
        """Write the file anew, so that a line that was cut off is gone."""
        fresh = self.path.with_name(self.path.name + ".new")
        fresh.unlink(missing_ok=True)
        _append(fresh, [self.header, *(result.as_object() for result in self.finished.values())])
        fresh.replace(self.path)


def _plain(value: Any) -> Any:
    """A value as it comes back from JSON, so that headers can be compared."""
    return json.loads(json.dumps(value))


def _append(path: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    with path.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(each, separators=(",", ":")) + "\n" for each in objects)


def _whole_lines(path: Path) -> list[Any]:
    """The objects of a file's lines; only the last line may be cut off."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(json.loads(line))
        except ValueError:
            if number < len(lines):
                raise InvalidRecord(f"{path}: line {number}", "is no JSON") from None
    return found


def _trim(path: Path, finished: Mapping[int, DealResult]) -> None:
    kept = _whole_lines(path) if path.exists() else []
    path.unlink(missing_ok=True)
    _append(path, [record for record in kept if record.get("deal") in finished])
