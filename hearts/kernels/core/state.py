"""The state of a hand in eight words: legal plays, the next state, final points.

    word   0 … 3             4        5          6       7
           hands of seats    cards    winning    meta    taken
           0 … 3, as sets    on the   card
                             table

    meta   bit 7    6      5–4     3–2      1–0
           broken   first  count   winner   turn

           broken: hearts are broken; first: the first trick; count: cards on the table;
           winner: the seat that is winning the trick; turn: the seat to play

    taken  one 16-bit lane per seat: hearts (bits 0–3), queen (4), jack (5), tricks (8–11); one
           addition adds a trick

    voids  bit 4 × seat + suit: the seat has shown that it has no card of the suit. Not a word of
           the state, because only kernels that play by what a seat knows need it

Rules are one word: the 14 bits of the clients' mask, and two more.
"""

import numpy as np

from hearts.kernels.core.bits import (
    LANE,
    ONE,
    S16,
    S48,
    ZERO,
    U,
    highest_bit,
    lowest_bit_index,
    popcount,
)
from hearts.kernels.core.jit import inlined, kernel

THREE, FOUR = U(3), U(4)  # cards on the table before the last card, and after it

QUEEN = ONE << U(42)
JACK = ONE << U(25)
HEARTS = U(0x1FFF) << S48
DECK = U(0x1FFF1FFF1FFF1FFF)
CLUBS = U(0x1FFF)
TWO_OF_CLUBS = ONE
HIGH_SPADES = U(0b11) << U(43)  # king and ace
LOW_SPADES = U(0x3FF) << U(32)  # the spades below the queen

QUEEN_PENALTY, JACK_BONUS, NO_TRICK_BONUS = U(0x1), U(0x2), U(0x4)
SHOOTING_NEEDS_JACK, LEAD_2_CLUBS, LEAD_CLUBS = U(0x10), U(0x20), U(0x40)
NO_HEARTS_FIRST, NO_QUEEN_FIRST, QUEEN_BREAKS = U(0x80), U(0x100), U(0x200)
MUST_BREAK, HEARTS_ARENT_POINTS, NO_SHOOTING = U(0x800), U(0x1000), U(0x2000)
HEARTS_INSTEAD_OF_QUEEN, SHOOTER_SUBTRACTS = U(0x4000), U(0x8000)

ONE_TRICK = U(0x100)
PENALTIES_TAKEN = U(0x001F001F001F001F)  # hearts and queen, in the lanes of taken
_QUEEN_BIT, _JACK_BIT, _CARDS_TAKEN = U(0x10), U(0x20), U(0x3F)
_EVERY_LANE, _TOP, _BELOW_TOP = U(0x0001000100010001), U(0x8000), U(0x7FFF)
_QUEEN_TO_TAKEN, _JACK_TO_TAKEN = U(38), U(20)  # shifts that bring the card to its bit in taken
_TWO_BITS, _SEAT_SHIFT, _COUNT_SHIFT, _FIRST_SHIFT, _BROKEN_SHIFT = U(3), U(2), U(4), U(6), U(7)


def _points_of_lanes():
    """Table [scoring, cards taken]: points of a lane; bits of scoring: queen, jack, no hearts."""
    scoring, cards = np.arange(8)[:, None], np.arange(64)
    hearts, queen, jack = cards & 0xF, cards >> 4 & 1, cards >> 5
    return (
        np.where(scoring & 4, 0, hearts)
        + np.where(scoring & 1, 13 * queen, 0)
        - np.where(scoring & 2, 10 * jack, 0)
    )


_LANE_POINTS = _points_of_lanes()


@inlined
def unpack_meta(meta):
    """Turn, winner, count, first and broken of a meta word."""
    return (
        meta & _TWO_BITS,
        (meta >> _SEAT_SHIFT) & _TWO_BITS,
        (meta >> _COUNT_SHIFT) & _TWO_BITS,
        (meta >> _FIRST_SHIFT) & ONE,
        (meta >> _BROKEN_SHIFT) & ONE,
    )


@inlined
def lane_of(card):
    """The lane mask of a card's suit."""
    return LANE << (lowest_bit_index(card) & S48)


@kernel
def barred_first(rules):
    """The cards that may not be played to the first trick while the hand has others."""
    barred = HEARTS if rules & NO_HEARTS_FIRST else ZERO
    return barred | (QUEEN if rules & NO_QUEEN_FIRST else ZERO)


@kernel
def heart_breakers(rules):
    """The cards that break hearts when they are played."""
    return HEARTS | (QUEEN if rules & QUEEN_BREAKS else ZERO)


@kernel
def bonus_jack(rules):
    """The jack of diamonds if it is a bonus, otherwise no card."""
    return JACK if rules & JACK_BONUS else ZERO


@kernel
def penalty_cards(rules):
    """The cards that cost points."""
    hearts = ZERO if rules & HEARTS_ARENT_POINTS else HEARTS
    return hearts | (QUEEN if rules & QUEEN_PENALTY else ZERO)


@inlined
def legal_leads(hand, first, broken, rules):
    """The cards that may be led."""
    if first and rules & (LEAD_2_CLUBS | LEAD_CLUBS):
        clubs = hand & (TWO_OF_CLUBS if rules & LEAD_2_CLUBS else CLUBS)
        if clubs:
            return clubs
    quiet = hand
    if rules & MUST_BREAK and not broken:
        quiet &= ~HEARTS
    if first:
        quiet &= ~barred_first(rules)
    if quiet == ZERO or (quiet == QUEEN and rules & HEARTS_INSTEAD_OF_QUEEN):
        return hand
    return quiet


