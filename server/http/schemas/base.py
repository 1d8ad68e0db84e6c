"""Base classes of the schemas: they load frozen dataclasses.

Marshmallow needs some microseconds for every field, and a request may have 60 fields and 52 cards.
An object whose values all have the expected JSON type is therefore taken as it is ("plain");
marshmallow loads all others and reports what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields as dataclass_fields
from typing import Any, ClassVar

from marshmallow import EXCLUDE, INCLUDE, Schema, fields, post_load


class Plain:
    """A field that can decide by the type of a value whether it needs no further check."""

    kinds: tuple[type, ...] = ()  # the types of plain values

    def is_plain(self, value: object) -> bool:
        """Whether the value, which is not null, is what marshmallow would load."""
        return type(value) in self.kinds

    def loads_objects(self) -> bool:
        """Whether plain values hold objects that are still to be loaded."""
        return False

    def load_plain(self, value: Any) -> Any:
        """Load the objects in a plain value."""
        return value


class DataclassSchema(Schema):
    """A schema that loads the frozen dataclass `into`; null counts as absent.

    The dataclass may have the fields `unknown`, for the names that the schema does not know, and
    `sent`, for the object as it was sent.
    """

    into: ClassVar[type[Any] | None] = None

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.attributes = {each.data_key or name: name for name, each in self.fields.items()}
        self.extras = {each.name for each in dataclass_fields(self.into)} if self.into else set()

    def load(self, data: Any, **kwargs: Any) -> Any:
        """The dataclass of an object."""
        # `build` finds the unknown fields: included, they could overwrite attributes.
        return super().load(data, **kwargs | ({"unknown": EXCLUDE} if self.into else {}))

    def build(self, given: dict[str, Any], sent: Mapping[str, Any]) -> Any:
        """The dataclass with the attributes that are given."""
        assert self.into is not None
        if "unknown" in self.extras:
            given["unknown"] = tuple(sorted(sent.keys() - self.attributes.keys()))
        if "sent" in self.extras:
            given["sent"] = sent
        return self.into(**given)

    @post_load(pass_original=True)
    def _build(self, loaded: dict[str, Any], original: Mapping[str, Any], **_: Any) -> Any:
        if self.into is None:
            return loaded
        return self.build({k: v for k, v in loaded.items() if v is not None}, original)


class RequestSchema(DataclassSchema):
    """An object in a body. It may have unknown fields: the answer's warnings name them.

    Without `into` it only checks types and returns the object itself.
    """

    class Meta:
        unknown = INCLUDE

    error_messages = {"type": "must be an object"}  # noqa: RUF012  # marshmallow's way

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        keys = {name: key for key, name in self.attributes.items()}
        self.required = {keys[name] for name, each in self.fields.items() if each.required}
        self.checks = {keys[name]: _check_of(each) for name, each in self.fields.items()}
        self.nullable = {keys[name] for name, each in self.fields.items() if each.allow_none}
        self.loaders = dict(_loaders(self.fields.items()))

    def load(self, data: Any, **kwargs: Any) -> Any:
        """The dataclass of an object, or the object itself."""
        return self.load_plain(data) if self.is_plain(data) else super().load(data, **kwargs)

    def is_plain(self, value: object) -> bool:
        """Whether it is an object whose fields are all plain."""
        if type(value) is not dict or not self.required <= value.keys():
            return False
        for key, given in value.items():
            check = self.checks.get(key)  # None: an unknown field, whose value does not matter
            if check is None or check(given):
                continue
            if given is not None or key not in self.nullable:
                return False
        return True

    def load_plain(self, value: dict[str, Any]) -> Any:
        """Load an object whose fields are all plain."""
        if self.into is None:
            return value
        known = ((self.attributes.get(key), given) for key, given in value.items())
        given = {name: each for name, each in known if name is not None and each is not None}
        for name, load in self.loaders.items():
            if name in given:
                given[name] = load(given[name])
        return self.build(given, value)


def _check_of(field: fields.Field[Any]) -> Callable[[object], bool]:
    """The check of a field's value; a field with validators is never plain."""
    return field.is_plain if isinstance(field, Plain) and not field.validators else never


def _loaders(
    named: Iterable[tuple[str, fields.Field[Any]]],
) -> Iterable[tuple[str, Callable[[Any], Any]]]:
    for name, field in named:
        if isinstance(field, Plain) and field.loads_objects():
            yield name, field.load_plain


def never(_value: object) -> bool:
    """The check of a field whose values are never plain."""
    return False
