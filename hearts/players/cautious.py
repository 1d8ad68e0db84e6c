"""The player `cautious`: counts cards; the strongest of the rule-based players.

It plays the card with the lowest price − burden. The price is the expected cost of the card in this
trick; the burden is its expected cost later, if kept. So it ducks as high as it can, takes a cheap
trick with a dangerous card when last, plays Q♠ under ace or king, leads low in suits where the
others hold higher cards, and draws out Q♠ with low spades.
"""

from hearts.game.cards import (
    DIAMONDS,
    HEARTS,
    QUEEN_OF_SPADES,
    SPADES,
    SUIT_MASK,
    Card,
    CardSet,
    bit,
    count,
    members,
)
from hearts.game.rules import ALL_HEARTS, JACK, JACK_POINTS, QUEEN, QUEEN_POINTS, points_in
from hearts.players.passing import LOW_SPADES, rule_pass
from hearts.players.player import Player
from hearts.players.reading import Reading
from hearts.views.view import View

HIGH_SPADES: CardSet = SUIT_MASK[SPADES] & ~(2 * QUEEN - 1)  # king and ace


class CautiousPlayer(Player):
    """Ducks, counts cards, discards dangerous ones, and stops a visible moon attempt."""

    name = "cautious"
    # In points. Set by hand: some 40 changes were tried on 250–400 deals each, against unchanged
    # players; few differences were larger than their intervals, so only the rough size matters.
    alarm = 10  # points of a seat that has all points so far, to suspect a moon
    stop_worth = 20.0  # value of stopping a certain moon
    shed_by_lead = 0.8  # share of a card's burden that counts when it is led
    lure = 2.5  # value of a low spade lead while another seat holds Q♠
    expose = 4.0  # cost of a spade lead while I hold Q♠ or a higher spade
    side_burden = 2.5  # of a side card that will surely win, without lower cards to duck
    heart_burden = 4.0  # the same for a heart
    duck = 0.9  # factor on a burden for each lower card to duck with
    queen_burden = 6.0  # of Q♠ without guards
    cover_burden = 4.0  # of A♠ or K♠ without guards while Q♠ is out
    guarding = 0.75  # factor on these two for each low spade
    void_worth = 0.8  # value of discarding the last card of a suit

    def choose_card(self, view: View, seed: int) -> Card:
        """Choose the legal card with the lowest cost, the highest of equal ones."""
        reading = Reading(view)
        leading, led = not view.trick.cards, view.trick.led
        choice = self.lead_cost if leading else self.reply_cost
        if not leading and not view.legal & SUIT_MASK[led or 0]:
            choice = self.discard_cost
        return min(members(view.legal), key=lambda card: (choice(reading, card), -card))

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Pass by heuristic rules."""
        return rule_pass(view.hand, view.direction, view.rules)

    def lead_cost(self, reading: Reading, card: Card) -> float:
        """The price of leading a card, less its burden."""
        suit = card >> 4
        price = reading.chance_to_win(card) * self.trick_points(reading, card)
        if suit == SPADES and (reading.queen_out or reading.queen_mine):
            price += self.spade_lead(reading, card)
        return price - self.shed_by_lead * self.burden(reading, card)

    def spade_lead(self, reading: Reading, card: Card) -> float:
        """The price that a spade lead adds while Q♠ is not played."""
        if reading.hand & (QUEEN | HIGH_SPADES):
            return self.expose  # it draws out the low spades that guard my high ones
        return -self.lure  # it draws out the guards of Q♠

    def reply_cost(self, reading: Reading, card: Card) -> float:
        """The price of following suit with a card, less its burden."""
        if card < max_of(reading.view.trick.cards):
            return -self.burden(reading, card) - self.relief(card)
        price = reading.chance_to_win(card) * self.trick_points(reading, card)
        return price - self.burden(reading, card)

    def relief(self, card: Card) -> float:
        """The value of playing a card now, beyond its burden: Q♠ goes first."""
        return QUEEN_POINTS if card == QUEEN_OF_SPADES else 0.0

    def discard_cost(self, reading: Reading, card: Card) -> float:
        """The price of a discard, less its burden: 0 unless it helps a shooter."""
        shortness = self.void_worth / count(reading.hand & SUIT_MASK[card >> 4])
        gift = self.gift_to_shooter(reading, card)
        return gift - self.burden(reading, card) - self.relief(card) - shortness

    def gift_to_shooter(self, reading: Reading, card: Card) -> float:
        """The price of a point card on a trick that a likely shooter is winning."""
        worth = self.worth_of_stopping(reading)
        if not worth or reading.view.trick.winner != reading.shooter:
            return 0.0
        return worth * bool(bit(card) & (ALL_HEARTS | QUEEN))

    def trick_points(self, reading: Reading, card: Card) -> float:
        """The expected points of a trick that my card wins, less the value of stopping a moon."""
        suit, rules = card >> 4, reading.rules
        lying = points_in(rules, reading.trick_cards | bit(card))
        points = lying + reading.gifts(suit)
        if suit == SPADES and reading.queen_out and card > QUEEN_OF_SPADES:
            points += QUEEN_POINTS * reading.followers[SPADES] / max(1, reading.holders[SPADES])
        if rules.jack_bonus and suit == DIAMONDS and reading.out & JACK:
            points += JACK_POINTS * 0.2
        if lying > 0:
            points -= self.worth_of_stopping(reading)
        return points

    def worth_of_stopping(self, reading: Reading) -> float:
        """The value of taking a point from the seat that has all points so far."""
        held = reading.shooter_points
        if held < self.alarm:
            return 0.0
        return self.stop_worth * (held / reading.rules.total) ** 3  # few suspects shoot

    def burden(self, reading: Reading, card: Card) -> float:
        """The expected cost of keeping a card."""
        suit = card >> 4
        if suit == SPADES and card >= QUEEN_OF_SPADES:
            return self.high_spade_burden(reading, card)
        lower, higher = reading.lower_out(card), reading.higher_out(card)
        if not lower:
            return 0.0  # every other card of its suit beats it
        lower_cards = reading.out & SUIT_MASK[suit] & (bit(card) - 1)
        below = reading.hand & SUIT_MASK[suit] & ((1 << lower_cards.bit_length() - 1) - 1)
        weight = self.heart_burden if suit == HEARTS else self.side_burden
        if suit == HEARTS and self.worth_of_stopping(reading):
            return -1.0 if higher == 0 else 0.0  # keep the card that stops the moon
        return weight * lower / (lower + higher + 1.0) * self.duck ** below.bit_count()

    def high_spade_burden(self, reading: Reading, card: Card) -> float:
        """The expected cost of keeping Q♠, K♠ or A♠."""
        guards = count(reading.hand & LOW_SPADES)
        if card == QUEEN_OF_SPADES:
            return self.queen_burden * self.guarding**guards if reading.queen_mine else 0.5
        if reading.queen_out:
            return self.cover_burden * self.guarding**guards
        return 0.5 if reading.lower_out(card) else 0.0


def max_of(cards: tuple[Card, ...]) -> Card:
    """The card that is winning a trick."""
    led = cards[0] >> 4
    return max(card for card in cards if card >> 4 == led)
