"""`hearts replay`: check game records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
from tqdm import tqdm

from hearts.game.errors import InvalidRecord
from hearts.game.records import Record, parse_record, read_lines


@dataclass(frozen=True)
class Fault:
    """A record that does not replay, or a file that cannot be read."""

    file: str
    line: int | None  # None: the file itself cannot be read
    place: str
    reason: str

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}: "
        place = f"{self.place}: " if self.place else ""
        return f"{self.file}: {line}{place}{self.reason}"


@dataclass
class Summary:
    """The result of a replay."""

    files: int = 0
    hands: int = 0  # without a fault
    finished: int = 0  # those with all 52 cards
    plays: int = 0
    moons: int = 0
    faults: list[Fault] = field(default_factory=list)

    def count(self, record: Record) -> None:
        """Count a valid hand."""
        self.hands += 1
        self.finished += record.deal.finished
        self.plays += sum(1 for _ in record.deal.plays)
        self.moons += record.deal.shooter is not None

    def __str__(self) -> str:
        return (
            f"{self.hands} hands ({self.finished} finished), {self.plays} plays, "
            f"{self.moons} moons, {len(self.faults)} wrong"
        )


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
@click.pass_context
def replay(ctx: click.Context, files: tuple[Path, ...], as_json: bool) -> None:
    """Replay game records (.jsonl, .jsonl.gz): check every pass, every play and the points.

    Reports the place and the reason of every faulty record, and then exits with 1.
    """
    summary = Summary()
    for file in files:
        _replay_file(file, summary)
    click.echo(json.dumps(asdict(summary), indent=2) if as_json else str(summary))
    for fault in summary.faults if not as_json else ():
        click.echo(str(fault), err=True)
    ctx.exit(1 if summary.faults else 0)


def _replay_file(file: Path, summary: Summary) -> None:
    """Replay a file, with a progress bar on a terminal."""
    summary.files += 1
    lines = tqdm(_lines(file, summary), desc=file.name, unit=" hands", disable=None, leave=False)
    for number, line in lines:
        try:
            summary.count(parse_record(line))
        except InvalidRecord as error:
            summary.faults.append(Fault(str(file), number, error.field, error.reason))


def _lines(file: Path, summary: Summary) -> Iterator[tuple[int, str]]:
    """The lines of a file; if it cannot be read to its end, that is a fault."""
    try:
        yield from read_lines(file)
    except OSError as error:
        summary.faults.append(Fault(str(file), None, "", error.strerror or str(error)))
    except InvalidRecord as error:
        summary.faults.append(Fault(str(file), None, error.field, error.reason))