@inlined
def legal_follows(hand, lane, first, rules):
    """The cards that may be played to a trick whose led suit has the mask `lane`."""
    following = hand & lane
    if following:
        return following
    if first:
        allowed = hand & ~barred_first(rules)
        return allowed if allowed else hand
    return hand


@inlined
def legal_plays(hand, best, count, first, broken, rules):
    """The cards that may be played to a trick of `count` cards that `best` is winning."""
    if count == ZERO:
        return legal_leads(hand, first, broken, rules)
    return legal_follows(hand, lane_of(best), first, rules)


@inlined
def distinct(cards, in_play):
    """The lowest card of each run of equivalent cards; Q♠ and J♦ are equivalent to no other.

    Two cards of a hand are equivalent if every card between them is in the same hand or played.
    """
    special = QUEEN | JACK
    out = DECK & ~in_play
    above = (cards & ~special) << ONE
    # Adding 1 at the low end of a gap carries to the card above it; a gap has one low end.
    next_higher = (above & in_play) | ((out + (above & out)) & ~out)
    return cards & (special | ~next_higher)


@inlined
def lowest_of_run(card, moves):
    """The one of `moves`, the lowest cards of runs (`distinct`), whose run has `card`."""
    return highest_bit(moves & (card | (card - ONE)))


@inlined
def run_of(card, moves, legal):
    """The cards of `legal` that are equivalent to `card`; `moves` are the lowest of each run."""
    own = lowest_of_run(card, moves)
    above = moves & ~(own | (own - ONE))
    run = legal & ~(own - ONE)
    return run & ((above & (ZERO - above)) - ONE) if above else run


@inlined
def lanes_with(taken, mask):
    """The top bit of every lane of `taken` that has a bit of `mask`."""
    # Lanes use few of their bits, so adding to one never carries into the next.
    return ((taken & mask) + _BELOW_TOP * _EVERY_LANE) & (_TOP * _EVERY_LANE)


@inlined
def taken_by_trick(trick):
    """What a trick adds to its winner's lane of `taken`."""
    queen = (trick >> _QUEEN_TO_TAKEN) & _QUEEN_BIT
    jack = (trick >> _JACK_TO_TAKEN) & _JACK_BIT
    return popcount(trick >> S48) + queen + jack + ONE_TRICK


@inlined
def after_card(card, turn, winner, count, trick, best, first, broken, taken, breakers):
    """Turn, winner, count, trick, best, first, broken and taken after a card."""
    if count == ZERO or (card & lane_of(best)) > best:
        best, winner = card, turn
    trick |= card
    if count != THREE:
        return (turn + ONE) & THREE, winner, count + ONE, trick, best, first, broken, taken
    taken += taken_by_trick(trick) << (winner << U(4))
    broken |= U((trick & breakers) != ZERO)
    return winner, winner, ZERO, ZERO, ZERO, ZERO, broken, taken


@inlined
def void_bit(seat, suit):
    """The bit of `voids` for a seat that is known to be void in a suit."""
    return ONE << U(4 * seat + suit)


@inlined
def moon_lane(rules):
    """The bits that a lane of taken must have for a moon; 0 if the rules have no moon."""
    if rules & (NO_SHOOTING | HEARTS_ARENT_POINTS):
        return ZERO
    queen = _QUEEN_BIT if rules & QUEEN_PENALTY else ZERO
    jack = _JACK_BIT if rules & SHOOTING_NEEDS_JACK else ZERO
    return U(13) | queen | jack


@inlined
def total_points(rules):
    """All penalty points of a deal."""
    return (0 if rules & HEARTS_ARENT_POINTS else 13) + (13 if rules & QUEEN_PENALTY else 0)


@inlined
def moon_shooter(taken, rules):
    """The seat that has shot the moon, or -1."""
    moon = moon_lane(rules)
    missing = ~taken & (moon * _EVERY_LANE)
    # Lanes use few of their bits, so adding to one never carries into the next.
    complete = ~(missing + _BELOW_TOP * _EVERY_LANE) & (_TOP * _EVERY_LANE)
    if complete == ZERO or moon == ZERO:
        return -1
    return np.int64(lowest_bit_index(complete) >> U(4))


@inlined
def lane_points(lane, rules):
    """The points of a lane of taken, without moons and the bonus for taking no trick."""
    scoring = (rules & (QUEEN_PENALTY | JACK_BONUS)) | ((rules & HEARTS_ARENT_POINTS) >> U(10))
    return _LANE_POINTS[scoring, lane & _CARDS_TAKEN]


@inlined
def final_points(taken, rules, points):
    """Write the points (4) of a finished hand, moon included; return the shooter, or -1."""
    for seat in range(4):
        points[seat] = lane_points(taken >> (U(seat) * S16), rules)
    shooter = moon_shooter(taken, rules)
    if shooter >= 0:
        _score_moon(shooter, total_points(rules), rules, points)
    elif rules & NO_TRICK_BONUS:
        for seat in range(4):
            if (taken >> (U(seat) * S16)) & LANE < ONE_TRICK:
                points[seat] -= 5
    return shooter


@kernel
def _score_moon(shooter, total, rules, points):
    others = 0 if rules & SHOOTER_SUBTRACTS else total
    for seat in range(4):
        if seat != shooter:
            points[seat] += others
    points[shooter] += others - 2 * total
