"""Events that clients post: each kept once, under a number that nobody else has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from server.games.event_validator import Course
from server.runtime.errors import ApiError, Conflict
from server.storage import games as store
from server.storage.hands import last_hand
from server.storage.values import Event, EventConflict, GameRow


def keep_events(connection: Connection, game: GameRow, body: Mapping[str, Any]) -> int:
    """Keep the events of a request (checked for types) that are new; returns how many were."""
    several = body.get("events")
    given: Sequence[Mapping[str, Any]] = [body] if several is None else several
    first = body.get("number")
    if first is None:
        first = game.events
    if first > game.events:
        reason = f"{first}: the next is {game.events}"
        raise Conflict(reason, field="number", events=game.events)
    course, happened = _course_at(connection, game, first)
    for each, found in zip(given, happened, strict=False):
        _compare(course, each, found, game.events)
    fresh = given[len(happened) :]
    for number, each in enumerate(fresh, first + len(happened)):
        place = "" if several is None else f"events[{number - first}]."
        event = course.read(each, place)
        try:
            store.append(connection, game.id, number, event)
        except EventConflict as conflict:
            raise Conflict(conflict.reason, events=conflict.version) from None
    return len(fresh)


def _course_at(connection: Connection, game: GameRow, number: int) -> tuple[Course, list[Event]]:
    """Where a game stood before an event, and what has happened from there on."""
    happened = store.events(connection, game.id, number - 1)
    if not happened:
        last = last_hand(connection, game.id)
        hand, deal = (-1, None) if last is None else (last.number, last.record.deal)
        return Course(game.rules, hand, deal), []
    course = Course(game.rules)
    for event in store.events(connection, game.id)[:number]:
        course.follow(event)
    return course, happened


def _compare(course: Course, given: Mapping[str, Any], found: Event, version: int) -> None:
    """Refuse an event whose number another one has."""
    reason = f"event {found.number} is taken: {store.described(found)}"
    taken = Conflict(reason, events=version)
    try:
        event = course.read(given, "")
    except ApiError as error:  # it cannot even have been
        raise taken from error
    # Of a record that was posted more is kept than events say.
    kept = {key: found.body.get(key) for key in event.body}
    if event.what != (found.kind, found.hand, found.seat, kept):
        raise taken
