"""Input features of the policy network: binary facts that one seat knows.

The first layer adds one row of weights for each active feature:

    feature         is active for
    MINE            each card in hand
    PLAYED + 64 r   each card that the seat r to the left has played, r 0 … 3
    GIVEN, GOT      each card that was passed to (and not yet played by), or by, the seat r 1 … 3
    WINNING         the card that is winning the trick
    PLACE           4 × cards on the table + seats from this one to the winning one
    COST            hearts on the table + 4 if Q♠ is on the table
    BROKEN … FIRST  hearts are broken; Q♠ is unplayed; which seat has taken it; which seat alone
                    has taken penalty cards; the direction of the pass; the first trick
    PASSING         cards are being passed; the cards chosen so far are GIVEN
    VOID            4 × (r − 1) + each suit in which seat r is known to be void
    LENGTH, UNSEEN  16 × suit + the number of cards of it in hand, or hidden
    HEARTS_TAKEN    16 × r + the number of hearts that seat r has taken

A list of active features is an integer array `active` of which the first n entries are used.
"""

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, S16, ZERO, U, lowest_bit_index, popcount
from hearts.kernels.core.jit import exact, exact_inlined
from hearts.kernels.core.state import DECK, QUEEN, void_bit

MINE, PLAYED, GIVEN, GOT, WINNING, PLACE, COST = 0, 64, 320, 512, 704, 768, 784
BROKEN, QUEEN_OUT, QUEEN_TAKEN, SOLE_TAKER, DIRECTION = 792, 793, 794, 798, 802
FIRST, PASSING, VOID, LENGTH, UNSEEN, HEARTS_TAKEN = 806, 807, 808, 832, 896, 960
FEATURES = 1024
MAX_ACTIVE = 96  # features that can be active at once

# Columns of `seen` (4, 4), which has a row per seat: the cards it has played; the cards it gave and
# got, where the player knows them; the direction of the pass as seats to the left, 0 if unknown.
SEEN_PLAYED, SEEN_GAVE, SEEN_GOT, SEEN_DIRECTION = range(4)

# Bits of a seat's lane of `taken`, see hearts.kernels.core.state.
PENALTY_BITS, HEARTS_BITS, QUEEN_BIT = U(31), U(15), U(16)


@exact_inlined
def add_cards(cards, base, active, n):
    """Append the feature `base` + card for each card to `active`; return the new length."""
    while cards:
        active[n] = base + np.int64(lowest_bit_index(cards))
        n += 1
        cards &= cards - ONE
    return n


@exact_inlined
def suit_count(cards, suit):
    """The number of cards of a suit in a set."""
    return np.int64(popcount((cards >> (U(suit) * S16)) & LANE))


@exact_inlined
def place_index(seat, winner, count):
    """4 × cards on the table + seats to the winning seat; 0 for an empty table."""
    return 4 * np.int64(count) + ((np.int64(winner) - seat) & 3) if count else 0


@exact_inlined
def trick_cost(trick):
    """The number of hearts in the trick, plus 4 for the queen of spades."""
    return suit_count(trick, 3) + (4 if trick & QUEEN else 0)


@exact
def sole_taker(taken):
    """The only seat that has taken penalty cards; -1 for none or several."""
    found = -1
    for seat in range(4):
        if (taken >> (U(seat) * S16)) & PENALTY_BITS:
            if found >= 0:
                return -1
            found = seat
    return found


@exact
def trick_features(seat, trick, best, winner, count, active, n):
    """Append the features of the trick on the table, seen from a seat; return the new length."""
    active[n] = PLACE + place_index(seat, winner, count)
    if count == ZERO:
        return n + 1
    active[n + 1] = WINNING + np.int64(lowest_bit_index(best))
    active[n + 2] = COST + trick_cost(trick)
    return n + 3


@exact
def known_features(seat, hand, seen, voids, taken, first, broken, active):
    """Write all features of a seat except those of the trick on the table; return their number."""
    n = add_cards(hand, MINE, active, 0)
    gone = ZERO
    for r in range(4):
        cards = seen[(seat + r) & 3, SEEN_PLAYED]
        gone |= cards
        n = add_cards(cards, PLAYED + 64 * r, active, n)
    direction = np.int64(seen[seat, SEEN_DIRECTION])
    if direction:
        n = add_cards(seen[seat, SEEN_GAVE] & ~gone, GIVEN + 64 * (direction - 1), active, n)
        n = add_cards(seen[seat, SEEN_GOT], GOT + 64 * (3 - direction), active, n)
    active[n] = DIRECTION + direction
    n += 1
    for condition, feature in ((broken, BROKEN), (first, FIRST), (~gone & QUEEN, QUEEN_OUT)):
        if condition:
            active[n] = feature
            n += 1
    sole = sole_taker(taken)
    if sole >= 0:
        active[n] = SOLE_TAKER + ((sole - seat) & 3)
        n += 1
    for r in range(4):
        other = (seat + r) & 3
        lane = taken >> (U(other) * S16)
        active[n] = HEARTS_TAKEN + 16 * r + np.int64(lane & HEARTS_BITS)
        n += 1
        if lane & QUEEN_BIT:
            active[n] = QUEEN_TAKEN + r
            n += 1
        for suit in range(4 if r else 0):
            if voids & void_bit(other, suit):
                active[n] = VOID + 4 * (r - 1) + suit
                n += 1
    unseen = DECK & ~gone & ~hand
    for suit in range(4):
        active[n] = LENGTH + 16 * suit + suit_count(hand, suit)
        active[n + 1] = UNSEEN + 16 * suit + suit_count(unseen, suit)
        n += 2
    return n
