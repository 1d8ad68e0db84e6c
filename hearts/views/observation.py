"""The fields of a view, and the facts that follow from them without a replay."""

from dataclasses import dataclass

from hearts.game.cards import DECK, RANKS, SEATS, CardSet, count
from hearts.game.lazy import cached_property
from hearts.game.rules import STANDARD, PassDirection, Rules, points_in
from hearts.game.scoring import NO_SCORES
from hearts.game.trick import Hands, PastHands, Trick, taken_in
from hearts.views.plays import Play, plays_of


@dataclass(frozen=True)
class Observation:
    """What one seat knows, unchecked; all fields but the first three have defaults."""

    seat: int
    hand: CardSet  # the cards held now; all thirteen cards during the pass
    trick: Trick  # the current trick; if it is empty, its leader is to play
    tricks: tuple[Trick, ...] = ()  # all completed tricks, or none: a partial view
    rules: Rules = STANDARD
    direction: PassDirection = PassDirection.HOLD  # whether cards are passed, and to whom
    passed: CardSet = 0  # the cards that this seat passed; 0 if unknown
    received: CardSet = 0  # the cards that this seat received; 0 if unknown
    match_scores: tuple[int, ...] = NO_SCORES  # the scores before this hand
    earlier: PastHands = ()  # the finished hands of the match, the oldest first
    passing: bool = False  # whether cards are still to be passed; then `trick` has no meaning
    # Claims replace the history in a partial view. In a full view they are compared with it.
    won: Hands | None = None  # the cards that each seat has won, as far as known
    hearts_broken: bool | None = None
    points_claim: tuple[int, ...] | None = None  # the points of each seat in this hand so far

    @cached_property
    def plays(self) -> tuple[Play, ...]:
        """All plays of the history and of the current trick, in order."""
        return tuple(plays_of((*self.tricks, self.trick)))

    @cached_property
    def round_size(self) -> int:
        """The number of cards in each hand when the current trick began."""
        return count(self.hand) + self.trick.has_played(self.seat)

    @cached_property
    def partial(self) -> bool:
        """Whether tricks have been completed that the view does not have."""
        return self.round_size + len(self.tricks) < RANKS

    @property
    def finished(self) -> bool:
        """Whether the hand is over."""
        return self.round_size == 0

    @property
    def turn(self) -> int | None:
        """The seat to play; None during the pass, and when the hand is over."""
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
        """The seat that receives the cards that this seat passes."""
        return (self.seat + self.direction) % SEATS

    @cached_property
    def others(self) -> tuple[int, ...]:
        """The other seats, in order of play after this one."""
        return tuple((self.seat + step) % SEATS for step in range(1, SEATS))

    @cached_property
    def played(self) -> CardSet:
        """All cards known to have left the hands: in tricks, or in `won`."""
        cards = self.trick.cards_set
        for trick in self.tricks:
            cards |= trick.cards_set
        for won in self.won or ():
            cards |= won
        return cards

    @cached_property
    def unseen(self) -> CardSet:
        """The cards that are neither in this hand nor played, as far as known."""
        return DECK & ~self.hand & ~self.played

    @cached_property
    def hand_sizes(self) -> tuple[int, ...]:
        """The number of cards that each seat holds."""
        return tuple(self.round_size - self.trick.has_played(seat) for seat in range(SEATS))

    @cached_property
    def gone(self) -> int:
        """The number of unseen cards that have left the hands; 0 unless the view is partial."""
        return count(self.unseen) + count(self.hand) - sum(self.hand_sizes)

    @cached_property
    def capacities(self) -> list[int]:
        """The number of cards that each other seat holds, and then `gone`."""
        return [*(self.hand_sizes[seat] for seat in self.others), self.gone]

    @cached_property
    def taken(self) -> Hands:
        """The cards that each seat has won, as far as known."""
        return self.won or (0,) * SEATS if self.partial else taken_in(self.tricks)

    @cached_property
    def taken_points(self) -> tuple[int, ...]:
        """The points of the cards that each seat is known to have taken."""
        return tuple(points_in(self.rules, cards) for cards in self.taken)
