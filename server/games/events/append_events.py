"""Appends the events that clients post: each is stored once, under its own number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection

from server.games.events.event_validator import PostedEvent, read_event
from server.games.events.state_machine import GameState, HandState
from server.runtime.errors import ApiError, Conflict, RejectedMove
from server.runtime.messages import unknown_fields
from server.runtime.requests import RequestData
from server.storage import games as store
from server.storage.events import Event, StoredEvent, described
from server.storage.hands import last_hand
from server.storage.results import NO_POINTS, totals
from server.storage.values import EventConflict, GameRow


@dataclass(frozen=True, kw_only=True)
class EventsRequest(RequestData):
    """Events that a client posts in order."""

    events: tuple[PostedEvent, ...]
    number: int | None  # of the first event; None: the next
    is_list: bool  # whether they were sent as the list `events`, which messages then name
    sent: Mapping[str, object]  # the whole request, compared when it is repeated

    @property
    def warnings(self) -> list[str]:
        """A warning for every unknown field."""
        warnings = super().warnings
        for i, event in enumerate(self.events if self.is_list else ()):
            warnings += unknown_fields(event.unknown, place=f"events[{i}].")
        return warnings


def append_events(connection: Connection, game: GameRow, request: EventsRequest) -> int:
    """Store the events of a request that are new, and return how many there are.

    Events that are stored already must be equal to those of the request.
    """
    given = request.events
    first = game.events if request.number is None else request.number
    if first > game.events:
        reason = f"{first}: the next is {game.events}"
        raise Conflict(reason, field="number", events=game.events)
    state, stored = _state_at(connection, game, first)
    for each, found in zip(given, stored, strict=False):
        state = _check_equal(state, each, found, game.events)
    new = given[len(stored) :]
    for number, each in enumerate(new, first + len(stored)):
        place = f"events[{number - first}]." if request.is_list else ""
        with _placed(place, number):
            event, state = read_event(state, each)
            store.append(connection, game.id, number, event)
    return len(new)


@contextmanager
def _placed(place: str, version: int) -> Iterator[None]:
    """Name the fields of an event by their place in the request; `version` is the game's."""
    try:
        yield
    except EventConflict as conflict:
        raise Conflict(conflict.reason, events=conflict.version) from None
    except ApiError as error:
        if error.field:
            raise type(error)(error.reason, field=f"{place}{error.field}") from None
        if isinstance(error, RejectedMove):  # its reason names the seat
            raise RejectedMove(f"{place}{error.reason}") from None
        raise Conflict(error.reason, events=version) from None


def _state_at(
    connection: Connection, game: GameRow, number: int
) -> tuple[GameState, list[StoredEvent]]:
    """The state of a game before an event, and the stored events from there on."""
    stored = store.events(connection, game.id, number - 1)
    if not stored:
        return _last_state(connection, game), []
    earlier = store.events(connection, game.id)[:number]
    begin = GameState(game.rules, game.target_score)
    return begin.after_all(each.event for each in earlier), stored


def _last_state(connection: Connection, game: GameRow) -> GameState:
    """The present state of a game, from its last hand and its totals."""
    last = last_hand(connection, game.id)
    if last is None:
        return GameState(game.rules, game.target_score)
    scores = totals(connection, game.id)
    ended = last.record.points if last.finished_at is not None else None
    before = tuple(a - b for a, b in zip(scores, ended or NO_POINTS, strict=True))
    hand = HandState(last.number, last.record.deal, before, ended)
    return GameState(game.rules, game.target_score, scores, hand)


def _check_equal(
    state: GameState, given: PostedEvent, found: StoredEvent, version: int
) -> GameState:
    """The state after a stored event; refuse an event of the same number that differs from it."""
    reason = f"event {found.number} is taken: {described(found.event)}"
    taken = Conflict(reason, events=version)
    try:
        event, state = read_event(state, given)
    except ApiError as error:
        raise taken from error
    if not _is_part_of(event, found.event):
        raise taken
    return state


def _is_part_of(event: Event, stored: Event) -> bool:
    """Whether a stored event says all that a posted one does; that of a record says more."""
    said: Mapping[str, object] = event.body
    kept: Mapping[str, object] = stored.body
    same = (event.kind, event.hand, event.seat) == (stored.kind, stored.hand, stored.seat)
    return same and all(kept.get(key) == value for key, value in said.items())
