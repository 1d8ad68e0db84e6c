"""Game records: one JSON object per hand, one hand per line.

    {"id", "source", "rules": mask or object, "pass_direction": "left|right|across|hold",
     "dealt": 4 × 13 cards before the pass, "passed": 4 × 3 cards or [],
     "plays": up to 52 × {"player", "card"}, "points": 4 numbers}

Reading a record checks every play. The points of a finished hand must agree with its cards, moon
included; if the shooter may choose, either way of scoring is accepted. The points of an unfinished
hand are not checked. Unknown fields are kept.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import IO, Any, Literal, TypeVar

from hearts.game.cards import RANKS, SEATS, CardSet, count, name, names, parse_card, parse_cards
from hearts.game.deal import Deal
from hearts.game.errors import HeartsError, IllegalMove, InvalidCard, InvalidRecord, InvalidRules
from hearts.game.rules import PASS_SIZE, MoonScoring, PassDirection, Rules

T = TypeVar("T")
KNOWN = ("id", "source", "rules", "pass_direction", "dealt", "passed", "plays", "points")


@dataclass(frozen=True)
class Record:
    """One hand with its id, its source, and the points that the record states."""

    deal: Deal
    id: str = ""
    source: str = ""
    points: tuple[int, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # unknown fields

    @classmethod
    def of(cls, deal: Deal, id: str = "", source: str = "", **extra: Any) -> "Record":  # noqa: A002  # as in files
        """The record of a hand, with its points if it is finished."""
        return cls(deal, id, source, deal.final_points() if deal.finished else None, extra)

    def as_object(self) -> dict[str, Any]:
        """The record as JSON; without `points` if there are none."""
        deal = self.deal
        hold = deal.direction is PassDirection.HOLD
        result = {
            "id": self.id,
            "source": self.source,
            "rules": deal.rules.as_value(),
            "pass_direction": deal.direction.label,
            **self.extra,
            "dealt": [names(hand) for hand in deal.dealt],
            "passed": [] if hold else [names(cards) for cards in deal.passes],
            "plays": [{"player": seat, "card": name(card)} for seat, card in deal.plays],
        }
        return result if self.points is None else result | {"points": list(self.points)}


def parse_record(given: object) -> Record:
    """Read a record from JSON text, or from the object in it, and replay the hand."""
    fields = _decoded(given) if isinstance(given, str) else given
    if not isinstance(fields, Mapping):
        raise InvalidRecord("record", "must be an object")
    deal = _played(_passed(_dealt(fields), fields), fields)
    return Record(
        deal=deal,
        id=str(fields.get("id", "")),
        source=str(fields.get("source", "")),
        points=_points(deal, fields),
        extra={key: value for key, value in fields.items() if key not in KNOWN},
    )


def read_records(path: str | Path) -> Iterator[Record]:
    """Read the records of a .jsonl or .jsonl.gz file one by one; errors name the line."""
    for number, line in read_lines(path):
        try:
            yield parse_record(line)
        except InvalidRecord as error:
            raise InvalidRecord(f"line {number}: {error.field}", error.reason) from None


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers; the first line is 1."""
    number = 0
    with _opened(path, "rt") as stream:
        try:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, line
        except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise InvalidRecord(f"line {number + 1}", f"unreadable: {error}") from None


def write_records(path: str | Path, records: Iterable[Record]) -> int:
    """Write records to a .jsonl or .jsonl.gz file, and return their number."""
    written = 0
    with _opened(path, "wt") as stream:
        for record in records:
            stream.write(json.dumps(record.as_object(), separators=(",", ":")) + "\n")
            written += 1
    return written


def _opened(path: str | Path, mode: Literal["rt", "wt"]) -> IO[str]:
    if Path(path).suffix == ".gz":
        return gzip.open(path, mode, encoding="utf-8")
    return Path(path).open(mode, encoding="utf-8")


