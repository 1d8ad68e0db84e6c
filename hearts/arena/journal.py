"""The journal of a tournament: a line for what is played, then one for every finished deal.

A tournament that is interrupted goes on from its journal: the deals in it are not played again. A
last line that was cut off in the middle is dropped.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

from hearts.arena.results import DealResult, deal_result_of
from hearts.arena.tournament import Tournament
from hearts.engine.config import canonical
from hearts.game.errors import InvalidRecord

FORMAT = "hearts-arena-1"


def journal_name(tournament: Tournament) -> str:
    """The name of a tournament's journal in a folder that has those of several."""
    return f"{crc32(repr(tournament.published()).encode()):08x}.jsonl"


class Journal:
    """Appends finished deals to a file, and knows those that it found there."""

    def __init__(self, path: Path, tournament: Tournament) -> None:
        self.path = path
        self.header: dict[str, Any] = {
            "format": FORMAT,
            "tournament": _plain(tournament.as_object()),
            # A level or a default that changes makes another player of the same name.
            "engines": _plain([tournament.focus.resolved(), tournament.others.resolved()]),
        }
        self.finished = {result.deal: result for result in self._read()}
        # Anew, so that a line that was cut off is gone.
        write_lines(path, [self.header, *(each.as_object() for each in self.finished.values())])

    def add(self, result: DealResult) -> None:
        """Write a finished deal down: it counts once its line is there."""
        append_lines(self.path, [result.as_object()])
        self.finished[result.deal] = result

    def _read(self) -> list[DealResult]:
        if not self.path.exists() or not self.path.stat().st_size:
            return []
        lines = whole_lines(self.path)
        self._compare(lines[0] if lines else None)
        self.header = lines[0]
        return [deal_result_of(line) for line in lines[1:]]

    def _compare(self, found: Any) -> None:
        """Refuse the header of another tournament, or of one whose engines searched otherwise."""
        if not isinstance(found, dict) or _played_in(found) != _played_in(self.header):
            raise InvalidRecord(str(self.path), "is the journal of another tournament")
        engines = map(canonical, found.get("engines", ()))
        for then, now in zip(engines, self.header["engines"], strict=False):
            # An option that is newer than the journal has its default, which is as it was before.
            changed = [name for name in then if now.get(name) != then[name]]
            if changed:
                reason = f"is of an engine with {changed[0]} {then[changed[0]]!r}"
                raise InvalidRecord(str(self.path), f"{reason}, not {now.get(changed[0])!r}")


def _played_in(header: Mapping[str, Any]) -> tuple[Any, Any]:
    """The format and the tournament of a header, under the names that options have now."""
    tournament = header.get("tournament")
    if not isinstance(tournament, dict):
        return None, None
    sides = {side: canonical(tournament.get(side, {})) for side in ("focus", "others")}
    return header.get("format"), tournament | sides


def _plain(value: Any) -> Any:
    """A value as it comes back from JSON, so that headers can be compared."""
    return json.loads(json.dumps(value))


def append_lines(path: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Write objects to the end of a file, one line each."""
    with path.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(each, separators=(",", ":")) + "\n" for each in objects)


def write_lines(path: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Write a file of objects, one line each; what was there stays until all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    append_lines(fresh, objects)
    fresh.replace(path)


def whole_lines(path: Path) -> list[Any]:
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
