"""Readers of JSON values; each raises FieldError with a path relative to its value."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hearts.game.cards import BY_NAME, CardSet, bit, name, parse_card
from hearts.game.errors import FieldError, ImpossibleView, InvalidCard

T = TypeVar("T")
D = TypeVar("D")


def read_field(fields: Mapping[str, Any], field: str, read: Callable[[Any], T]) -> T:
    """A field of an object; an absent field is read as None."""
    try:
        return read(fields.get(field))
    except FieldError as error:
        raise error.within(field) from None


def read_optional(
    fields: Mapping[str, Any], field: str, read: Callable[[Any], T], default: D
) -> T | D:
    """A field of an object; `default` if it is absent or null."""
    return default if fields.get(field) is None else read_field(fields, field, read)


def read_items(given: object, read: Callable[[Any], T]) -> tuple[T, ...]:
    """The items of a list."""
    values = read_list(given)
    try:
        return tuple(map(read, values))
    except FieldError as error:
        raise error.within(_first_fault(values, read)) from None


def _first_fault(values: Sequence[Any], read: Callable[[Any], object]) -> int:
    """The index of the first value that cannot be read."""
    for index, value in enumerate(values):
        try:
            read(value)
        except FieldError:
            return index
    raise AssertionError("every value can be read")


def read_object(given: object) -> Mapping[str, Any]:
    """A JSON object."""
    if type(given) is dict or isinstance(given, Mapping):  # the first test is faster
        return given
    raise ImpossibleView((), f"{given!r} is not an object")


def read_list(given: object) -> Sequence[Any]:
    """A JSON list."""
    if isinstance(given, list | tuple):
        return given
    raise ImpossibleView((), f"{given!r} is not a list")


def read_number(given: object) -> int:
    """An integer, which JSON may write as `3.0`."""
    if type(given) is int:
        return given
    number = whole(given)
    if type(number) is int:
        return number
    raise ImpossibleView((), f"{given!r} is not a whole number")


def read_numbers(given: object) -> tuple[int, ...]:
    """A list of integers."""
    return read_items(given, read_number)


def read_flag(given: object) -> bool:
    """True or false."""
    if not isinstance(given, bool):
        raise ImpossibleView((), f"{given!r} is neither true nor false")
    return given


def read_cards(given: object) -> CardSet:
    """A list of different cards, as a set."""
    usual = _usual_cards(given)
    if usual is not None:
        return usual
    cards = 0
    for index, card in enumerate(read_items(given, parse_card)):
        if cards & bit(card):
            raise InvalidCard((index,), f"{name(card)} is named twice")
        cards |= bit(card)
    return cards


def _usual_cards(given: object) -> CardSet | None:
    """A list of different cards in the usual spelling; None for anything else."""
    if type(given) is not list:
        return None
    cards = 0
    for text in given:
        card = BY_NAME.get(text) if type(text) is str else None
        if card is None or cards >> card & 1:
            return None
        cards |= 1 << card
    return cards


def whole(value: Any) -> Any:
    """A value; a float without a fraction becomes an int."""
    return int(value) if type(value) is float and value.is_integer() else value
