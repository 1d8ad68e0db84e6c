"""The plays of a history, and the paths of the fields that hold them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hearts.game.cards import SEATS, Card, Suit
from hearts.game.errors import FieldPath
from hearts.game.trick import Trick


class Play(NamedTuple):
    """One play of the history."""

    trick: int  # the number of its trick; the current trick comes after the completed ones
    place: int  # 0 … 3 within the trick
    seat: int
    card: Card
    led: Suit | None  # the suit to follow, None for the lead

    def path(self, completed: int) -> FieldPath:
        """The field of the view that holds the play: `tricks[3].cards[2]`."""
        return (*trick_path(self.trick, completed), "cards", self.place)


def trick_path(number: int, completed: int) -> FieldPath:
    """The field that holds trick `number` of a view with `completed` tricks."""
    return ("tricks", number) if number < completed else ("trick",)


def plays_of(tricks: Sequence[Trick]) -> Iterator[Play]:
    """The plays of some tricks, in order."""
    for number, trick in enumerate(tricks):
        led = None
        for place, card in enumerate(trick.cards):
            yield Play(number, place, (trick.leader + place) % SEATS, card, led)
            led = trick.led if led is None else led
