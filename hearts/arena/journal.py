"""The journal of a tournament: a header line, then one line for every finished deal.

An interrupted tournament resumes from its journal. An incomplete last line is dropped.
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
    """The file name of a tournament's journal in a folder of journals."""
    late = f" from {tournament.from_score}" if tournament.from_score else ""
    known = f" after {tournament.earlier_hands}" if tournament.earlier_hands else ""
    noted = " with predictions" if tournament.predictions else ""
    text = f"{tournament.published()!r}{late}{known}{noted}"
    return f"{crc32(text.encode()):08x}.jsonl"


class Journal:
    """Appends finished deals to a file, and reads those that it already has."""

    def __init__(self, path: Path, tournament: Tournament) -> None:
        self.path = path
        self.header: dict[str, Any] = {
            "format": FORMAT,
            "tournament": _plain(tournament.as_object()),
            # The whole configs: levels and defaults may change between versions.
            "engines": _plain([tournament.focus.resolved(), tournament.others.resolved()]),
        }
        self.finished = {result.deal: result for result in self._read()}
        # Rewrite the file, to drop an incomplete line.
        write_lines(path, [self.header, *(each.as_object() for each in self.finished.values())])

    def add(self, result: DealResult) -> None:
        """Append the line of a finished deal."""
        append_lines(self.path, [result.as_object()])
        self.finished[result.deal] = result

    def _read(self) -> list[DealResult]:
        if not self.path.exists() or not self.path.stat().st_size:
            return []
        lines = read_lines(self.path)
        self._compare(lines[0] if lines else None)
        self.header = lines[0]
        return [deal_result_of(line) for line in lines[1:]]

    def _compare(self, header: Any) -> None:
        """Fail if a header belongs to another tournament, or to other engine configs."""
        if not isinstance(header, dict) or _played_in(header) != _played_in(self.header):
            raise InvalidRecord(str(self.path), "is the journal of another tournament")
        engines = map(canonical, header.get("engines", ()))
        for then, now in zip(engines, self.header["engines"], strict=False):
            # Options newer than the journal are not compared: their defaults change nothing.
            changed = [name for name in then if now.get(name) != then[name]]
            if changed:
                reason = f"was played with {changed[0]} {then[changed[0]]!r}"
                raise InvalidRecord(str(self.path), f"{reason}, not {now.get(changed[0])!r}")


def _played_in(header: Mapping[str, Any]) -> tuple[Any, Any]:
    """The format and the tournament of a header, with the current names of options."""
    tournament = header.get("tournament")
    if not isinstance(tournament, dict):
        return None, None
    sides = {side: canonical(tournament.get(side, {})) for side in ("focus", "others")}
    return header.get("format"), tournament | sides


def _plain(value: Any) -> Any:
    """A value after a round trip through JSON, so that headers can be compared."""
    return json.loads(json.dumps(value))


def append_lines(path: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Append objects to a file, one line each."""
    with path.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(each, separators=(",", ":")) + "\n" for each in objects)


def write_lines(path: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Replace a file by objects, one line each, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    append_lines(fresh, objects)
    fresh.replace(path)


def read_lines(path: Path) -> list[Any]:
    """The objects of a file, one per line; an incomplete last line is dropped."""
    lines = path.read_text(encoding="utf-8").splitlines()
    objects = []
    for number, line in enumerate(lines, 1):
        try:
            objects.append(json.loads(line))
        except ValueError:
            if number < len(lines):
                raise InvalidRecord(f"{path}: line {number}", "is not JSON") from None
    return objects
