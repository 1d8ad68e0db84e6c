"""One hand of Hearts with everything known: what was dealt, passed and played.

A `Deal` never changes: `give` and `play` check a move and return the deal after it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
from hearts.game.evidence import objection
from hearts.game.rules import (
    PASS_SIZE,
    MoonScoring,
    PassDirection,
    Rules,
    hand_points,
    legal_plays,
    moon_shooter,
    points_in,
)
from hearts.game.trick import Hands, PastHands, Trick, taken_in

if TYPE_CHECKING:
    import numpy as np

NOTHING: Hands = (0,) * SEATS
REMEMBERED = 10  # hands of a match that players look back at: more say no more about the others


@dataclass(frozen=True)
class Deal:
    """A hand at some moment; begin with `Deal.of` or `Deal.random`.

    The direction alone says whether cards are passed; `rules.do_pass_cards` is for the match, which
    picks the direction.
    """

    rules: Rules
    direction: PassDirection
    dealt: Hands  # before the pass
    passes: Hands  # what each seat has given, 0 while it has not
    hands: Hands  # what each seat holds now; as dealt until all four have given
    trick: Trick  # the current one; its leader means nothing while cards are passed
    tricks: tuple[Trick, ...] = ()  # the completed ones

    @classmethod
    def of(
        cls,
        rules: Rules,
        dealt: Sequence[CardSet],
        direction: PassDirection = PassDirection.HOLD,
        leader: int = 0,
    ) -> "Deal":
        """A new hand; `leader` counts under rules in which no card decides who opens."""
        _check_dealt(dealt)
        deal = cls(rules, direction, tuple(dealt), NOTHING, tuple(dealt), Trick(leader % SEATS))
        return deal if deal.passing else deal._opened()

    @classmethod
    def random(
        cls, rules: Rules, direction: PassDirection, rng: "np.random.Generator", leader: int = 0
    ) -> "Deal":
        """A new hand, shuffled; every deal is equally likely."""
        order = rng.permutation(len(ALL_CARDS)).reshape(SEATS, RANKS)
        dealt = [set_of(ALL_CARDS[place] for place in hand) for hand in order]
        return cls.of(rules, dealt, direction, leader)

    @classmethod
    def over(cls, rules: Rules, tricks: tuple[Trick, ...]) -> "Deal":
        """A finished hand of which nothing but its tricks is known, as if no cards were passed."""
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
        """The seat to play, None while cards are passed and when the hand is over."""
        return None if self.passing or self.finished else self.trick.turn

    @property
    def first_trick(self) -> bool:
        """Whether no trick is over yet."""
        return not self.tricks

    @property
    def broken(self) -> bool:
        """Whether hearts are broken."""
        return bool(self.played & self.rules.heart_breakers)

    @property
    def played(self) -> CardSet:
        """Every card played, the current trick's too."""
        left = self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3]
        return DECK & ~left

    @property
    def plays(self) -> Iterator[tuple[int, Card]]:
        """Seat and card of every play, in order."""
        return (play for trick in (*self.tricks, self.trick) for play in trick.plays)

    @cached_property
    def legal(self) -> CardSet:
        """The cards that the seat to play may play, 0 when nobody is to play."""
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
        """What the cards taken so far cost each seat; moons and bonuses come at the end."""
        return tuple(points_in(self.rules, cards) for cards in self.taken)

    @property
    def shooter(self) -> int | None:
        """The seat that shot the moon, None while the hand goes on."""
        return moon_shooter(self.rules, self.taken) if self.finished else None

    def final_points(self, choice: MoonScoring = MoonScoring.OTHERS_ADD) -> tuple[int, ...]:
        """The points of the finished hand, moon included; `choice` is the shooter's, if any."""
        if not self.finished:
            raise IllegalMove(f"the hand has no result yet: {len(self.tricks)} tricks are over")
        return hand_points(self.rules, self.taken, choice)

    def give(self, seat: int, cards: CardSet) -> "Deal":
        """The deal after a seat has chosen its pass; the fourth choice exchanges the cards."""
        self._check_pass(seat, cards)
        passes = (*self.passes[:seat], cards, *self.passes[seat + 1 :])
        deal = replace(self, passes=passes)
        return deal if deal.passing else deal._exchanged()

    def play(self, card: Card, seat: int | None = None) -> "Deal":
        """The deal after a card; `seat` is checked against the turn where it is given."""
        turn = self._check_turn(card, seat)
        if not (is_card(card) and self.legal & bit(card)):
            raise IllegalMove(self._refusal(turn, card))
        hands = tuple(hand & ~bit(card) for hand in self.hands)
        trick = self.trick.add(card)
        tricks = self.tricks
        if trick.complete:
            trick, tricks = Trick(trick.winner), (*tricks, trick)
        # Written out: `replace` takes as long as everything else here.
        before = (self.rules, self.direction, self.dealt, self.passes)
        return Deal(*before, hands=hands, trick=trick, tricks=tricks)

    def _exchanged(self) -> "Deal":
        hands = tuple(
            self.dealt[seat] & ~self.passes[seat] | self.passes[(seat - self.direction) % SEATS]
            for seat in range(SEATS)
        )
        return replace(self, hands=hands)._opened()

    def _opened(self) -> "Deal":
        """The deal with the holder of the opening card on lead, under rules that have one."""
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
        """The seat that plays `card`, if a card may be played at all, and by that seat."""
        turn = self.turn
        what = "nobody can play" if seat is None else f"seat {seat} cannot play"
        if self.passing:
            raise IllegalMove(f"{what} {_word(card)}: the cards are to be passed first")
        if turn is None:
            raise IllegalMove(f"{what} {_word(card)}: the hand is over")
        if seat is not None and seat != turn:
            raise IllegalMove(f"{what} {_word(card)}: seat {turn} is to play")
        return turn

    def _refusal(self, seat: int, card: Card) -> str:
        """Why the seat to play may not play a card."""
        hand, led = self.hands[seat], self.trick.led
        why = objection(self.rules, hand, card, led, first_trick=self.first_trick)
        return f"seat {seat} cannot play {_word(card)}: {why}"


def past_hands(hands: Sequence[Deal]) -> PastHands:
    """What is remembered of the finished hands of a match."""
    return tuple(hand.tricks for hand in hands[-REMEMBERED:])


def moments(deal: Deal) -> Iterator[tuple[Deal, int, int]]:
    """Every choice of a hand: the hand before it, the seat, and the card or cards as a set.

    Seats pass at the same time: nobody has seen what the others give.
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
