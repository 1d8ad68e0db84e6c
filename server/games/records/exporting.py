"""Exports hands: as game records, as text for people, and as tables of plays.

A single hand that came as a record is exported unchanged. Other records also have their game, hand,
players and target score, by which `hearts import` puts games together again.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from sqlalchemy import Engine

from hearts.game.cards import SEATS, name
from hearts.game.errors import InvalidRecord
from hearts.game.records import Record
from server.games.access import OPERATOR, Access, access_to, complete_hands
from server.games.records.hand_text import text_of
from server.games.records.record_adapter import players_of
from server.storage.games import game, reading
from server.storage.hands import hands
from server.storage.listing import oldest
from server.storage.values import GameRow, HandRow, Seat

CONTENT_TYPES = {"jsonl": "application/x-ndjson", "text": "text/plain", "csv": "text/csv"}
# The columns of a table of plays.
COLUMNS = (
    "game", "hand", "source", "rules", "pass_direction", "number", "trick", "place", "player",
    "name", "kind", "card", "winner", "points", "played_at",
)  # fmt: skip
INTEGERS = ("hand", "number", "trick", "place", "player", "winner", "points")
PAGE = 100  # games of one query


@dataclass(frozen=True)
class Exported:
    """A hand with the players and the target score of its game."""

    hand: HandRow
    seats: tuple[Seat, ...]
    target_score: int | None = None  # None: a single hand

    @property
    def record(self) -> Record:
        """The hand as a game record."""
        found = self.hand.record
        if self._is_complete:
            return found
        game, number = self.hand.game_id, self.hand.number
        players = [seat.player.as_object() for seat in self.seats]
        extra = {**found.extra, "game": game, "hand": number, "players": players}
        if self.target_score is not None:
            extra["target_score"] = self.target_score
        if self.hand.commitment is not None:  # so that `hearts verify` can check the deal
            extra |= {"commitment": self.hand.commitment, "nonce": self.hand.nonce}
        label = found.id if self.hand.as_recorded else f"{game}-{number}"
        return replace(found, id=label, extra=extra)

    @property
    def _is_complete(self) -> bool:
        """Whether the hand came as a record that has all facts of its game."""
        record = self.hand.record
        if not self.hand.as_recorded or self.target_score is not None:
            return False
        try:
            return players_of(record, record.source) == [seat.player for seat in self.seats]
        except InvalidRecord:  # its `players` mean something else
            return False


def shown_hands(game: GameRow, hands: Iterable[HandRow], access: Access) -> list[Exported]:
    """The hands of a game that may be shown completely."""
    shown = complete_hands(access, hands)
    return [Exported(hand, game.seats, game.target_score) for hand in shown]


def exported_games(
    engine: Engine, *, game_id: str | None = None, source: str | None = None
) -> Iterator[Exported]:
    """The hands that may be shown of all games, the oldest first, read in pages."""
    after = None
    while True:
        with reading(engine) as connection:
            ids, after = oldest(connection, PAGE, after, game_id=game_id, source=source)
            found = {game_id: game(connection, game_id) for game_id in ids}
            kept = hands(connection, ids)
        for hand in kept:
            row = found[hand.game_id]
            if row is not None:
                yield from shown_hands(row, [hand], access_to(row, OPERATOR))
        if after is None:
            return


def write_text(path: Path | None, exported: Iterable[Exported], form: str) -> int:
    """Write an export to a file or to the standard output; returns the number of hands."""
    counted = _Counted(exported)
    with _opened(path) as stream:
        stream.writelines(lines(counted, form))
    return counted.count


def write_parquet(path: Path, exported: Iterable[Exported]) -> int:
    """Write the plays of hands as Parquet, through a CSV file; returns the number of hands."""
    import polars as pl  # of the extra `analysis`

    with _replaced(path) as new, tempfile.TemporaryDirectory(dir=new.parent) as folder:
        csv_file = Path(folder) / "plays.csv"
        written = write_text(csv_file, exported, "csv")
        kinds = {column: pl.Int64 if column in INTEGERS else pl.String for column in COLUMNS}
        moments = pl.col("played_at").str.to_datetime(time_unit="us", time_zone="UTC")
        # Both stream, so that memory does not grow with the export.
        pl.scan_csv(csv_file, schema=kinds).with_columns(moments).sink_parquet(new)
    return written


class _Counted:
    """Counts hands while they are iterated."""

    def __init__(self, exported: Iterable[Exported]) -> None:
        self.exported, self.count = exported, 0

    def __iter__(self) -> Iterator[Exported]:
        for each in self.exported:
            self.count += 1
            yield each


@contextmanager
def _opened(path: Path | None) -> Iterator[IO[str]]:
    if path is None:
        yield sys.stdout
    elif path.suffix == ".gz":
        with _replaced(path) as new, gzip.open(new, "wt", encoding="utf-8", newline="") as packed:
            yield packed
    else:
        with _replaced(path) as new, new.open("w", encoding="utf-8", newline="") as plain:
            yield plain


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """A temporary file that replaces `path` once it is complete."""
    if path.exists() and not path.is_file():  # a device or a pipe
        yield path
        return
    target = path.resolve()
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        new = Path(folder) / target.name
        yield new
        os.replace(new, target)


def lines(exported: Iterable[Exported], form: str) -> Iterator[str]:
    """The lines of an export, with line ends."""
    if form == "csv":
        yield csv_line(COLUMNS)
    for each in exported:
        if form == "jsonl":
            yield json.dumps(each.record.as_object(), separators=(",", ":")) + "\n"
        elif form == "csv":
            yield from map(csv_line, plays_of(each))
        else:
            yield text_of(each.hand, each.record, each.seats) + "\n"


def plays_of(each: Exported) -> Iterator[Sequence[object]]:
    """The plays of a hand: the values of COLUMNS for each."""
    record, deal = each.hand.record, each.hand.record.deal
    rules = deal.rules.as_value()
    about = (
        each.hand.game_id,
        each.hand.number,
        record.source,
        rules if isinstance(rules, int) else json.dumps(rules),
        deal.direction.label,
    )
    tricks = (*deal.tricks, deal.trick)
    for number, (seat, card) in enumerate(deal.plays):
        trick, place = divmod(number, SEATS)
        winner = tricks[trick].winner if tricks[trick].complete else None
        player = each.seats[seat].player
        points = None if record.points is None else record.points[seat]
        at = each.hand.played_at[number]
        yield (
            *about, number, trick, place, seat, player.name, player.kind, name(card), winner,
            points, None if at is None else at.isoformat(timespec="microseconds"),
        )  # fmt: skip


def csv_line(values: Iterable[object]) -> str:
    """One line of CSV (RFC 4180)."""
    line = io.StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()
