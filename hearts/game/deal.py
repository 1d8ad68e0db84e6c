"""One hand of Hearts with all cards known: dealt, passed and played.

A `Deal` is immutable: `give` and `play` check a move, and return the deal after it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hearts.game.cards import (
    ALL_CARDS,
    DECK,
    RANKS,
    SEATS,
    Card,
    CardSet,
    bit,
    count,
    is_card,
    name,
    names,
    set_of,
)
from hearts.game.errors import IllegalMove, InvalidCard
from hearts.game.lazy import cached_property
from hearts.game.legality import legal_plays, why_illegal
from hearts.game.rules import (
    PASS_SIZE,
    MoonScoring,
    PassDirection,
    Rules,
    hand_points,
    moon_shooter,
    points_in,
)
from hearts.game.trick import Hands, PastHands, Trick, taken_in

if TYPE_CHECKING:
    import numpy as np

NOTHING: Hands = (0,) * SEATS
REMEMBERED = 10  # earlier hands that a player considers; more do not improve opponent models


@dataclass(frozen=True)
class Deal:
    """A hand at one moment; `Deal.of` and `Deal.random` begin a new one.

    Cards are passed unless `direction` is HOLD. `rules.do_pass_cards` does not matter here: `Match`
    uses it to choose the direction.
    """

    rules: Rules
    direction: PassDirection
    dealt: Hands  # the hands before the pass
    passes: Hands  # the cards that each seat has passed, 0 before it has chosen
    hands: Hands  # the hands now; as dealt until all four seats have chosen their pass
    trick: Trick  # the current trick; it has no meaning during the pass
    tricks: tuple[Trick, ...] = ()  # the completed tricks

    @classmethod
    def of(
        cls,
        rules: Rules,
        dealt: Sequence[CardSet],
        direction: PassDirection = PassDirection.HOLD,
        leader: int = 0,
    ) -> "Deal":
        """A new hand; `leader` leads the first trick if the rules name no opening card."""
        _check_dealt(dealt)
        deal = cls(rules, direction, tuple(dealt), NOTHING, tuple(dealt), Trick(leader % SEATS))
        return deal if deal.passing else deal._opened()

    @classmethod
    def random(
        cls, rules: Rules, direction: PassDirection, rng: "np.random.Generator", leader: int = 0
    ) -> "Deal":
        """A new hand from a shuffled deck."""
        order = rng.permutation(len(ALL_CARDS)).reshape(SEATS, RANKS)
        dealt = [set_of(ALL_CARDS[index] for index in hand) for hand in order]
        return cls.of(rules, dealt, direction, leader)

    @classmethod
    def over(cls, rules: Rules, tricks: tuple[Trick, ...]) -> "Deal":
        """A finished hand from its tricks alone, as if no cards were passed."""
        dealt = [0] * SEATS
        for trick in tricks:
            for seat, card in trick.plays:
                dealt[seat] |= bit(card)
        after = Trick(tricks[-1].winner)
        return cls(rules, PassDirection.HOLD, tuple(dealt), NOTHING, NOTHING, after, tricks)

    @property
    def passing(self) -> bool:
        """Whether cards are still to be passed."""
        return self.direction is not PassDirection.HOLD and not all(self.passes)

    @property
    def finished(self) -> bool:
        """Whether all thirteen tricks are over."""
        return len(self.tricks) == RANKS

    @property
    def turn(self) -> int | None:
        """The seat to play; None during the pass, and when the hand is over."""
        return None if self.passing or self.finished else self.trick.turn

    @property
    def first_trick(self) -> bool:
        """Whether the current trick is the first of the hand."""
        return not self.tricks

    @property
    def broken(self) -> bool:
        """Whether hearts are broken."""
        return bool(self.played & self.rules.heart_breakers)

    @property
    def played(self) -> CardSet:
        """All cards that have been played, including the current trick."""
        left = self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3]
        return DECK & ~left

    @property
    def plays(self) -> Iterator[tuple[int, Card]]:
        """The seat and the card of each play, in order."""
        return (play for trick in (*self.tricks, self.trick) for play in trick.plays)

    @cached_property
    def legal(self) -> CardSet:
        """The legal cards of the seat to play, 0 if no seat is to play."""
        turn = self.turn
        if turn is None:
            return 0
        return legal_plays(
            self.rules,
            self.hands[turn],
            self.trick.led,
            first_trick=self.first_trick,
            broken=self.broken,
        )

    @cached_property
    def taken(self) -> Hands:
        """The cards that each seat has won."""
        return taken_in(self.tricks)

    @property
    def points(self) -> tuple[int, ...]:
        """The points of the cards that each seat has won so far, without moons and bonuses."""
        return tuple(points_in(self.rules, cards) for cards in self.taken)

    @property
    def shooter(self) -> int | None:
        """The seat that shot the moon in a finished hand, else None."""
        return moon_shooter(self.rules, self.taken) if self.finished else None

    def final_points(self, choice: MoonScoring = MoonScoring.OTHERS_ADD) -> tuple[int, ...]:
        """The points of the finished hand; `choice` applies if the shooter may choose."""
        if not self.finished:
            raise IllegalMove(f"the hand has no result yet: {len(self.tricks)} tricks are over")
        return hand_points(self.rules, self.taken, choice)

    def give(self, seat: int, cards: CardSet) -> "Deal":
        """The deal after a seat has chosen its pass; the fourth pass exchanges the cards."""
        self._check_pass(seat, cards)
        passes = (*self.passes[:seat], cards, *self.passes[seat + 1 :])
        deal = replace(self, passes=passes)
        return deal if deal.passing else deal._exchanged()

    def play(self, card: Card, seat: int | None = None) -> "Deal":
        """The deal after a card; `seat`, if given, must be the seat to play."""
        turn = self._check_turn(card, seat)
        if not (is_card(card) and self.legal & bit(card)):
            raise IllegalMove(self._why_illegal(turn, card))
        hands = tuple(hand & ~bit(card) for hand in self.hands)
        trick = self.trick.add(card)
        tricks = self.tricks
        if trick.complete:
            trick, tricks = Trick(trick.winner), (*tricks, trick)
        # `dataclasses.replace` would double the time of this method.
        before = (self.rules, self.direction, self.dealt, self.passes)
        return Deal(*before, hands=hands, trick=trick, tricks=tricks)

    def _exchanged(self) -> "Deal":
        hands = tuple(
            self.dealt[seat] & ~self.passes[seat] | self.passes[(seat - self.direction) % SEATS]
            for seat in range(SEATS)
        )
        return replace(self, hands=hands)._opened()

    def _opened(self) -> "Deal":
        """The deal with the holder of the opening card, if there is one, as the leader."""
        opener = self.rules.opener
        if not opener:
            return self
        holder = next(seat for seat in range(SEATS) if self.hands[seat] & opener)
        return replace(self, trick=Trick(holder))

    def _check_pass(self, seat: int, cards: CardSet) -> None:
        what = f"seat {seat} cannot pass {' '.join(names(cards)) or 'nothing'}"
        if seat not in range(SEATS):
            raise IllegalMove(f"{what}: seats are 0 to 3")
        if not self.passing:
            held = self.direction is PassDirection.HOLD
            raise IllegalMove(f"{what}: {'no cards are passed' if held else 'the pass is over'}")
        if self.passes[seat]:
            raise IllegalMove(f"{what}: it has passed {' '.join(names(self.passes[seat]))} already")
        if count(cards) != PASS_SIZE:
            raise IllegalMove(f"{what}: a pass is {PASS_SIZE} cards")
        if missing := cards & ~self.dealt[seat]:
            raise IllegalMove(f"{what}: {' '.join(names(missing))} not in the hand")

    def _check_turn(self, card: Card, seat: int | None) -> int:
        """The seat to play; raises IllegalMove if there is none, or if it is not `seat`."""
        turn = self.turn
        what = "nobody can play" if seat is None else f"seat {seat} cannot play"
        if self.passing:
            raise IllegalMove(f"{what} {_word(card)}: the cards are to be passed first")
        if turn is None:
            raise IllegalMove(f"{what} {_word(card)}: the hand is over")
        if seat is not None and seat != turn:
            raise IllegalMove(f"{what} {_word(card)}: seat {turn} is to play")
        return turn

    def _why_illegal(self, seat: int, card: Card) -> str:
        """Why the seat to play may not play a card."""
        hand, led = self.hands[seat], self.trick.led
        why = why_illegal(self.rules, hand, card, led, first_trick=self.first_trick)
        return f"seat {seat} cannot play {_word(card)}: {why}"


def past_hands(hands: Sequence[Deal]) -> PastHands:
    """The latest finished hands of a match, as players consider them."""
    return tuple(hand.tricks for hand in hands[-REMEMBERED:])


def moments(deal: Deal) -> Iterator[tuple[Deal, int, int]]:
    """Each decision of a hand: the deal before it, the seat, and its card or cards as a set.

    Seats pass at the same time, so no pass of another seat is in the deal before a pass.
    """
    first = (*deal.tricks, deal.trick)[0].leader
    now = Deal.of(deal.rules, deal.dealt, deal.direction, first)
    given = [(seat, cards) for seat, cards in enumerate(deal.passes) if cards]
    for seat, cards in given:
        yield now, seat, cards
    for seat, cards in given:
        now = now.give(seat, cards)
    for seat, card in deal.plays:
        yield now, seat, bit(card)
        now = now.play(card)


def _word(card: Card) -> str:
    return name(card) if is_card(card) else f"card {card}"


def _check_dealt(dealt: Sequence[CardSet]) -> None:
    if len(dealt) != SEATS:
        raise InvalidCard("dealt", f"{len(dealt)} hands: there are {SEATS} seats")
    seen = 0
    for seat, hand in enumerate(dealt):
        size = count(hand & DECK)
        if size != RANKS or hand & ~DECK:
            raise InvalidCard(("dealt", seat), f"{size} cards: a hand has {RANKS}")
        if twice := hand & seen:
            cards = " ".join(names(twice))
            raise InvalidCard(("dealt", seat), f"{cards}: dealt to another seat too")
        seen |= hand
