"""Everything that can be wrong with what a caller hands us.

HeartsError
├── InvalidCard        a text that names no card, or a set that holds one twice
├── InvalidRules       an unknown rule, or a value that a rule cannot take
├── IllegalMove        a card that may not be played, or a pass that may not be made, now
├── InvalidConfig      a setting of the engine that is unknown or out of its range
├── ImpossibleView     what a seat claims to know cannot have happened
└── InvalidRecord      a game record that does not replay
"""


class HeartsError(ValueError):
    """A fault in the caller's input, with the place and the reason in its message.

    `args` are those of the constructor, so that an error comes back whole from another process.
    """

    def __str__(self) -> str:
        return ": ".join(map(str, self.args))


class InvalidCard(HeartsError):
    """A text that names no card, or a set that holds one twice."""


class InvalidRules(HeartsError):
    """An unknown rule, or a value that a rule cannot take."""


class IllegalMove(HeartsError):
    """A card that may not be played, or a pass that may not be made, now."""


class InvalidConfig(HeartsError):
    """A setting of the engine that is unknown or out of its range; `field` is its name."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason


class ImpossibleView(HeartsError):
    """A view that no hand of Hearts can lead to; `place` is the field at fault."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason


class InvalidRecord(HeartsError):
    """A game record that does not replay; `place` is the field at fault."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason
