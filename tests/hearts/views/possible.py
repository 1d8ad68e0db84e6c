"""Whether a view can be, in plain Python: lists of cards, one question per card, no set algebra.

A card `x` can have been beside `c` in a hand if the rules let `c` be played from the two of them; a
view can be if every unseen card finds a holder, one card after the other (augmenting paths).
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from hearts.game.cards import ALL_CARDS, TWO_OF_CLUBS, bit, members, suit_of
from hearts.game.legality import legal_plays
from hearts.game.rules import PassDirection, Rules
from hearts.game.trick import Trick

Fields = dict[str, Any]  # the arguments of View
GONE = 4  # the holder of cards that left the game in tricks that are not given


class Impossible(Exception):
    """Raised at the first thing that cannot be."""


def require(condition: object) -> None:
    if not condition:
        raise Impossible


def can_be(fields: Fields) -> bool:
    """Whether some deal and legal play lead to these fields."""
    try:
        Reader(fields).read()
    except Impossible:
        return False
    return True


class Reader:
    """Reads a view as a suspicious player would."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.seat: int = fields["seat"]
        self.rules: Rules = fields["rules"]
        self.hand = list(members(fields["hand"]))
        self.tricks: list[Trick] = [*fields["tricks"], fields["trick"]]
        self.over = len(fields["tricks"])
        self.passed = list(members(fields["passed"]))
        self.received = list(members(fields["received"]))
        self.receiver = (self.seat + fields["direction"]) % 4

    def read(self) -> None:
        self.check_numbers()
        self.check_cards()
        if self.fields["passing"]:
            self.check_passing()
            return
        for trick, after in pairwise(self.tricks):
            require(after.leader == self.winner(trick))
        self.check_pass()
        self.check_plays()
        self.check_holders()

    def check_numbers(self) -> None:
        require(self.seat in range(4))
        require(self.over <= 13)
        for number, trick in enumerate(self.tricks):
            require(trick.leader in range(4))
            require(all(card in ALL_CARDS for card in trick.cards))
            require(len(trick.cards) == 4 if number < self.over else len(trick.cards) < 4)
        self.size = len(self.hand) + sum(1 for seat, _ in self.table() if seat == self.seat)
        self.partial = self.over == 0 and self.size < 13
        require(self.partial or self.size + self.over == 13)
        require(self.size > 0 or not self.table())

    def table(self) -> list[tuple[int, int]]:
        trick = self.tricks[-1]
        return [((trick.leader + i) % 4, card) for i, card in enumerate(trick.cards)]

    def plays(self) -> Iterator[tuple[int, int, int, int | None]]:
        """Number of the trick, seat, card, and the suit to follow."""
        for number, trick in enumerate(self.tricks):
            for i, card in enumerate(trick.cards):
                yield number, (trick.leader + i) % 4, card, suit_of(trick.cards[0]) if i else None

    def check_cards(self) -> None:
        cards = self.hand + [card for _, _, card, _ in self.plays()]
        require(len(cards) == len(set(cards)))
        require(all(card in ALL_CARDS for card in cards))
        self.unseen = [card for card in ALL_CARDS if card not in cards]

    def check_passing(self) -> None:
        require(len(self.hand) == 13 and not self.over and not self.table())
        require(self.fields["direction"] != PassDirection.HOLD and not self.received)
        require(len(self.passed) in (0, 3) and set(self.passed) <= set(self.hand))

    def check_pass(self) -> None:
        require(len(self.passed) in (0, 3) and len(self.received) in (0, 3))
        if self.fields["direction"] == PassDirection.HOLD:
            require(not self.passed and not self.received)
        by_seat = {card: seat for _, seat, card, _ in self.plays()}
        by_seat |= dict.fromkeys(self.hand, self.seat)
        require(not set(self.passed) & set(self.received))
        for card in self.passed:
            require(by_seat.get(card, self.receiver) == self.receiver)
        for card in self.received:
            require(by_seat.get(card, self.seat) == self.seat)
            require(card in by_seat or self.partial)

    @staticmethod
    def winner(trick: Trick) -> int:
        followers = [card for card in trick.cards if suit_of(card) == suit_of(trick.cards[0])]
        return (trick.leader + trick.cards.index(max(followers))) % 4

    def check_plays(self) -> None:
        """Every card must have been legal beside those that its player had later on."""
        breakers = [card for card in ALL_CARDS if bit(card) & self.rules.heart_breakers]
        self.situations: list[tuple[int, int, int | None, bool, bool]] = []
        broken = self.partial
        plays = list(self.plays())
        for place, (number, seat, card, led) in enumerate(plays):
            first = number == 0 and not self.partial
            self.situations.append((seat, card, led, first, broken))
            later = [other for _, player, other, _ in plays[place + 1 :] if player == seat]
            for other in later + (self.hand if seat == self.seat else []):
                require(self.legal_beside(other, card, led, first, broken))
            broken = broken or card in breakers
        if self.rules.opener and not self.partial:
            for _, seat, card, _ in plays:
                require(card != TWO_OF_CLUBS or seat == self.tricks[0].leader)
            require(TWO_OF_CLUBS not in self.hand or self.tricks[0].leader == self.seat)

    def legal_beside(
        self, other: int, card: int, led: int | None, first: bool, broken: bool
    ) -> bool:
        hand = bit(card) | bit(other)
        legal = legal_plays(self.rules, hand, led, first_trick=first, broken=broken)
        return bool(legal & bit(card))

    def can_hold(self, seat: int, card: int) -> bool:
        if seat == GONE:
            return True
        if card in self.received or (card in self.passed and seat != self.receiver):
            return False
        opening = card == TWO_OF_CLUBS and self.rules.opener and not self.partial
        if opening and seat != self.tricks[0].leader:
            return False
        own = [situation for player, *situation in self.situations if player == seat]
        return all(self.legal_beside(card, *situation) for situation in own)

    def check_holders(self) -> None:
        """Find every unseen card a place of its own."""
        table = [seat for seat, _ in self.table()]
        places = [
            (seat, i)
            for seat in range(4)
            if seat != self.seat
            for i in range(self.size - (seat in table))
        ]
        require(len(places) <= len(self.unseen))
        require(self.partial or len(places) == len(self.unseen))
        places += [(GONE, i) for i in range(len(self.unseen) - len(places))]
        holds: dict[tuple[int, int], int] = {}
        fits = {
            (seat, card): self.can_hold(seat, card) for seat in range(5) for card in self.unseen
        }

        def settle(card: int, tried: set[tuple[int, int]]) -> bool:
            for place in places:
                if fits[place[0], card] and place not in tried:
                    tried.add(place)
                    if place not in holds or settle(holds[place], tried):
                        holds[place] = card
                        return True
            return False

        for card in self.unseen:
            require(settle(card, set()))
