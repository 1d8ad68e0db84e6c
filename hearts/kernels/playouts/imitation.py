"""What a softmax playout could have done where somebody else has played: to learn its odds from.

A card that is equal in play to a candidate counts as that candidate; the queen is equal to none.
"""

from hearts.kernels.core.bits import (
    LANE,
    ONE,
    S48,
    ZERO,
    U,
    highest_bit,
    highest_rank,
    lowest_rank,
    popcount,
    rotate_right,
)
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.order import SEAT_BITS
from hearts.kernels.core.state import (
    FOUR,
    QUEEN,
    lane_of,
    legal_follows,
    legal_leads,
    penalty_cards,
    unpack_meta,
)
from hearts.kernels.playouts.candidates import (
    follow_class,
    follow_held,
    held_follows,
    held_voids,
    holders_of,
    lead_class,
    moon_class,
    stage_class,
    void_class,
    void_held,
)
from hearts.kernels.playouts.greedy import without

LEAD, FOLLOW, VOID = range(3)
UNUSUAL = -1  # a card that is no candidate
# A decision in six numbers: its phase, the candidate that was chosen; of a lead the classes of the
# four suits (−1 where there is none to lead), otherwise the class and what is held.
WIDTH = 6


@inlined
def _is_like(card, candidate, theirs):
    """Whether two cards are equal in play: of one suit, and no card of others between them."""
    if card == candidate:
        return True
    if candidate == ZERO or not card & lane_of(candidate) or (card | candidate) & QUEEN:
        return False
    low, high = min(card, candidate), max(card, candidate)
    return not theirs & (high - ONE) & ~(low | (low - ONE))


@inlined
def _list_lead(card, legal, unplayed, theirs, around, queen_out, row):
    for suit in range(4):
        lane = LANE << (U(suit) << SEAT_BITS)
        row[2 + suit] = -1
        if not legal & lane:
            continue
        others = unplayed & lane & ~legal
        row[2 + suit] = lead_class(around, U(suit), legal & lane, others, queen_out)
        held = without(legal & lane, queen_out)
        if _is_like(card, held & (ZERO - held), theirs):
            row[1] = 2 * suit
        elif _is_like(card, highest_bit(held), theirs):
            row[1] = 2 * suit + 1


@inlined
def _list_follow(card, ducking, winning, queen_out, theirs, row):
    queen = ducking & queen_out
    if ducking:
        low = without(ducking, queen)
        if _is_like(card, queen if queen else highest_bit(ducking), theirs):
            row[1] = 0
        elif _is_like(card, low & (ZERO - low), theirs):
            row[1] = 1
    if winning and row[1] == UNUSUAL:
        if _is_like(card, winning & (ZERO - winning), theirs):
            row[1] = 2
        elif _is_like(card, highest_bit(winning), theirs):
            row[1] = 3


@inlined
def _list_void(card, queen, high, hearts, rest, theirs, row):
    if card == queen:
        row[1] = 0
    elif card & high:
        row[1] = 1
    elif card & hearts and _is_like(card, highest_bit(hearts), theirs):
        row[1] = 2
    elif card & rest and _is_like(card, highest_rank(rest), theirs):
        row[1] = 3
    elif card & rest and _is_like(card, lowest_rank(rest), theirs):
        row[1] = 4


@kernel
def list_decisions(states, cards, rules, rows):
    """Writes to `rows` (n, WIDTH) what each card of `cards` (n), played in `states` (n, 8), chose.

    Returns how many rows there are: cards without a choice have none.
    """
    n, penalties = 0, penalty_cards(rules)
    for i in range(states.shape[0]):
        turn, winner, count, first, broken = unpack_meta(states[i, 6])
        hand, best, trick = states[i, turn], states[i, 5], states[i, 4]
        unplayed = states[i, 0] | states[i, 1] | states[i, 2] | states[i, 3]
        theirs = (unplayed & ~hand) | trick
        queen_out = (unplayed | trick) & penalties & QUEEN
        taken = rotate_right(states[i, 7], turn << SEAT_BITS)
        holders, row = holders_of(taken), rows[n]
        moon, stage = moon_class(holders), stage_class(popcount(hand))
        around = moon * FOUR + stage
        row[1] = UNUSUAL
        if count == ZERO:
            legal = legal_leads(hand, first, broken, rules)
            row[0] = LEAD
            _list_lead(cards[i], legal, unplayed, theirs, around, queen_out, row)
        elif hand & lane_of(best):
            legal = hand & lane_of(best)
            ducking, winning = follow_held(legal, best, queen_out)
            others = unplayed & lane_of(best) & ~legal
            row[0] = FOLLOW
            row[2] = follow_class(around, legal, others, queen_out, trick, penalties, count - ONE)
            row[3] = held_follows(ducking, winning)
            _list_follow(cards[i], ducking, winning, queen_out, theirs, row)
        else:
            legal = legal_follows(hand, lane_of(best), first, rules)
            wins = ((winner - turn) << SEAT_BITS) & S48
            held = void_held(legal, queen_out, trick, penalties)
            row[0] = VOID
            row[2] = void_class(moon, stage, holders, wins, trick, penalties)
            row[3] = held_voids(*held)
            _list_void(cards[i], *held, theirs, row)
        if legal & (legal - ONE):
            n += 1
    return n
