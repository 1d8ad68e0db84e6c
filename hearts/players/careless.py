"""The player `careless`: a beginner who does not count cards and sometimes errs."""

from random import Random

from hearts.game.cards import SUIT_MASK, Card, CardSet, members, rank_of, set_of
from hearts.game.rules import PASS_SIZE, QUEEN
from hearts.players.player import Player
from hearts.players.random import any_card
from hearts.views.view import View


class CarelessPlayer(Player):
    """Follows low, discards high, leads low from any suit; every sixth card is random."""

    name = "careless"
    slip = 1 / 6  # probability of a random card

    def choose_card(self, view: View, seed: int) -> Card:
        """Choose by habit, or at random."""
        rng = Random(seed)
        if rng.random() < self.slip:
            return any_card(view.legal, seed)
        led = view.trick.led
        if led is None:
            return rng.choice(lowest_of_suits(view.legal))
        if view.legal & SUIT_MASK[led]:
            return min(members(view.legal))
        return worst(view.legal)

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Choose the three highest cards of any suit; Q♠ first."""
        by_rank = sorted(members(view.hand), key=_height, reverse=True)
        return set_of(by_rank[:PASS_SIZE])


def lowest_of_suits(cards: CardSet) -> list[Card]:
    """The lowest card of each suit in a set."""
    suits = (cards & suit for suit in SUIT_MASK)
    return [(own & -own).bit_length() - 1 for own in suits if own]


def worst(cards: CardSet) -> Card:
    """The card to discard: Q♠, else the highest."""
    return max(members(cards), key=_height)


def _height(card: Card) -> tuple[bool, int, int]:
    return 1 << card == QUEEN, rank_of(card), card
