"""What everybody at the table sees at the moment when a seat plays: the setting of an action.

A moment is a row of whole numbers, `WIDTH` of them, with the names below. It says nothing about a
hand: what the player saw in his own comes from the world that is tried (`features`).
"""

from hearts.kernels.core.bits import LANE, ONE, S16, ZERO, U, lowest_place, popcount
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
NOBODY, ACTOR, OTHER, SEVERAL = range(4)  # who has taken all points so far

SEAT, CARD, PHASE = 0, 1, 2  # who played which card (suit * 16 + rank), and how
TRICK = 3  # 0 … 12
PLACE = 4  # cards on the table before it, 0 … 3
LED = 5  # the suit to follow
BEST = 6  # rank of the card that is winning; 0 for a lead
POINTS = 7  # points on the table
QUEEN_ON_TABLE = 8
QUEEN_OUT = 9  # whether she costs points, and has not been played
HEARTS_BARRED = 10  # whether hearts may not be played while there are other cards
QUEEN_BARRED = 11  # the same for the queen
TAKERS = 12  # NOBODY, ACTOR, OTHER, SEVERAL
TAKEN = 13  # points of the only seat that has any
FEEDS_TAKER = 14  # whether the only seat that has points is another, and is winning this trick
VOIDS_TO_COME = 15  # seats that play after this one, and have shown out of the suit led
UNPLAYED = 16  # four columns, one per suit: ranks that were not in a completed trick, as bits
VOIDS = 20  # four columns: how many other seats have shown out of the suit
WIDTH = 24


@kernel
def describe(seats, cards, rules, moments):
    """Writes the moment of every play of a hand to `moments` (n, 24)."""
    penalties, breakers = penalty_cards(rules), heart_breakers(rules)
    gone, table, best = ZERO, ZERO, ZERO
    points, shown_out = ZERO, ZERO  # a lane per seat: points; a bit per suit
    winner, lane, broken = 0, ZERO, False
    for i in range(seats.shape[0]):
        seat, place, card = seats[i], i & 3, ONE << U(cards[i])
        row = moments[i]
        if place == 0:
            gone |= table
            table = ZERO
            lane = lane_of(card)
        first = i < 4
        row[SEAT], row[CARD], row[TRICK], row[PLACE] = seat, cards[i], i >> 2, place
        row[PHASE] = LEAD if place == 0 else FOLLOW if card & lane else DISCARD
        row[LED] = lowest_place(lane) >> U(4)
        row[BEST] = lowest_place(best) & U(15) if place else ZERO
        row[POINTS] = _points(table, penalties)
        row[QUEEN_ON_TABLE] = (table & QUEEN) != ZERO
        row[QUEEN_OUT] = (rules & QUEEN_PENALTY) != ZERO and not (gone | table) & QUEEN
        barred = (rules & NO_HEARTS_FIRST) if first else (rules & MUST_BREAK)
        row[HEARTS_BARRED] = barred != ZERO and (first or (place == 0 and not broken))
        row[QUEEN_BARRED] = first and (rules & NO_QUEEN_FIRST) != ZERO
        _describe_takers(row, points, seat, winner if place else -1)
        row[VOIDS_TO_COME] = 0
        for later in range(1, 4 - place):
            shown = (shown_out >> (U((seat + later) & 3) << U(4))) >> U(row[LED])
            row[VOIDS_TO_COME] += 1 if place and shown & ONE else 0
        for suit in range(4):
            row[UNPLAYED + suit] = ((DECK & ~gone) >> (U(suit) << U(4))) & LANE
            row[VOIDS + suit] = _others_out(shown_out, seat, suit)
        if place == 0 or (card & lane) > best:
            best, winner = card, seat
        if not card & lane:
            shown_out |= ONE << (U(seat) * S16 + U(row[LED]))
        table |= card
        broken = broken or (card & breakers) != ZERO
        if place == 3:
            points += U(_points(table, penalties)) << (U(winner) * S16)


@kernel
def _points(cards, penalties):
    counted = cards & penalties
    return popcount(counted & HEARTS) + (U(13) if counted & QUEEN else ZERO)


@kernel
def _others_out(shown_out, seat, suit):
    found = 0
    for step in range(1, 4):
        found += 1 if (shown_out >> (U((seat + step) & 3) * S16 + U(suit))) & ONE else 0
    return found


@kernel
def _describe_takers(row, points, seat, winner):
    """Who has the points so far, and whether it is about to get more."""
    takers, only = 0, -1
    for taker in range(4):
        if (points >> (U(taker) * S16)) & LANE:
            takers, only = takers + 1, taker
    row[TAKEN] = 0 if takers != 1 else (points >> (U(only) * S16)) & LANE
    row[FEEDS_TAKER] = takers == 1 and only != seat and only == winner
    if takers == 0:
        row[TAKERS] = NOBODY
    elif takers > 1:
        row[TAKERS] = SEVERAL
    else:
        row[TAKERS] = ACTOR if only == seat else OTHER
