"""The public context of every play of a hand, as integer columns.

A context has `WIDTH` columns, named below. It holds public information only; the player's own cards
come from the deal that is evaluated (`features`).
"""

from hearts.kernels.core.bits import LANE, ONE, S16, ZERO, U, lowest_bit_index, popcount
from hearts.kernels.core.jit import kernel
from hearts.kernels.core.state import (
    DECK,
    HEARTS,
    MUST_BREAK,
    NO_HEARTS_FIRST,
    NO_QUEEN_FIRST,
    QUEEN,
    QUEEN_PENALTY,
    heart_breakers,
    lane_of,
    penalty_cards,
)

LEAD, FOLLOW, DISCARD = range(3)
NOBODY, ACTOR, OTHER, SEVERAL = range(4)  # the seats that have taken points so far

SEAT, CARD = 0, 1  # the card is suit * 16 + rank
PHASE = 2  # LEAD, FOLLOW, DISCARD
TRICK = 3  # 0 … 12
PLACE = 4  # cards in the trick before this one, 0 … 3
LED = 5  # the suit led
BEST = 6  # rank of the winning card so far; 0 for a lead
POINTS = 7  # points in the trick so far
QUEEN_ON_TABLE = 8  # whether Q♠ is in the trick
QUEEN_OUT = 9  # whether Q♠ costs points and has not been played
HEARTS_BARRED = 10  # whether hearts are illegal as long as the player has other cards
QUEEN_BARRED = 11  # the same for Q♠
TAKERS = 12  # NOBODY, ACTOR, OTHER, SEVERAL
TAKEN = 13  # points of the only taker; 0 if there is none or several
FEEDS_TAKER = 14  # whether the only taker is another seat, and is winning this trick
VOIDS_TO_COME = 15  # seats still to play in this trick that are known to be void in the suit led
UNPLAYED = 16  # four columns, one per suit: ranks that are in no completed trick, as bits
VOIDS = 20  # four columns, one per suit: other seats that are known to be void in it
WIDTH = 24


@kernel
def describe_plays(seats, cards, rules, contexts):
    """Write the context of every play of a hand to `contexts` (n, 24)."""
    penalties, breakers = penalty_cards(rules), heart_breakers(rules)
    gone, table, best = ZERO, ZERO, ZERO
    points, shown_out = ZERO, ZERO  # 16 bits per seat: its points; one bit per suit it is void in
    winner, lane, broken = 0, ZERO, False
    for i in range(seats.shape[0]):
        seat, place, card = seats[i], i & 3, ONE << U(cards[i])
        context = contexts[i]
        if place == 0:
            gone |= table
            table = ZERO
            lane = lane_of(card)
        first = i < 4
        context[SEAT], context[CARD], context[TRICK], context[PLACE] = seat, cards[i], i >> 2, place
        context[PHASE] = LEAD if place == 0 else FOLLOW if card & lane else DISCARD
        context[LED] = lowest_bit_index(lane) >> U(4)
        context[BEST] = lowest_bit_index(best) & U(15) if place else ZERO
        context[POINTS] = _points(table, penalties)
        context[QUEEN_ON_TABLE] = (table & QUEEN) != ZERO
        context[QUEEN_OUT] = (rules & QUEEN_PENALTY) != ZERO and not (gone | table) & QUEEN
        barred = (rules & NO_HEARTS_FIRST) if first else (rules & MUST_BREAK)
        context[HEARTS_BARRED] = barred != ZERO and (first or (place == 0 and not broken))
        context[QUEEN_BARRED] = first and (rules & NO_QUEEN_FIRST) != ZERO
        _describe_takers(context, points, seat, winner if place else -1)
        context[VOIDS_TO_COME] = 0
        for later in range(1, 4 - place):
            shown = (shown_out >> (U((seat + later) & 3) << U(4))) >> U(context[LED])
            context[VOIDS_TO_COME] += 1 if place and shown & ONE else 0
        for suit in range(4):
            context[UNPLAYED + suit] = ((DECK & ~gone) >> (U(suit) << U(4))) & LANE
            context[VOIDS + suit] = _others_out(shown_out, seat, suit)
        if place == 0 or (card & lane) > best:
            best, winner = card, seat
        if not card & lane:
            shown_out |= ONE << (U(seat) * S16 + U(context[LED]))
        table |= card
        broken = broken or (card & breakers) != ZERO
        if place == 3:
            points += U(_points(table, penalties)) << (U(winner) * S16)


@kernel
def _points(cards, penalties):
    """The points of a set of cards."""
    counted = cards & penalties
    return popcount(counted & HEARTS) + (U(13) if counted & QUEEN else ZERO)


@kernel
def _others_out(shown_out, seat, suit):
    """The number of other seats that are known to be void in a suit."""
    found = 0
    for step in range(1, 4):
        found += 1 if (shown_out >> (U((seat + step) & 3) * S16 + U(suit))) & ONE else 0
    return found


@kernel
def _describe_takers(context, points, seat, winner):
    """Write the columns about the seats that have taken points."""
    takers, only = 0, -1
    for taker in range(4):
        if (points >> (U(taker) * S16)) & LANE:
            takers, only = takers + 1, taker
    context[TAKEN] = 0 if takers != 1 else (points >> (U(only) * S16)) & LANE
    context[FEEDS_TAKER] = takers == 1 and only != seat and only == winner
    if takers == 0:
        context[TAKERS] = NOBODY
    elif takers > 1:
        context[TAKERS] = SEVERAL
    else:
        context[TAKERS] = ACTOR if only == seat else OTHER
