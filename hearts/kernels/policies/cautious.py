"""The policies `cautious` and `guard`: they count cards, and play the card that costs least.

The cost of a card is its price, the expected points of the trick, less its burden, the expected
cost of keeping it. The constants are those of hearts.players.cautious and hearts.players.guard, and
floats are computed as there, operation by operation.
"""

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, ZERO, U, highest_bit, lowest_bit_index, popcount
from hearts.kernels.core.jit import inlined
from hearts.kernels.core.state import (
    HEARTS,
    HIGH_SPADES,
    JACK,
    JACK_BONUS,
    LOW_SPADES,
    QUEEN,
    QUEEN_PENALTY,
    THREE,
    lane_of,
    lane_points,
    taken_by_trick,
)
from hearts.kernels.policies.reading import (
    NOBODY,
    QUEEN_POINTS,
    chance_to_win,
    followers,
    gifts,
    holders,
    seats_with_points,
    suspect,
)

_SHED_BY_LEAD, _LURE, _EXPOSE = 0.8, 2.5, 4.0
_SIDE_BURDEN, _HEART_BURDEN, _DUCK = 2.5, 4.0, 0.9
_QUEEN_BURDEN, _COVER_BURDEN, _GUARDING, _VOID_WORTH = 6.0, 4.0, 0.75, 0.8
_JACK_TO_COME = -10 * 0.2
_MOST = 1e9  # above every cost

_DIAMONDS, _SPADES = U(1), U(2)


def _stop_worths():
    """Tables [Q♠ costs points, points of the shooter]: worth of stopping it; cautious, guard."""
    cautious, guard = np.zeros((2, 27)), np.zeros((2, 27))
    for queen, total in enumerate((13, 26)):
        for held in range(10, 27):
            cautious[queen, held] = 20.0 * (held / total) ** 3
        for held in range(4, 27):
            guard[queen, held] = 26.0 * held / total
    return cautious, guard


def _burdens():
    """Table [hearts, lower, higher]: burden of a card without lower cards to duck with."""
    table = np.zeros((2, 13, 13))
    for hearts, lower, higher in np.ndindex(*table.shape):
        weight = _HEART_BURDEN if hearts else _SIDE_BURDEN
        table[hearts, lower, higher] = weight * lower / (lower + higher + 1.0)
    return table


_CAUTIOUS_WORTH, _GUARD_WORTH = _stop_worths()
_BURDENS = _burdens()
_DUCKING = np.array([_DUCK**below for below in range(13)])
_QUEEN_BURDENS = np.array([_QUEEN_BURDEN * _GUARDING**guards for guards in range(13)])
_COVER_BURDENS = np.array([_COVER_BURDEN * _GUARDING**guards for guards in range(13)])
_SHORTNESS = np.array([_VOID_WORTH / max(1, held) for held in range(14)])


@inlined
def _high_spade_burden(reading, card, lower):
    """The expected cost of keeping Q♠, K♠ or A♠."""
    guards = popcount(reading.hand & LOW_SPADES)
    if card == QUEEN:
        return _QUEEN_BURDENS[guards] if reading.queen_mine else 0.5
    if reading.queen_out:
        return _COVER_BURDENS[guards]
    return 0.5 if lower else 0.0


@inlined
def _burden(reading, suit, card, out, lower, higher, worth, keeps_top):
    """The expected cost of keeping a card; `out` are the cards of its suit that are out."""
    if suit == _SPADES and card >= QUEEN:
        return _high_spade_burden(reading, card, lower)
    hearts = suit == THREE
    if hearts and keeps_top and higher == ZERO:
        return -1.0
    if lower == ZERO:
        return 0.0
    if hearts and worth != 0.0:
        return -1.0 if higher == ZERO else 0.0  # keep the card that stops the moon
    top = highest_bit(out & (card - ONE))
    below = popcount(reading.hand & lane_of(card) & (top - ONE))
    return _BURDENS[U(hearts), lower, higher] * _DUCKING[below]


