"""Imports files of game records, in batches and with constant memory.

A record without the field `game` is a game of one hand, whose id is a digest of its content.
Consecutive records with the same `game` are the hands of one game, and may have its `target_score`.
So a file that is imported again adds nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError

from hearts.game.errors import InvalidRecord
from hearts.game.records import Record, parse_record, read_lines
from server.games.records.record_adapter import check_match, check_texts, players_of, target_of
from server.storage.bulk import RecordedGame, add_games, missing_hands
from server.storage.games import writing
from server.storage.values import RECORD, NewGame, Seat, id_of, is_id

BATCH = 200  # games in one transaction


@dataclass
class Imported:
    """The result of an import."""

    files: int = 0
    hands: int = 0  # without faults
    games: int = 0  # new ones
    known: int = 0  # games that were stored before
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.hands} hands, {self.games} new games, {self.known} known before, "
            f"{len(self.faults)} faults"
        )


def import_files(
    engine: Engine,
    files: Iterable[Path],
    source: str | None = None,
    watch: Callable[[str, Iterator[Record]], Iterable[Record]] = lambda _, records: records,
) -> Imported:
    """Import the records of files; a faulty record is reported and skipped.

    `source` replaces that of the records; `watch` may observe the records of a file.
    """
    done = Imported()
    for file in files:
        done.files += 1
        records = watch(file.name, _records(file, done))
        games = _matches(games_of(records, source), file, done)
        while batch := list(islice(games, BATCH)):
            try:
                new, missing = _store(engine, batch)
            except IntegrityError:  # another process has imported the same games
                new, missing = _store(engine, batch)
            done.games += len(new)
            done.known += len({each.game.id for each in batch}) - len(new)
            done.hands += sum(len(each.records) for each in batch) - len(missing)
            for game_id, record in missing:
                reason = f"hand {record.id!r} is not kept: the game was there without it"
                done.faults.append(f"{file}: game {game_id}: {reason}")
    return done


def _store(
    engine: Engine, batch: Sequence[RecordedGame]
) -> tuple[list[str], list[tuple[str, Record]]]:
    """Store a batch; returns the ids of new games, and hands that known games do not have."""
    with writing(engine) as connection:
        return add_games(connection, batch), missing_hands(connection, batch)


def games_of(records: Iterable[Record], source: str | None = None) -> Iterator[RecordedGame]:
    """Group records into games."""
    for key, group in groupby(enumerate(records), key=_game_key):
        found = [record for _, record in group]
        if source is not None:
            found = [replace(record, source=source) for record in found]
        first = found[0]
        rules = first.deal.rules
        target = target_of(first) if isinstance(key, str) else None
        if target is None and len(found) > 1:
            target = rules.target_score
        game = NewGame(
            id=key if isinstance(key, str) else content_id(first),
            kind=RECORD,
            rules=rules,
            seats=tuple(map(Seat, players_of(first, first.source))),
            target_score=target,
            source=first.source,
        )
        yield RecordedGame(game, found)


def content_id(record: Record) -> str:
    """The id of the game of a record without one: a digest of the record."""
    canonical = json.dumps(record.as_object(), sort_keys=True, separators=(",", ":"))
    return id_of(sha256(canonical.encode()).digest())


def _game_key(numbered: tuple[int, Record]) -> str | int:
    """A key that only the hands of one game share."""
    number, record = numbered
    return _named_game(record) or number


def _named_game(record: Record) -> str | None:
    game = record.extra.get("game")
    return game if isinstance(game, str) and is_id(game) else None


def _matches(games: Iterable[RecordedGame], file: Path, done: Imported) -> Iterator[RecordedGame]:
    """The games whose hands can be those of one match; others are reported."""
    for each in games:
        try:
            check_match(each.records)
        except InvalidRecord as error:
            done.faults.append(f"{file}: game {each.game.id}: {error}")
        else:
            yield each


def _records(file: Path, done: Imported) -> Iterator[Record]:
    """The valid records of a file; others are reported."""
    try:
        for number, line in read_lines(file):
            try:
                record = parse_record(line)
                check_texts(record)
                players_of(record, record.source)
                if _named_game(record):
                    target_of(record)
                yield record
            except InvalidRecord as error:
                done.faults.append(f"{file}: line {number}: {error}")
    except OSError as error:
        done.faults.append(f"{file}: {error.strerror or error}")
    except InvalidRecord as error:
        done.faults.append(f"{file}: {error}")
