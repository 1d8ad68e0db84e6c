"""Reads games that clients post: with records, or empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from hearts.game.cards import SEATS
from hearts.game.errors import InvalidRecord, InvalidRules
from hearts.game.records import Record, parse_record
from hearts.game.rules import PASSING, Rules
from hearts.game.scoring import points_of
from server.games.records.record_adapter import (
    check_match,
    check_texts,
    checked_text,
    events_of,
    player_of,
    players_of,
)
from server.runtime.errors import InvalidGameState, ParseError
from server.runtime.requests import RequestData
from server.storage.bulk import RecordedGame
from server.storage.results import NO_POINTS, winners
from server.storage.values import LOG, NewGame, Player, Seat, new_id


@dataclass(frozen=True)
class PostedGame:
    """A game that a client posts, ready to be stored."""

    whole: RecordedGame
    warnings: list[str]

    def owned_by(self, key_id: int | None) -> RecordedGame:
        """The game as that of an API key; None: of nobody, on a service without keys."""
        return replace(self.whole, game=replace(self.whole.game, owner_id=key_id))


@dataclass(frozen=True, kw_only=True)
class GameRequest(RequestData):
    """A game as a client posts it: its types are checked, its values are not."""

    record: Mapping[str, Any] | None = None
    records: Sequence[Mapping[str, Any]] | None = None
    source: str | None = None
    players: Sequence[object] | None = None
    rules: int | Mapping[str, Any] | None = None
    target_score: int | None = None
    sent: Mapping[str, object] = field(default_factory=dict)  # compared when it is repeated


def read_game(request: GameRequest) -> PostedGame:
    """The game of a request; raises InvalidGameState or ParseError."""
    warnings: list[str] = []
    records = _records(request)
    rules = _rules(request.rules, records, warnings)
    target = request.target_score
    if target is None and request.record is None:
        target = rules.target_score
    _check_target(target)
    with _placed(""):
        check_match(records)
    _check_end(records, target)
    source = request.source or (records[0].source if records else "")
    with _placed(""):
        checked_text(source, "source")
    record = records[0] if records else None
    game = NewGame(
        id=new_id(),
        kind=LOG,
        rules=rules,
        seats=tuple(map(Seat, _players(request.players, record, source))),
        target_score=target,
        source=source,
    )
    if records and not records[-1].deal.finished and records[-1].points is not None:
        warnings.append("points: the last hand is not over, ignored")
        records[-1] = replace(records[-1], points=None)
    events = [event for i, record in enumerate(records) for event in events_of(record, i)]
    return PostedGame(RecordedGame(game, records, events), warnings)


@contextmanager
def _placed(place: str) -> Iterator[None]:
    """Report an invalid record as an error of the request, with its place there."""
    try:
        yield
    except InvalidRecord as error:
        raise InvalidGameState(error.reason, field=f"{place}{error.field}") from None


def _players(given: Sequence[object] | None, record: Record | None, source: str) -> list[Player]:
    if given is None:
        with _placed("record."):
            return players_of(record, source)
    if len(given) != SEATS:
        raise ParseError(f"{len(given)} entries: there are {SEATS} seats", field="players")
    with _placed(""):
        return [player_of(each, f"players[{seat}]") for seat, each in enumerate(given)]


def _records(request: GameRequest) -> list[Record]:
    record, several = request.record, request.records
    if record is not None and several is not None:
        raise ParseError("send either record or records")
    if record is not None:
        return [_record(record, "record")]
    return [_record(each, f"records[{i}]") for i, each in enumerate(several or ())]


def _record(given: Mapping[str, Any], place: str) -> Record:
    for required in ("rules", "pass_direction"):
        if given.get(required) is None:
            raise InvalidGameState("missing", field=f"{place}.{required}")
    with _placed(f"{place}."):
        record = parse_record(given)
        check_texts(record)
        return record


def _rules(
    given: int | Mapping[str, Any] | None, records: Sequence[Record], warnings: list[str]
) -> Rules:
    if records:
        if given is not None:
            warnings.append("rules: the records have their own, ignored")
        return records[0].deal.rules
    try:
        return PASSING if given is None else Rules.parse(given, PASSING)
    except InvalidRules as error:
        raise InvalidGameState(error.reason, field=error.within("rules").field) from None


def _check_target(target: int | None) -> None:
    try:
        if target is not None:
            replace(PASSING, target_score=target)
    except InvalidRules as error:
        raise InvalidGameState(error.reason, field=error.field) from None


def _check_end(records: Sequence[Record], target: int | None) -> None:
    """Raise InvalidGameState if a hand comes after the end of the match."""
    totals = NO_POINTS
    for number, record in enumerate(records[:-1]):
        points = record.points or points_of(record.deal, totals)
        totals = tuple(a + b for a, b in zip(totals, points, strict=True))
        if winners(totals, target) is not None:
            reason = f"the match is over after this hand, at {list(totals)}"
            raise InvalidGameState(reason, field=f"records[{number}]")
