"""Candidate cards of softmax playouts, and the classes that their probabilities depend on.

A seat chooses among a few candidates. Their probabilities are looked up by what the seat can see,
reduced to a few classes:

    lead     the lowest and the highest card of each suit; a suit has a class of its own
    follow   the highest and the lowest ducking card, the lowest and the highest winning card
    void     the queen of spades; the higher of ace and king of spades while the queen is unplayed;
             the highest heart; the highest and the lowest of the other cards

Q♠ is led, or played to win, only if the hand has no other spade. If it ducks, it counts as the
highest ducking card.
"""

from math import prod

from hearts.kernels.core.bits import LANE, ONE, S48, ZERO, U, popcount, select
from hearts.kernels.core.jit import inlined
from hearts.kernels.core.state import (
    FOUR,
    HEARTS,
    HIGH_SPADES,
    PENALTIES_TAKEN,
    QUEEN,
    THREE,
    lanes_with,
)

# The classes, most significant first, each with its number of values.
LEAD_CLASSES = {
    "moon": 4,  # seats with penalty cards: none, several, this seat alone, another alone
    "stage": 4,  # cards left: 13, 10 to 12, 6 to 9, at most 5
    "suit": 5,  # plain; spades while Q♠ is unplayed: with Q♠, ace or king, low; hearts
    "length": 3,  # of the suit in hand: 1, 2, more
    "others": 4,  # cards of the suit in other hands: 0, 1 to 3, 4 to 6, more
    "below": 4,  # of these, below the seat's lowest: 0, 1, 2, more
    "top": 2,  # whether others hold cards above the seat's highest
}
FOLLOW_CLASSES = {
    "moon": 4,  # as for leads
    "stage": 4,
    "suit": 4,  # plain; spades while another seat holds Q♠, or this seat does; hearts
    "points": 3,  # on the table: none, hearts, the queen
    "place": 3,  # second, third, last
    "top": 2,  # as for leads
}
FOLLOW_HELD = (3, 3)  # ducking and winning cards in hand: 0, 1, more
VOID_CLASSES = {
    "moon": 5,  # as for leads; and another alone, which is winning the trick
    "stage": 4,
    "points": 3,
}
VOID_HELD = (2, 2, 2, 2)  # whether the hand has the queen, high spades, hearts, others
LEAD_CANDIDATES, FOLLOW_CANDIDATES, VOID_CANDIDATES = 2, 4, 5

SIZES = {
    "lead": prod(LEAD_CLASSES.values()),
    "follow": prod(FOLLOW_CLASSES.values()) * prod(FOLLOW_HELD),
    "void": prod(VOID_CLASSES.values()) * prod(VOID_HELD),
}

_TWO, _FIVE, _SIX, _EIGHT = U(2), U(5), U(6), U(8)


@inlined
def holders_of(taken):
    """The top bit of the lane of every seat that has taken penalty cards."""
    return lanes_with(taken, PENALTIES_TAKEN)


@inlined
def moon_class(holders):
    """The class `moon`, seen from the seat of the lowest lane."""
    some, several = holders != ZERO, holders & (holders - ONE) != ZERO
    alone = select(holders & LANE != ZERO, _TWO, THREE)
    return select(several, ONE, select(some, alone, ZERO))


@inlined
def stage_class(left):
    """The class `stage`, by the number of cards a seat has before the trick."""
    return U(left < U(13)) + U(left < U(10)) + U(left < _SIX)


@inlined
def points_class(trick, penalties):
    """The class `points`, by the penalty cards on the table."""
    costly = trick & penalties
    return select(costly & QUEEN != ZERO, _TWO, U(costly != ZERO))


@inlined
def _at_most(n, limit):
    return select(n < limit, n, limit)


@inlined
def lead_class(situation, suit, held, others, queen_out):
    """The class of leading a suit, of which `held` are in hand and `others` in other hands."""
    lane = held | others
    spade = select(held & queen_out != ZERO, ONE, select(held & HIGH_SPADES != ZERO, _TWO, THREE))
    special = select(lane & queen_out != ZERO, spade, ZERO)
    kind = select(suit == THREE, FOUR, special)
    length = _at_most(popcount(held), THREE) - ONE
    left = popcount(others)
    many = U(left > ZERO) + U(left > THREE) + U(left > _SIX)
    below = _at_most(popcount(others & ((held & (ZERO - held)) - ONE)), THREE)
    index = ((situation * _FIVE + kind) * THREE + length) * FOUR + many
    return (index * FOUR + below) * _TWO + U(others > held)


@inlined
def split_follows(legal, best, queen_out):
    """The ducking and the winning cards; the queen counts as winning only if alone."""
    ducking, winning = legal & (best - ONE), legal & ~(best | (best - ONE))
    shown = winning & ~queen_out
    return ducking, select(shown | ducking != ZERO, shown, winning)


@inlined
def follows_held(ducking, winning):
    """The index into FOLLOW_HELD of the numbers of ducking and winning cards."""
    return _at_most(popcount(ducking), _TWO) * THREE + _at_most(popcount(winning), _TWO)


@inlined
def follow_class(situation, legal, others, queen_out, trick, penalties, place):
    """The class of following suit; `others` are the cards of the suit in other hands."""
    spade = select(legal & queen_out != ZERO, _TWO, ONE)
    kind = select((legal | others) & queen_out != ZERO, spade, ZERO)
    kind = select(legal & HEARTS & penalties != ZERO, THREE, kind)
    index = (situation * FOUR + kind) * THREE + points_class(trick, penalties)
    return (index * THREE + place) * _TWO + U(others > legal)


@inlined
def split_voids(legal, queen_out, trick, penalties):
    """The queen, the high spades while it is unplayed, the hearts, the rest."""
    queen = legal & queen_out
    high = select(queen_out & ~trick != ZERO, legal & HIGH_SPADES, ZERO)
    hearts = legal & HEARTS & penalties
    return queen, high, hearts, legal & ~(queen | high | hearts)


@inlined
def voids_held(queen, high, hearts, rest):
    """The index into VOID_HELD: one bit for each kind of card in hand."""
    found = U(queen != ZERO) + _TWO * U(high != ZERO)
    return found + FOUR * U(hearts != ZERO) + _EIGHT * U(rest != ZERO)


@inlined
def void_class(moon, stage, holders, winner_shift, trick, penalties):
    """The class of playing to a trick when void in its suit."""
    winning = (holders >> (winner_shift & S48)) & LANE != ZERO
    moon = select((moon == THREE) & winning, FOUR, moon)
    return (moon * FOUR + stage) * THREE + points_class(trick, penalties)
