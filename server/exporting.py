"""Hands on their way out: game records, a text for people, and tables for analysis.

A hand that came as a record leaves as it came; one that was played here says its game, its number
and its players, by which `hearts import` puts games together again.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Engine

from hearts.cards import SEATS, name
from hearts.records import Record
from server.hand_text import text_of
from server.store.games import game
from server.store.hands import hands
from server.store.listing import oldest
from server.store.values import GameRow, HandRow, Seat

TEXT_FORMATS = ("jsonl", "text", "csv")
CONTENT_TYPES = {"jsonl": "application/x-ndjson", "text": "text/plain", "csv": "text/csv"}
# One row per play: what was played, by whom, and what is known of the hand it belongs to.
COLUMNS = (
    "game", "hand", "source", "rules", "pass_direction", "number", "trick", "place", "player",
    "name", "kind", "card", "winner", "points",
)  # fmt: skip
WHOLE = ("hand", "number", "trick", "place", "player", "winner", "points")
PAGE = 100  # games that are read together


@dataclass(frozen=True)
class Exported:
    """A hand, and who played it."""

    hand: HandRow
    seats: tuple[Seat, ...]

    @property
    def record(self) -> Record:
        """The hand as a game record."""
        found = self.hand.record
        if self.hand.as_recorded:
            return found
        number = self.hand.number
        players = [seat.player.as_object() for seat in self.seats]
        extra: dict[str, Any] = {"game": self.hand.game_id, "hand": number, "players": players}
        if self.hand.commitment is not None:  # so that `hearts verify` can check the deal
            extra |= {"commitment": self.hand.commitment, "nonce": self.hand.nonce}
        return replace(found, id=f"{self.hand.game_id}-{number}", extra=extra)


def shown_hands(game: GameRow, hands: Iterable[HandRow]) -> list[Exported]:
    """The hands of a game that may be shown whole: of a table only those that are over."""
    return [
        Exported(hand, game.seats)
        for hand in hands
        if game.kind != "table" or hand.finished_at is not None
    ]


def exported_games(
    engine: Engine, *, game_id: str | None = None, source: str | None = None
) -> Iterator[Exported]:
    """The hands of all games that may be shown, the oldest first, a few games at a time."""
    after = None
    while True:
        with engine.connect() as connection:
            ids, after = oldest(connection, PAGE, after, game_id=game_id, source=source)
            found = {game_id: game(connection, game_id) for game_id in ids}
            kept = hands(connection, ids)
        for hand in kept:
            row = found[hand.game_id]
            if row is not None:
                yield from shown_hands(row, [hand])
        if after is None:
            return


def write_text(path: Path | None, exported: Iterable[Exported], form: str) -> int:
    """Write an export to a file, or to the standard output; returns how many hands it has."""
    counted = _Counted(exported)
    with _opened(path) as stream:
        stream.writelines(lines(counted, form))
    return counted.count


def write_parquet(path: Path, exported: Iterable[Exported]) -> int:
    """Write the plays of hands as Parquet, by way of a file of CSV; returns how many hands."""
    import polars as pl  # comes with the extra `analysis`

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        rows_file = Path(folder) / "plays.csv"
        written = write_text(rows_file, exported, "csv")
        kinds = {column: pl.Int64 if column in WHOLE else pl.String for column in COLUMNS}
        # Both are streams: the whole is never in memory.
        pl.scan_csv(rows_file, schema=kinds).sink_parquet(path)
    return written


class _Counted:
    """Hands that are counted as they go by."""

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
        with gzip.open(path, "wt", encoding="utf-8", newline="") as packed:
            yield packed
    else:
        with path.open("w", encoding="utf-8", newline="") as plain:
            yield plain


def lines(exported: Iterable[Exported], form: str) -> Iterator[str]:
    """The lines of an export, each with its end."""
    if form == "csv":
        yield csv_line(COLUMNS)
    for each in exported:
        if form == "jsonl":
            yield json.dumps(each.record.as_object(), separators=(",", ":")) + "\n"
        elif form == "csv":
            yield from (csv_line(row) for row in rows(each))
        else:
            yield text_of(each.hand, each.record, each.seats) + "\n"


def rows(each: Exported) -> Iterator[Sequence[Any]]:
    """The plays of a hand, a row each, as COLUMNS names them."""
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
        yield (
            *about, number, trick, place, seat, player.name, player.kind, name(card), winner, points
        )  # fmt: skip


def csv_line(values: Iterable[Any]) -> str:
    """One line of CSV, as RFC 4180 has it."""
    line = io.StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()
