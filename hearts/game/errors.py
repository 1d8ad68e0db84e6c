"""The errors that callers can cause, each with the field at fault as data.

HeartsError
├── IllegalMove        a card that may not be played now, or a pass that may not be made
└── FieldError         a fault of one field
    ├── InvalidCard        a text that names no card, or a set of cards with one of them twice
    ├── InvalidRules       an unknown rule, or a value that a rule cannot take
    ├── InvalidConfig      a search option that is unknown or out of range
    ├── InvalidRecord      a game record that does not replay
    └── ImpossibleView     a view that no hand of Hearts can lead to
        └── NothingToPlay      a view without a card to play
"""

from collections.abc import Mapping
from typing import Self

FieldPath = tuple[str | int, ...]  # ("tricks", 3, "cards", 2) is the field tricks[3].cards[2]


def written(path: FieldPath) -> str:
    """A path as messages write it: `tricks[3].cards[2]`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


class HeartsError(ValueError):
    """A fault in the caller's input.

    `args` are those of the constructor, so that an error can be pickled.
    """

    @property
    def reason(self) -> str:
        """What is wrong."""
        return str(self)


class IllegalMove(HeartsError):
    """A card that may not be played now, or a pass that may not be made."""


class FieldError(HeartsError):
    """A fault of one field; `path` is empty if only the caller knows the field.

    A reason may consist of several strings and paths. A path mentions another field, and `renamed`
    renames it like the field at fault.
    """

    def __init__(self, path: str | FieldPath, *reason: str | FieldPath) -> None:
        super().__init__(path, *reason)
        self.path: FieldPath = (path,) if isinstance(path, str) else path
        self._reason = reason

    @property
    def field(self) -> str:
        """The field at fault, as messages write it."""
        return written(self.path)

    @property
    def reason(self) -> str:
        """What is wrong with the field."""
        return "".join(each if isinstance(each, str) else written(each) for each in self._reason)

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}" if self.path else self.reason

    def within(self, *path: str | int) -> Self:
        """The same error for a caller that read the faulty object from its field `path`."""
        return type(self)((*path, *self.path), *self._reason)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """The same error with other names for all fields, including those in the reason."""
        reason = (each if isinstance(each, str) else renamed(each, names) for each in self._reason)
        return type(self)(renamed(self.path, names), *reason)


def renamed(path: FieldPath, names: Mapping[str, str]) -> FieldPath:
    """A path with other names for its fields."""
    return tuple(names.get(step, step) if isinstance(step, str) else step for step in path)


class InvalidCard(FieldError):
    """A text that names no card, or a set of cards with one of them twice."""


class InvalidRules(FieldError):
    """An unknown rule, or a value that a rule cannot take; the path begins inside the rules."""


class InvalidConfig(FieldError):
    """A search option that is unknown or out of range."""


class InvalidRecord(FieldError):
    """A game record that does not replay."""


class ImpossibleView(FieldError):
    """A view that no hand of Hearts can lead to."""


class NothingToPlay(ImpossibleView):
    """A view without a card to play."""
