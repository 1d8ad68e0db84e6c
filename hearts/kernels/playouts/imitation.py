"""Plays of recorded hands as the softmax playout sees them: classes, and the candidate chosen.

A card that is equivalent in play to a candidate counts as that candidate; the queen of spades is
equivalent to no other card.
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
from hearts.kernels.core.order import LANE_SHIFT
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
    follows_held,
    holders_of,
    lead_class,
    moon_class,
    split_follows,
    split_voids,
    stage_class,
    void_class,
    voids_held,
)
from hearts.kernels.playouts.greedy import without

LEAD, FOLLOW, VOID = range(3)
UNUSUAL = -1  # a card that is not a candidate
# A decision has six numbers: the phase; the candidate chosen; for a lead the classes of the four
# suits (−1 for a suit that cannot be led), otherwise the class and the index of what is held.
WIDTH = 6


@inlined
def _is_like(card, candidate, others_cards):
    """Whether two cards are equivalent: of one suit, without a card of others between them."""
    if card == candidate:
        return True
    if candidate == ZERO or not card & lane_of(candidate) or (card | candidate) & QUEEN:
        return False
    low, high = min(card, candidate), max(card, candidate)
    return not others_cards & (high - ONE) & ~(low | (low - ONE))


@inlined
def _list_lead(card, legal, unplayed, others_cards, situation, queen_out, decision):
    for suit in range(4):
        lane = LANE << (U(suit) << LANE_SHIFT)
        decision[2 + suit] = -1
        if not legal & lane:
            continue
        others = unplayed & lane & ~legal
        decision[2 + suit] = lead_class(situation, U(suit), legal & lane, others, queen_out)
        held = without(legal & lane, queen_out)
        if _is_like(card, held & (ZERO - held), others_cards):
            decision[1] = 2 * suit
        elif _is_like(card, highest_bit(held), others_cards):
            decision[1] = 2 * suit + 1


@inlined
def _list_follow(card, ducking, winning, queen_out, others_cards, decision):
    queen = ducking & queen_out
    if ducking:
        low = without(ducking, queen)
        if _is_like(card, queen if queen else highest_bit(ducking), others_cards):
            decision[1] = 0
        elif _is_like(card, low & (ZERO - low), others_cards):
            decision[1] = 1
    if winning and decision[1] == UNUSUAL:
        if _is_like(card, winning & (ZERO - winning), others_cards):
            decision[1] = 2
        elif _is_like(card, highest_bit(winning), others_cards):
            decision[1] = 3


@inlined
def _list_void(card, queen, high, hearts, rest, others_cards, decision):
    if card == queen:
        decision[1] = 0
    elif card & high:
        decision[1] = 1
    elif card & hearts and _is_like(card, highest_bit(hearts), others_cards):
        decision[1] = 2
    elif card & rest and _is_like(card, highest_rank(rest), others_cards):
        decision[1] = 3
    elif card & rest and _is_like(card, lowest_rank(rest), others_cards):
        decision[1] = 4


@kernel
def list_decisions(states, cards, rules, decisions):
    """Write the decisions (n, WIDTH) of `cards` (n) played in `states` (n, 8).

    Returns the number of decisions; forced cards are left out.
    """
    n, penalties = 0, penalty_cards(rules)
    for i in range(states.shape[0]):
        turn, winner, count, first, broken = unpack_meta(states[i, 6])
        hand, best, trick = states[i, turn], states[i, 5], states[i, 4]
        unplayed = states[i, 0] | states[i, 1] | states[i, 2] | states[i, 3]
        others_cards = (unplayed & ~hand) | trick
        queen_out = (unplayed | trick) & penalties & QUEEN
        taken = rotate_right(states[i, 7], turn << LANE_SHIFT)
        holders, decision = holders_of(taken), decisions[n]
        moon, stage = moon_class(holders), stage_class(popcount(hand))
        situation = moon * FOUR + stage
        decision[1] = UNUSUAL
        if count == ZERO:
            legal = legal_leads(hand, first, broken, rules)
            decision[0] = LEAD
            _list_lead(cards[i], legal, unplayed, others_cards, situation, queen_out, decision)
        elif hand & lane_of(best):
            legal = hand & lane_of(best)
            ducking, winning = split_follows(legal, best, queen_out)
            others = unplayed & lane_of(best) & ~legal
            decision[0] = FOLLOW
            decision[2] = follow_class(
                situation, legal, others, queen_out, trick, penalties, count - ONE
            )
            decision[3] = follows_held(ducking, winning)
            _list_follow(cards[i], ducking, winning, queen_out, others_cards, decision)
        else:
            legal = legal_follows(hand, lane_of(best), first, rules)
            winner_shift = ((winner - turn) << LANE_SHIFT) & S48
            held = split_voids(legal, queen_out, trick, penalties)
            decision[0] = VOID
            decision[2] = void_class(moon, stage, holders, winner_shift, trick, penalties)
            decision[3] = voids_held(*held)
            _list_void(cards[i], *held, others_cards, decision)
        if legal & (legal - ONE):
            n += 1
    return n
