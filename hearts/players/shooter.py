"""The player `shooter`: tries to shoot the moon with a promising hand, else plays cautiously."""

from hearts.game.cards import (
    HEARTS,
    SEATS,
    SUIT_MASK,
    Card,
    CardSet,
    Suit,
    members,
    rank_of,
    set_of,
    suit_of,
)
from hearts.game.rules import PASS_SIZE
from hearts.players.cautious import CautiousPlayer, max_of
from hearts.players.reading import Reading
from hearts.views.view import View


class ShooterPlayer(CautiousPlayer):
    """Tries to shoot while the others have no point and it has few losers."""

    name = "shooter"
    patience = 4  # losers allowed in a full hand; in proportion later

    def choose_card(self, view: View, seed: int) -> Card:
        """Play for the moon while it is feasible, else cautiously."""
        reading = Reading(view)
        if not self.can_shoot(reading):
            return super().choose_card(view, seed)
        led = view.trick.led
        if led is None:
            return best_lead(reading)
        if view.legal & SUIT_MASK[led]:
            return best_reply(reading)
        return least_useful(reading)

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Pass the surest losers if the rest could shoot, else cautiously."""
        reading = Reading(view)
        spared = PASS_SIZE  # losers that the pass removes
        if sum(losers(reading, suit) for suit in range(4)) > self.patience + spared:
            return super().choose_pass(view, seed)
        order = sorted(members(view.hand), key=lambda card: usefulness(reading, card))
        return set_of(order[:PASS_SIZE])

    def can_shoot(self, reading: Reading) -> bool:
        """Whether a moon is possible with at most the losers that `patience` allows."""
        view = reading.view
        others = any(view.points[seat] > 0 for seat in view.others)
        if others or not view.rules.moon_cards:
            return False
        total = sum(losers(reading, suit) for suit in range(4))
        return total * 13 <= self.patience * view.round_size


def losers(reading: Reading, suit: Suit) -> int:
    """The number of losers in a suit, played from the top."""
    own, out = reading.hand & SUIT_MASK[suit], reading.out & SUIT_MASK[suit]
    winners = 0
    while own >> 1 > out >> 1 and own:  # my highest card beats all that are out
        own ^= 1 << own.bit_length() - 1
        winners += 1
        for _ in range(SEATS - 1):  # each opponent follows with one card
            out &= out - 1
    return own.bit_count() if out else 0


def usefulness(reading: Reading, card: Card) -> tuple[int, int, int]:
    """How much a card helps to take every trick: sure winners most, low losers least."""
    suit = suit_of(card)
    risk = losers(reading, suit)
    sure = not reading.higher_out(card)
    return (sure or not risk), rank_of(card) - 2 * (suit == HEARTS) * (not sure), -card


def best_lead(reading: Reading) -> Card:
    """The highest card of the suit with the fewest losers, sure winners first."""
    return max(
        members(reading.view.legal),
        key=lambda card: (
            not reading.higher_out(card),
            -losers(reading, suit_of(card)),
            rank_of(card),
        ),
    )


def best_reply(reading: Reading) -> Card:
    """The lowest card that surely wins the trick, else the highest that may, else the lowest."""
    legal, best = reading.view.legal, max_of(reading.view.trick.cards)
    over = legal & -(2 << best)
    if not over:
        return next(members(legal))
    sure = [card for card in members(over) if not (reading.behind and reading.higher_out(card))]
    return sure[0] if sure else over.bit_length() - 1


def least_useful(reading: Reading) -> Card:
    """The least useful legal card."""
    return min(members(reading.view.legal), key=lambda card: usefulness(reading, card))