@inlined
def _trick_points(reading, suit, card, given, holding, following, worth):
    """The expected points of a trick that a card wins, less the worth of stopping a moon."""
    lying = lane_points(taken_by_trick(reading.trick | card), reading.rules)
    points = np.float64(lying) + given
    if suit == _SPADES and reading.queen_out and card > QUEEN:
        points += QUEEN_POINTS * np.float64(following) / np.float64(max(ONE, holding))
    if suit == _DIAMONDS and reading.rules & JACK_BONUS and reading.out & JACK:
        points += _JACK_TO_COME
    if lying > 0:
        points -= worth
    return points


@inlined
def _cheapest(reading, suit, cards, shed, extra, worth, keeps_top, least, chosen):
    """The least cost and its card, of `cards` of one suit and of a card chosen before.

    `shed` is the share of the burden that counts, and `extra` is added to the price.
    """
    out = reading.out & (LANE << (suit << U(4)))
    left, holding, following = popcount(out), holders(reading, suit), followers(reading, suit)
    given = gifts(reading, suit, holding, following, left)
    while cards:
        card = cards & (ZERO - cards)
        cards ^= card
        lower = popcount(out & (card - ONE))
        higher = left - lower
        burden = _burden(reading, suit, card, out, lower, higher, worth, keeps_top)
        if card < reading.best:
            cost = -burden - (QUEEN_POINTS if card == QUEEN else 0.0)
        else:
            points = _trick_points(reading, suit, card, given, holding, following, worth)
            price = chance_to_win(holding, following, lower, higher) * points
            cost = price + extra - shed * burden
        if cost <= least:
            least, chosen = cost, card
    return least, chosen


@inlined
def _lead(reading, worth, keeps_top):
    """The cheapest lead."""
    least, chosen = _MOST, ZERO
    exposed = reading.hand & (QUEEN | HIGH_SPADES)
    for number in range(4):
        suit = U(number)
        cards = reading.legal & (LANE << (suit << U(4)))
        extra = 0.0
        if suit == _SPADES and (reading.queen_out or reading.queen_mine):
            extra = _EXPOSE if exposed else -_LURE
        if cards:
            least, chosen = _cheapest(
                reading, suit, cards, _SHED_BY_LEAD, extra, worth, keeps_top, least, chosen
            )
    return chosen


@inlined
def _discard(reading, worth, gift, keeps_top):
    """The cheapest discard; `gift` is the price of a penalty card."""
    least, chosen = _MOST, ZERO
    for number in range(4):
        suit = U(number)
        lane = LANE << (suit << U(4))
        cards, out = reading.legal & lane, reading.out & lane
        left, shortness = popcount(out), _SHORTNESS[popcount(reading.hand & lane)]
        while cards:
            card = cards & (ZERO - cards)
            cards ^= card
            lower = popcount(out & (card - ONE))
            burden = _burden(reading, suit, card, out, lower, left - lower, worth, keeps_top)
            relief = QUEEN_POINTS if card == QUEEN else 0.0
            given = gift if card & (HEARTS | QUEEN) else 0.0
            cost = given - burden - relief - shortness
            if cost <= least:
                least, chosen = cost, card
    return chosen


@inlined
def cautious_card(reading, turn, winner, taken, guarding):
    """The card of `cautious`, or that of `guard` if `guarding`."""
    shooter, held = suspect(turn, taken, reading.rules)
    worth, keeps_top = 0.0, False
    if held > 0:
        worths = _GUARD_WORTH if guarding else _CAUTIOUS_WORTH
        worth = worths[U(reading.rules & QUEEN_PENALTY), U(held)]
    if guarding:
        with_points = seats_with_points(taken, reading.rules)
        own = ONE << turn
        keeps_top = with_points & own == ZERO and with_points & (with_points - ONE) == ZERO
    if reading.best == ZERO:
        return _lead(reading, worth, keeps_top)
    following = reading.legal & lane_of(reading.best)
    if following == ZERO:
        gift = worth if shooter != NOBODY and shooter == winner else 0.0
        return _discard(reading, worth, gift, keeps_top)
    suit = lowest_bit_index(reading.best) >> U(4)
    _, chosen = _cheapest(reading, suit, following, 1.0, 0.0, worth, keeps_top, _MOST, ZERO)
    return chosen
