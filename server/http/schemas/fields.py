"""Field types of requests: strict about JSON types, with messages for the authors of clients.

JSON has one type of number, so `3.0` is a whole number; `"3"` and `true` are not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from operator import attrgetter
from typing import Any

from marshmallow import ValidationError, fields, validate

from server.http.schemas.base import Plain, RequestSchema, never
from server.runtime.messages import quoted

_MESSAGES: dict[str, Any] = {"required": "is missing", "null": "must not be null"}
_item_of = attrgetter("inner")  # marshmallow's name for the field of a list's items
CARD_PATTERN = "^(10|[2-9TJQKAtjqka])[CDSHcdsh♣♦♠♥♧♢♤♡]$"


def about(description: str, **more: Any) -> dict[str, Any]:
    """Arguments of an optional field: null counts as absent."""
    return {"allow_none": True, "metadata": {"description": description, **more}}


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

    kinds = (float,)  # an int may be too large for a float; `parse_json` rejects infinity
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
        item = _item_of(self)
        return type(value) is list and isinstance(item, Plain) and all(map(item.is_plain, value))

    def loads_objects(self) -> bool:
        """Whether the items hold objects that are still to be loaded."""
        item = _item_of(self)
        return isinstance(item, Plain) and item.loads_objects()

    def load_plain(self, value: Any) -> Any:
        """Load the objects in a list of plain items."""
        item = _item_of(self)
        assert isinstance(item, Plain)
        return [item.load_plain(each) for each in value] if item.loads_objects() else value

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if self.is_plain(value):
            return self.load_plain(value)
        return super()._deserialize(value, attr, data, **kwargs)


class Cards(ListOf):
    """A list of cards; the game checks whether they exist."""

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

    def loads_objects(self) -> bool:
        """Whether the schema loads a dataclass."""
        return isinstance(self.schema, RequestSchema) and self.schema.into is not None

    def is_plain(self, value: object) -> bool:
        """Whether its schema finds all fields plain."""
        return self._check(value)

    def load_plain(self, value: Any) -> Any:
        """Load the object by its schema."""
        assert isinstance(self.schema, RequestSchema)
        return self.schema.load_plain(value)

    @cached_property
    def _check(self) -> Callable[[object], bool]:
        return self.schema.is_plain if isinstance(self.schema, RequestSchema) else never


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


class Limited(fields.Integer):
    """A whole number in a query, from `low` to `high`."""

    def __init__(self, low: int, high: int, description: str, **kwargs: Any) -> None:
        limits = validate.Range(low, high, error=f"must be {low} to {high}")
        super().__init__(validate=limits, metadata={"description": description}, **kwargs)


class Choice(fields.String):
    """One of several texts in a query."""

    def __init__(self, *choices: str, description: str) -> None:
        says = f"{', '.join(choices[:-1])} or {choices[-1]}"
        choice = validate.OneOf(choices, error=f"must be {says}")
        super().__init__(validate=choice, metadata={"description": description})


class Switch(fields.String):
    """0 or 1 in a query; loads a bool."""

    def __init__(self, description: str) -> None:
        super().__init__(metadata={"description": description, "enum": ["0", "1"]})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if value not in ("0", "1"):
            raise ValidationError("must be 0 or 1")
        return value == "1"


class Words(fields.String):
    """A printable text to look for in a query."""

    def __init__(self, description: str | None = None) -> None:
        super().__init__(metadata={"description": description} if description else {})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not text.isprintable():
            raise ValidationError("has characters that cannot be shown")
        return text


class Moment(fields.String):
    """A time in a query, in UTC if it names no zone; loads a datetime."""

    def __init__(self, description: str) -> None:
        super().__init__(metadata={"description": description})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            given = datetime.fromisoformat(text)
            return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            raise ValidationError("must be a time such as 2026-11-16T12:00:00Z") from None


def whole(value: Any) -> Any:
    """A value; a float without a fraction as an int."""
    return int(value) if type(value) is float and value.is_integer() else value
