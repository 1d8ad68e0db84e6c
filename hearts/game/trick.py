"""One round of the table: who led, and the cards in the order they were played."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from hearts.game.cards import SEATS, Card, CardSet, Suit, name, set_of, suit_of
from hearts.game.rules import trick_winner

Hands = tuple[CardSet, ...]  # one set of cards per seat
PastHands = tuple[tuple["Trick", ...], ...]  # hands that are over, each as its thirteen tricks


@dataclass(frozen=True)
class Trick:
    """Up to four cards on the table; the i-th was played by the seat i places after the leader."""

    leader: int
    cards: tuple[Card, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every seat has played."""
        return len(self.cards) == SEATS

    @property
    def led(self) -> Suit | None:
        """The suit to follow, None before the lead."""
        return suit_of(self.cards[0]) if self.cards else None

    @property
    def turn(self) -> int:
        """The seat that plays next, while the trick is not complete."""
        return self.player(len(self.cards))

    @cached_property
    def winner(self) -> int:
        """The seat that has won the trick, or is winning it; the leader while it is empty."""
        return trick_winner(self.leader, self.cards) if self.cards else self.leader

    @cached_property
    def cards_set(self) -> CardSet:
        """The cards on the table as a set."""
        return set_of(self.cards)

    @property
    def plays(self) -> Iterator[tuple[int, Card]]:
        """Seat and card of every play, in order."""
        return ((self.player(i), card) for i, card in enumerate(self.cards))

    def player(self, place: int) -> int:
        """The seat that plays the card at a place 0 … 3 of the trick."""
        return (self.leader + place) % SEATS

    def has_played(self, seat: int) -> bool:
        """Whether a seat's card is on the table."""
        return (seat - self.leader) % SEATS < len(self.cards)

    def played_by(self, seat: int) -> CardSet:
        """The card that a seat has on the table as a set, 0 while it has none."""
        place = (seat - self.leader) % SEATS
        return 1 << self.cards[place] if place < len(self.cards) else 0

    def add(self, card: Card) -> "Trick":
        """The trick with one more card on it."""
        return Trick(self.leader, (*self.cards, card))

    def __str__(self) -> str:
        return f"seat {self.leader}: {' '.join(map(name, self.cards)) or '-'}"


def taken_in(tricks: Iterable[Trick]) -> Hands:
    """The cards that each seat has won in completed tricks."""
    taken = [0] * SEATS
    for trick in tricks:
        taken[trick.winner] |= trick.cards_set
    return tuple(taken)
