"""What a card-counting player derives from a view: cards out, voids, a possible shooter."""

from hearts.game.cards import HEARTS, SEATS, SPADES, SUIT_MASK, Card, CardSet, Suit
from hearts.game.rules import ALL_HEARTS, QUEEN, QUEEN_POINTS, points_in
from hearts.game.trick import Trick
from hearts.views.view import View

# Probability that one of `n` seats holds none of k cards that are spread over them: (1 − 1/n)^k.
_NONE = tuple(tuple((1 - 1 / n) ** k if n else 1.0 for k in range(14)) for n in range(SEATS))


class Reading:
    """A view with the facts that a card-counting player derives from it.

    It is built for every decision and computes eagerly what nearly every decision needs; lazy
    properties would be slower.
    """

    def __init__(self, view: View) -> None:
        rules = view.rules
        self.view, self.rules = view, rules
        self.hand: CardSet = view.hand
        self.out: CardSet = view.unseen
        self.queen_out = bool(rules.queen_penalty and self.out & QUEEN)
        self.queen_mine = bool(rules.queen_penalty and self.hand & QUEEN)
        self.trick_cards = view.trick.cards_set
        self.behind = SEATS - 1 - len(view.trick.cards)  # number of seats that play after me
        voids = shown_voids((*view.tricks, view.trick))
        near, across, far = (voids[(view.seat + step) % SEATS] for step in range(1, SEATS))
        # By suit: the number of other seats that may still hold it, and of those after me.
        self.holders = [0] * 4
        self.followers = [0] * 4
        for suit, cards in enumerate(SUIT_MASK):
            if self.out & cards:
                may = (not near & cards, not across & cards, not far & cards)
                self.holders[suit] = may[0] + may[1] + may[2]
                self.followers[suit] = sum(may[: self.behind])
        self.shooter, self.shooter_points = _shooter(view)
        self.discard_points = self._discard_points()

    def lower_out(self, card: Card) -> int:
        """The number of lower cards of its suit that the others hold."""
        return (self.out & SUIT_MASK[card >> 4] & ((1 << card) - 1)).bit_count()

    def higher_out(self, card: Card) -> int:
        """The number of higher cards of its suit that the others hold."""
        return (self.out & SUIT_MASK[card >> 4] & -(2 << card)).bit_count()

    def chance_to_win(self, card: Card) -> float:
        """Probability that no seat after me beats a card, if all of them duck when they can."""
        suit = card >> 4
        none = _NONE[self.holders[suit]]
        forced_over = none[self.lower_out(card)] * (1 - none[self.higher_out(card)])
        return float((1 - forced_over) ** self.followers[suit])

    def gifts(self, suit: Suit) -> float:
        """The points that the seats after me are expected to add to a trick of a suit."""
        void = _NONE[self.holders[suit]][(self.out & SUIT_MASK[suit]).bit_count()]
        following = self.followers[suit] * (1 - void)
        hearts = following if suit == HEARTS and not self.rules.hearts_arent_points else 0.0
        return (self.behind - following) * self.discard_points + hearts

    def _discard_points(self) -> float:
        """The expected points of the discard of a seat that cannot follow."""
        if self.view.first_trick and self.rules.barred_first == ALL_HEARTS | QUEEN:
            return 0.0
        hearts = bool(self.out & ALL_HEARTS) and not self.rules.hearts_arent_points
        queen = QUEEN_POINTS / max(1, self.holders[SPADES]) if self.queen_out else 0.0
        return queen + hearts * 0.8


def shown_voids(tricks: tuple[Trick, ...]) -> list[CardSet]:
    """For each seat the suits that it has not followed, as sets of cards."""
    voids = [0] * SEATS
    for trick in tricks:
        cards = trick.cards
        for place in range(1, len(cards)):
            if cards[place] >> 4 != cards[0] >> 4:
                voids[(trick.leader + place) % SEATS] |= SUIT_MASK[cards[0] >> 4]
    return voids


def _shooter(view: View) -> tuple[int | None, int]:
    """Another seat that has all points so far, and their number; None and 0 if there is none."""
    needed = view.rules.moon_cards
    if not view.played & needed:
        return None, 0
    takers = [seat for seat, cards in enumerate(view.taken) if cards & needed]
    if len(takers) != 1 or takers[0] == view.seat:
        return None, 0
    return takers[0], points_in(view.rules, view.taken[takers[0]] & needed)
