"""A trick: its leader, and its cards in the order in which they were played."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hearts.game.cards import SEATS, Card, CardSet, Suit, name, set_of, suit_of
from hearts.game.lazy import cached_property
from hearts.game.rules import trick_winner

Hands = tuple[CardSet, ...]  # one set of cards per seat
PastHands = tuple[tuple["Trick", ...], ...]  # finished hands, thirteen tricks each


@dataclass(frozen=True)
class Trick:
    """Up to four cards; card `i` was played by the seat `i` to the left of the leader."""

    leader: int
    cards: tuple[Card, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every seat has played."""
        return len(self.cards) == SEATS

    @property
    def led(self) -> Suit | None:
        """The suit that was led, None before the lead."""
        return suit_of(self.cards[0]) if self.cards else None

    @property
    def turn(self) -> int:
        """The seat that plays next; only for a trick that is not complete."""
        return self.player(len(self.cards))

    @cached_property
    def winner(self) -> int:
        """The seat that wins the trick as it is; the leader of an empty trick."""
        return trick_winner(self.leader, self.cards) if self.cards else self.leader

    @cached_property
    def cards_set(self) -> CardSet:
        """The cards of the trick as a set."""
        return set_of(self.cards)

    @property
    def plays(self) -> Iterator[tuple[int, Card]]:
        """The seat and the card of each play, in order."""
        return ((self.player(i), card) for i, card in enumerate(self.cards))

    def player(self, place: int) -> int:
        """The seat that plays card `place` of the trick, 0 … 3."""
        return (self.leader + place) % SEATS

    def has_played(self, seat: int) -> bool:
        """Whether a seat has played to the trick."""
        return (seat - self.leader) % SEATS < len(self.cards)

    def played_by(self, seat: int) -> CardSet:
        """The card of a seat as a set, 0 before it has played."""
        place = (seat - self.leader) % SEATS
        return 1 << self.cards[place] if place < len(self.cards) else 0

    def add(self, card: Card) -> "Trick":
        """The trick with another card."""
        return Trick(self.leader, (*self.cards, card))

    def __str__(self) -> str:
        return f"seat {self.leader}: {' '.join(map(name, self.cards)) or '-'}"


def taken_in(tricks: Iterable[Trick]) -> Hands:
    """The cards that each seat has won in completed tricks."""
    taken = [0] * SEATS
    for trick in tricks:
        taken[trick.winner] |= trick.cards_set
    return tuple(taken)
