"""Warnings about a state that could be read."""

from collections.abc import Iterator, Mapping
from typing import Any

from hearts.game.errors import FieldPath, written
from hearts.views.codec.names import (
    HAND_FIELDS,
    PLAY_FIELDS,
    RULE_FIELDS,
    STATE_FIELDS,
    TRICK_FIELDS,
)

LONGEST = 500  # characters of a warning, which may quote what the client sent
LONGEST_NAME = 40  # characters of an unknown field's name


def warning(path: FieldPath, reason: str) -> str:
    """A warning about a field."""
    text = f"{written(path)}: {reason}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def unknown_fields(state: Mapping[str, Any], also: frozenset[str]) -> Iterator[FieldPath]:
    """The fields of a state that the codec does not read, except those in `also`."""
    yield from _unknown(state, STATE_FIELDS | also, ())
    rules = state.get("rules")
    if isinstance(rules, Mapping):
        yield from _unknown(rules, RULE_FIELDS, ("rules",))
    yield from _in_trick(state.get("current_trick") or {}, ("current_trick",))
    yield from _in_hand(state, ())
    for number, hand in enumerate(state.get("earlier_hands") or ()):
        yield from _unknown(hand, HAND_FIELDS, ("earlier_hands", number))
        yield from _in_hand(hand, ("earlier_hands", number))


def _in_hand(hand: Mapping[str, Any], path: FieldPath) -> Iterator[FieldPath]:
    for number, trick in enumerate(hand.get("trick_history") or ()):
        yield from _in_trick(trick, (*path, "trick_history", number))


def _in_trick(trick: Mapping[str, Any], path: FieldPath) -> Iterator[FieldPath]:
    yield from _unknown(trick, TRICK_FIELDS, path)
    for place, play in enumerate(trick.get("cards") or ()):
        if not PLAY_FIELDS.issuperset(play):  # skips the generator for nearly all of 52 plays
            yield from _unknown(play, PLAY_FIELDS, (*path, "cards", place))


def _unknown(
    given: Mapping[str, Any], known: frozenset[str], path: FieldPath
) -> Iterator[FieldPath]:
    for field in sorted(given.keys() - known):
        yield (*path, field[:LONGEST_NAME])