def _decoded(text: str) -> object:
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:  # ValueError also if a number has too many digits
        raise InvalidRecord("record", f"not JSON: {error}") from None


def _finite(text: str) -> float:
    """A number that JSON can represent: not `NaN`, and not `1e999`."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is not a finite number")
    return number


def _dealt(fields: Mapping[str, Any]) -> Deal:
    """The deal before any pass."""
    rules = _parsed(fields, "rules", Rules.parse)
    direction = _parsed(fields, "pass_direction", PassDirection.parse)
    hands = _hands(fields, "dealt", RANKS)
    plays = fields.get("plays")
    first = plays[0] if isinstance(plays, Sequence) and plays else None
    leader = first.get("player") if isinstance(first, Mapping) else 0
    try:
        return Deal.of(rules, hands, direction, leader if isinstance(leader, int) else 0)
    except InvalidCard as error:
        raise InvalidRecord(error.path, error.reason) from None


def _parsed(fields: Mapping[str, Any], field: str, parse: Callable[[object], T]) -> T:
    try:
        return parse(fields.get(field))
    except InvalidRules as error:
        raise InvalidRecord((field, *error.path), error.reason) from None


def _passed(deal: Deal, fields: Mapping[str, Any]) -> Deal:
    """The deal after the passes; a seat that has not passed has an empty list."""
    passes = _hands(fields, "passed", 0, PASS_SIZE) if _list(fields, "passed") else []
    if any(passes) and not deal.passing:
        raise InvalidRecord("passed", "must be empty when the direction is hold")
    for seat, cards in enumerate(passes):
        try:
            deal = deal.give(seat, cards) if cards else deal
        except IllegalMove as error:
            raise InvalidRecord(("passed", seat), str(error)) from None
    if deal.passing and fields.get("plays"):
        raise InvalidRecord("passed", f"4 × 3 cards must be passed {deal.direction.label}")
    return deal


def _played(deal: Deal, fields: Mapping[str, Any]) -> Deal:
    for i, play in enumerate(_list(fields, "plays")):
        player = play.get("player") if isinstance(play, Mapping) else None
        if type(player) is not int:
            raise InvalidRecord(("plays", i), 'must be {"player": 0 to 3, "card"}')
        try:
            deal = deal.play(parse_card(play.get("card")), player)
        except HeartsError as error:
            raise InvalidRecord(("plays", i), str(error)) from None
    return deal


def _points(deal: Deal, fields: Mapping[str, Any]) -> tuple[int, ...] | None:
    given = fields.get("points")
    if given is None:
        return None
    points = tuple(_list(fields, "points"))
    if len(points) != SEATS or any(type(number) is not int for number in points):
        raise InvalidRecord("points", "must be 4 whole numbers")
    if deal.finished:
        right = [deal.final_points(), deal.final_points(MoonScoring.SHOOTER_SUBTRACTS)]
        if points not in right:
            raise InvalidRecord("points", f"{list(points)} are given, {list(right[0])} is right")
    return points


def _hands(fields: Mapping[str, Any], field: str, *sizes: int) -> list[CardSet]:
    """Four sets of cards, each of one of the `sizes`."""
    hands = []
    for seat, cards in enumerate(_list(fields, field)):
        if not isinstance(cards, list | str):
            raise InvalidRecord((field, seat), "must be a list of cards")
        try:
            hands.append(parse_cards(cards))
        except InvalidCard as error:
            raise InvalidRecord((field, seat), error.reason) from None
        if count(hands[-1]) not in sizes:
            raise InvalidRecord((field, seat), f"{count(hands[-1])} cards, not {sizes[-1]}")
    if len(hands) != SEATS:
        raise InvalidRecord(field, f"{len(hands)} hands: there are {SEATS} seats")
    return hands


def _list(fields: Mapping[str, Any], field: str) -> Sequence[Any]:
    given = fields.get(field)
    if not isinstance(given, list):
        raise InvalidRecord(field, "missing" if given is None else f"{given!r} is not a list")
    return given
