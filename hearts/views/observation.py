"""The raw fields of a view, and the facts that follow from them without a replay."""

from dataclasses import dataclass
from functools import cached_property

from hearts.game.cards import DECK, RANKS, SEATS, CardSet, count
from hearts.game.rules import STANDARD, PassDirection, Rules, points_in
from hearts.game.scoring import NO_SCORES
from hearts.game.trick import Hands, PastHands, Trick, taken_in
from hearts.views.plays import Play, plays_of


@dataclass(frozen=True)
class Observation:
    """One seat's knowledge, unchecked; every field but the first three has a default."""

    seat: int
    hand: CardSet  # the cards held now; as dealt while cards are passed
    trick: Trick  # the current trick, perhaps empty: then its leader is to play
    tricks: tuple[Trick, ...] = ()  # all completed tricks, or none: a partial view
    rules: Rules = STANDARD
    direction: PassDirection = PassDirection.HOLD  # says whether cards were passed, and to whom
    passed: CardSet = 0  # what this seat gave; 0 where unknown
    received: CardSet = 0  # what it got; 0 where unknown
    match_scores: tuple[int, ...] = NO_SCORES  # before this hand
    earlier: PastHands = ()  # of this match, the oldest first, as everybody saw them
    passing: bool = False  # cards are still to be passed: nobody leads, whatever `trick` says
    # Claims, for views without history; beside a full history they are compared with it.
    won: Hands | None = None  # cards that each seat has won, as far as known
    hearts_broken: bool | None = None
    points_claim: tuple[int, ...] | None = None  # points of each seat in this hand so far

    @cached_property
    def plays(self) -> tuple[Play, ...]:
        """Every card on the table so far, in order."""
        return tuple(plays_of((*self.tricks, self.trick)))

    @cached_property
    def round_size(self) -> int:
        """How many cards each seat had when the current trick began."""
        return count(self.hand) + self.trick.has_played(self.seat)

    @cached_property
    def partial(self) -> bool:
        """Whether earlier tricks exist that are not given."""
        return self.round_size + len(self.tricks) < RANKS

    @property
    def finished(self) -> bool:
        """Whether the hand is over."""
        return self.round_size == 0

    @property
    def turn(self) -> int | None:
        """The seat to play, None while cards are passed and when the hand is over."""
        return None if self.passing or self.finished else self.trick.turn

    @property
    def to_move(self) -> bool:
        """Whether this seat is to play."""
        return self.turn == self.seat

    @property
    def first_trick(self) -> bool:
        """Whether the current trick is the first of the hand."""
        return self.round_size == RANKS

    @property
    def receiver(self) -> int:
        """The seat that got what this seat passed."""
        return (self.seat + self.direction) % SEATS

    @cached_property
    def others(self) -> tuple[int, ...]:
        """The other seats, in order of play after this one."""
        return tuple((self.seat + step) % SEATS for step in range(1, SEATS))

    @cached_property
    def played(self) -> CardSet:
        """Every card known to be out of the hands: tricks, table, and cards said to be won."""
        cards = self.trick.cards_set
        for trick in self.tricks:
            cards |= trick.cards_set
        for won in self.won or ():
            cards |= won
        return cards

    @cached_property
    def unseen(self) -> CardSet:
        """The cards neither in this hand nor seen; in a partial view some of them are gone."""
        return DECK & ~self.hand & ~self.played

    @cached_property
    def hand_sizes(self) -> tuple[int, ...]:
        """How many cards each seat holds."""
        return tuple(self.round_size - self.trick.has_played(seat) for seat in range(SEATS))

    @cached_property
    def gone(self) -> int:
        """How many of the unseen cards are out of play; 0 unless the view is partial."""
        return count(self.unseen) + count(self.hand) - sum(self.hand_sizes)

    @cached_property
    def capacities(self) -> list[int]:
        """How many cards each of the others holds, and how many are gone."""
        return [*(self.hand_sizes[seat] for seat in self.others), self.gone]

    @cached_property
    def taken(self) -> Hands:
        """The cards that each seat has won, as far as known."""
        return self.won or (0,) * SEATS if self.partial else taken_in(self.tricks)

    @cached_property
    def taken_points(self) -> tuple[int, ...]:
        """The points of the cards that each seat is known to have taken."""
        return tuple(points_in(self.rules, cards) for cards in self.taken)
