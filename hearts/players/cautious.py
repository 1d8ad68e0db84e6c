"""A careful player who counts: the strongest of the rule-based ones.

Two questions settle every card. What will this trick cost me if I play it (`price`)? What would it
cost me later if I kept it (`burden`)? The card with the lowest price less burden is played, so it
ducks as high as it can, takes a cheap trick with a dangerous card when last, lays Q♠ under ace or
king, leads low where the others are left with higher cards, and lures the queen with low spades.
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
    """Ducks, counts what is out, sheds what is dangerous, and breaks a moon that shows."""

    name = "cautious"
    # In points. Set by hand after trying some 40 changes against three unchanged players, 250–400
    # deals each: few differences were larger than their intervals, so only the rough size counts.
    alarm = 10  # points that one seat must hold, all so far, before it looks like a moon
    stop_worth = 20.0  # what breaking a certain moon is worth
    shed_by_lead = 0.8  # share of a card's burden that counts when it is led
    lure = 2.5  # worth of a low spade lead while the queen is with others
    expose = 4.0  # cost of a spade lead while I hold the queen, or a card above her
    side_burden = 2.5  # of a side card that will surely win, without ducks below it
    heart_burden = 4.0  # the same for a heart
    duck = 0.9  # each card of mine that is really lower leaves so much of a burden
    queen_burden = 6.0  # of a bare queen
    cover_burden = 4.0  # of a bare ace or king of spades while she is out
    guarding = 0.75  # each low spade leaves so much of those two
    void_worth = 0.8  # of throwing away the last card of a suit: it lets me discard again

    def choose_card(self, view: View, seed: int) -> Card:
        """The legal card with the lowest price less burden, of equal ones the highest."""
        reading = Reading(view)
        leading, led = not view.trick.cards, view.trick.led
        choice = self.lead_cost if leading else self.reply_cost
        if not leading and not view.legal & SUIT_MASK[led or 0]:
            choice = self.discard_cost
        return min(members(view.legal), key=lambda card: (choice(reading, card), -card))

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """By rules of thumb."""
        return rule_pass(view.hand, view.direction, view.rules)

    def lead_cost(self, reading: Reading, card: Card) -> float:
        """What leading a card costs, less what it cures."""
        suit = card >> 4
        price = reading.chance_to_win(card) * self.trick_points(reading, card)
        if suit == SPADES and (reading.queen_out or reading.queen_mine):
            price += self.spade_lead(reading, card)
        return price - self.shed_by_lead * self.burden(reading, card)

    def spade_lead(self, reading: Reading, card: Card) -> float:
        """What a spade lead adds while the queen is in somebody's hand."""
        if reading.hand & (QUEEN | HIGH_SPADES):
            return self.expose  # every round of spades brings my own high ones nearer to their fall
        return -self.lure  # low spades make her holder play her

    def reply_cost(self, reading: Reading, card: Card) -> float:
        """What following suit with a card costs, less what it cures."""
        if card < max_of(reading.view.trick.cards):
            return -self.burden(reading, card) - self.relief(card)
        price = reading.chance_to_win(card) * self.trick_points(reading, card)
        return price - self.burden(reading, card)

    def relief(self, card: Card) -> float:
        """What it is worth beyond the burden to be rid of a card now: the queen goes first."""
        return QUEEN_POINTS if card == QUEEN_OF_SPADES else 0.0

    def discard_cost(self, reading: Reading, card: Card) -> float:
        """What throwing a card away costs: nothing, unless it helps a shooter."""
        shortness = self.void_worth / count(reading.hand & SUIT_MASK[card >> 4])
        gift = self.gift_to_shooter(reading, card)
        return gift - self.burden(reading, card) - self.relief(card) - shortness

    def gift_to_shooter(self, reading: Reading, card: Card) -> float:
        """What it costs to add a card to a trick that a likely shooter is winning."""
        worth = self.worth_of_stopping(reading)
        if not worth or reading.view.trick.winner != reading.shooter:
            return 0.0
        return worth * bool(bit(card) & (ALL_HEARTS | QUEEN))

    def trick_points(self, reading: Reading, card: Card) -> float:
        """The points in the trick if a card of mine wins it; less where that breaks a moon."""
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
        """What it is worth to take a point from the seat that has them all so far."""
        held = reading.shooter_points
        if held < self.alarm:
            return 0.0
        return self.stop_worth * (held / reading.rules.total) ** 3  # few alarms are true

    def burden(self, reading: Reading, card: Card) -> float:
        """What keeping a card is expected to cost later."""
        suit = card >> 4
        if suit == SPADES and card >= QUEEN_OF_SPADES:
            return self.high_spade_burden(reading, card)
        lower, higher = reading.lower_out(card), reading.higher_out(card)
        if not lower:
            return 0.0  # it never has to win a trick that others can lose
        between = reading.out & SUIT_MASK[suit] & (bit(card) - 1)
        below = reading.hand & SUIT_MASK[suit] & ((1 << between.bit_length() - 1) - 1)
        weight = self.heart_burden if suit == HEARTS else self.side_burden
        if suit == HEARTS and self.worth_of_stopping(reading):
            return -1.0 if higher == 0 else 0.0  # the stopper stays
        return weight * lower / (lower + higher + 1.0) * self.duck ** below.bit_count()

    def high_spade_burden(self, reading: Reading, card: Card) -> float:
        """What keeping the queen, or a card above her, is expected to cost."""
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
