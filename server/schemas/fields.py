"""Fields of requests: strict about types, in words that a client's author understands.

JSON's numbers are one kind, so `3.0` is a whole number; `"3"` and `true` are none. An optional
field that is null counts as absent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from marshmallow import INCLUDE, Schema, ValidationError, fields

_MESSAGES: dict[str, Any] = {"required": "is missing", "null": "must not be null"}
_SHOWN = 40  # characters of a wrong value that a message quotes
CARD_PATTERN = "^(10|[2-9TJQKAtjqka])[CDSHcdsh♣♦♠♥♧♢♤♡]$"


class RequestSchema(Schema):
    """An object that may have further fields: they are named in the answer's warnings."""

    class Meta:
        unknown = INCLUDE

    error_messages = {"type": "must be an object"}  # noqa: RUF012  # marshmallow's way


class Whole(fields.Integer):
    """A whole number."""

    default_error_messages = _MESSAGES

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        value = whole(value)
        if type(value) is not int:
            raise ValidationError(f"must be a whole number, not {shown(value)}")
        return value


class Number(fields.Float):
    """A finite number."""

    default_error_messages = _MESSAGES

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
            raise ValidationError(f"must be a number, not {shown(value)}")
        number: float = value
        return number


class Flag(fields.Boolean):
    """True or false."""

    default_error_messages = _MESSAGES

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if type(value) is not bool:
            raise ValidationError(f"must be true or false, not {shown(value)}")
        return value


class Text(fields.String):
    """A text."""

    default_error_messages = _MESSAGES

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if type(value) is not str:
            raise ValidationError(f"must be a text, not {shown(value)}")
        return value


class Card(Text):
    """A card as a text."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(metadata={"pattern": CARD_PATTERN, "example": "10D"}, **kwargs)


def never(value: object) -> bool:
    """No item is plain."""
    return False


class ListOf(fields.List[Any]):
    """A list; `plain` tells items that need no further look.

    The usual list is let through at once: a history has up to 52 cards, and marshmallow takes its
    time for each. What is not plain, it looks at, and says what is wrong.
    """

    default_error_messages = _MESSAGES | {"invalid": "must be a list"}

    def __init__(
        self, inner: fields.Field[Any], *, plain: Callable[[Any], bool] = never, **kwargs: Any
    ) -> None:
        self.plain = plain
        super().__init__(inner, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) is list and all(map(self.plain, value)):
            return value
        return super()._deserialize(value, attr, data, **kwargs)


class Cards(ListOf):
    """A list of cards; which ones there are is for the game to say."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Card(), plain=lambda card: type(card) is str, **kwargs)


class Piles(ListOf):
    """Lists of cards."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Cards(), plain=_are_cards, **kwargs)


class Numbers(ListOf):
    """A list of whole numbers."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Whole(), plain=lambda number: type(number) is int, **kwargs)


class ObjectOf(fields.Nested):
    """An object with a schema of its own."""

    default_error_messages = _MESSAGES


class TrickOf(ObjectOf):
    """A trick; of a history there are up to thirteen."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Any, partial: Any = None, **kwargs: Any
    ) -> Any:
        if is_trick(value):  # at once, as a plain list
            return value
        return super()._deserialize(value, attr, data, partial, **kwargs)


class AnyOf(fields.Raw):
    """A value of one of several JSON types: `AnyOf(int, dict, says="…")`."""

    default_error_messages = _MESSAGES

    def __init__(self, *types: type, says: str, **kwargs: Any) -> None:
        self.types, self.says = types, says
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if int in self.types:
            value = whole(value)
        if type(value) not in self.types:
            raise ValidationError(f"must be {self.says}, not {shown(value)}")
        return value


def whole(value: Any) -> Any:
    """A value, as a whole number where it is one that was written with a point."""
    return int(value) if type(value) is float and value.is_integer() else value


def _are_cards(value: object) -> bool:
    return type(value) is list and all(type(card) is str for card in value)


def is_play(value: object) -> bool:
    """Whether it is a card with its player."""
    return (
        type(value) is dict and type(value.get("card")) is str and type(value.get("player")) is int
    )


def is_trick(value: object) -> bool:
    """Whether everything that a trick may have is there, and of its type."""
    return (
        type(value) is dict
        and type(value.get("lead_player")) is int
        and type(value.get("winner", 0)) is int
        and type(plays := value.get("cards")) is list
        and all(map(is_play, plays))
    )


def shown(value: object) -> str:
    """A wrong value as a message quotes it: as JSON writes it, not at any length."""
    words = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return words[value]
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
