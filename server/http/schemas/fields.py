"""Fields of requests: strict about types, in words that a client's author understands.

JSON's numbers are one kind, so `3.0` is a whole number; `"3"` and `true` are none. An optional
field that is null counts as absent.

What is plainly of its type is taken as it is: marshmallow takes its time for each of 60 fields and
52 cards. It looks at everything else, and says what is wrong with it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any

from marshmallow import INCLUDE, Schema, ValidationError, fields

from server.runtime.messages import quoted

_MESSAGES: dict[str, Any] = {"required": "is missing", "null": "must not be null"}
CARD_PATTERN = "^(10|[2-9TJQKAtjqka])[CDSHcdsh♣♦♠♥♧♢♤♡]$"


class Plain:
    """A field that can tell at a glance whether a value needs no further look."""

    kinds: tuple[type, ...] = ()  # the types of such values

    def is_plain(self, value: object) -> bool:
        """Whether the value, which is not null, is what the field would make of it."""
        return type(value) in self.kinds


class RequestSchema(Schema):
    """An object that may have further fields: they are named in the answer's warnings."""

    class Meta:
        unknown = INCLUDE

    error_messages = {"type": "must be an object"}  # noqa: RUF012  # marshmallow's way

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.required = {name for name, field in self.fields.items() if field.required}
        self.looks = {name: _look_of(field) for name, field in self.fields.items()}

    def load(self, data: Any, **kwargs: Any) -> Any:
        """The object, checked."""
        return data if self.is_plain(data) else super().load(data, **kwargs)

    def is_plain(self, value: object) -> bool:
        """Whether it is an object whose fields are all plain."""
        if type(value) is not dict or not self.required <= value.keys():
            return False
        for name, given in value.items():
            look = self.looks.get(name)  # none: the field is unknown, whatever it is
            if look is None or look(given):
                continue
            if given is not None or not self.fields[name].allow_none:
                return False
        return True


def _look_of(field: fields.Field[Any]) -> Callable[[object], bool]:
    """The glance at a field's value; one with further conditions always needs a closer look."""
    return field.is_plain if isinstance(field, Plain) and not field.validators else _never


def _never(value: object) -> bool:
    return False


class Whole(Plain, fields.Integer):
    """A whole number."""

    kinds = (int,)
    default_error_messages = _MESSAGES

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        value = whole(value)
        if type(value) is not int:
            raise ValidationError(f"must be a whole number, not {quoted(value)}")
        return value


class Number(Plain, fields.Float):
    """A finite number."""

    kinds = (float,)  # bodies have no infinite one; a whole number may be too large for one
    default_error_messages = _MESSAGES

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
            raise ValidationError(f"must be a number, not {quoted(value)}")
        number: float = value
        return number


class Flag(Plain, fields.Boolean):
    """True or false."""

    kinds = (bool,)
    default_error_messages = _MESSAGES

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if type(value) is not bool:
            raise ValidationError(f"must be true or false, not {quoted(value)}")
        return value


class Text(Plain, fields.String):
    """A text."""

    kinds = (str,)
    default_error_messages = _MESSAGES

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if type(value) is not str:
            raise ValidationError(f"must be a text, not {quoted(value)}")
        return value


class Card(Text):
    """A card as a text."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(metadata={"pattern": CARD_PATTERN, "example": "10D"}, **kwargs)


class ListOf(Plain, fields.List[Any]):
    """A list."""

    default_error_messages = _MESSAGES | {"invalid": "must be a list"}

    def is_plain(self, value: object) -> bool:
        """Whether it is a list of plain items."""
        inner = self.inner
        return type(value) is list and isinstance(inner, Plain) and all(map(inner.is_plain, value))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if self.is_plain(value):
            return value
        return super()._deserialize(value, attr, data, **kwargs)


class Cards(ListOf):
    """A list of cards; which ones there are is for the game to say."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Card(), **kwargs)


class Piles(ListOf):
    """Lists of cards."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Cards(), **kwargs)


class Numbers(ListOf):
    """A list of whole numbers."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Whole(), **kwargs)


class ObjectOf(Plain, fields.Nested):
    """An object with a schema of its own."""

    default_error_messages = _MESSAGES

    def is_plain(self, value: object) -> bool:
        """Whether its schema has nothing to object to."""
        return self._look(value)

    @cached_property
    def _look(self) -> Callable[[object], bool]:
        return self.schema.is_plain if isinstance(self.schema, RequestSchema) else _never


class AnyOf(Plain, fields.Raw):
    """A value of one of several JSON types: `AnyOf(int, dict, says="…")`."""

    default_error_messages = _MESSAGES

    def __init__(self, *kinds: type, says: str, **kwargs: Any) -> None:
        self.kinds, self.says = kinds, says
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if int in self.kinds:
            value = whole(value)
        if type(value) not in self.kinds:
            raise ValidationError(f"must be {self.says}, not {quoted(value)}")
        return value


def whole(value: Any) -> Any:
    """A value, as a whole number where it is one that was written with a point."""
    return int(value) if type(value) is float and value.is_integer() else value
