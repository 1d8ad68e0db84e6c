"""The candidates of a softmax playout, and the classes that their odds depend on.

A seat chooses among a few candidates, by what it can see, put into few classes:

    lead     of each suit the lowest card and the highest; four suits, odds of each by its own class
    follow   the highest card that ducks, the lowest card, the lowest that wins, the highest
    void     the queen; the higher of ace and king of spades while she is out; the highest heart;
             of the rest the highest card and the lowest

The queen is led or taken with only where there is nothing else; where she ducks, she is the highest
card that does.
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

# What odds depend on, most significant first, each with its number of classes.
LEAD_CLASSES = {
    "moon": 4,  # who has penalty cards: nobody, several, I alone, another alone
    "stage": 4,  # cards left: 13, 10 to 12, 6 to 9, at most 5
    "suit": 5,  # usual; spades while the queen is out: with her, with ace or king, low; hearts
    "length": 3,  # of the suit in hand: 1, 2, more
    "others": 4,  # cards of it that others have: 0, 1 to 3, 4 to 6, more
    "below": 4,  # of these, below my lowest: 0, 1, 2, more
    "top": 2,  # whether others have cards above my highest
}
FOLLOW_CLASSES = {
    "moon": 4,  # as of leads
    "stage": 4,
    "suit": 4,  # usual; spades while another has the queen, while I have; hearts
    "points": 3,  # on the table: none, hearts, the queen
    "place": 3,  # second, third, last
    "top": 2,  # whether others have cards above my highest
}
FOLLOW_HELD = (3, 3)  # cards that duck, cards that win: 0, 1, more
VOID_CLASSES = {
    "moon": 5,  # as of leads; and another alone, who is winning the trick
    "stage": 4,
    "points": 3,
}
VOID_HELD = (2, 2, 2, 2)  # the queen, high spades, hearts, others
LEAD_CANDIDATES, FOLLOW_CANDIDATES, VOID_CANDIDATES = 2, 4, 5

SIZES = {
    "lead": prod(LEAD_CLASSES.values()),
    "follow": prod(FOLLOW_CLASSES.values()) * prod(FOLLOW_HELD),
    "void": prod(VOID_CLASSES.values()) * prod(VOID_HELD),
}

_TWO, _FIVE, _SIX, _EIGHT = U(2), U(5), U(6), U(8)


@inlined
def holders_of(taken):
    """A bit in the lane of every seat that has penalty cards."""
    return lanes_with(taken, PENALTIES_TAKEN)


@inlined
def moon_class(holders):
    """Who has penalty cards, as the seat of the lowest lane sees it."""
    some, several = holders != ZERO, holders & (holders - ONE) != ZERO
    alone = select(holders & LANE != ZERO, _TWO, THREE)
    return select(several, ONE, select(some, alone, ZERO))


@inlined
def stage_class(left):
    """How far the hand is, by the cards that a seat has left before the trick."""
    return U(left < U(13)) + U(left < U(10)) + U(left < _SIX)


@inlined
def points_class(trick, penalties):
    """What is on the table: nothing that costs, hearts, the queen."""
    costly = trick & penalties
    return select(costly & QUEEN != ZERO, _TWO, U(costly != ZERO))


@inlined
def _at_most(n, limit):
    return select(n < limit, n, limit)


@inlined
def lead_class(around, suit, held, others, queen_out):
    """The class of a suit that can be led: `held` and `others` are the cards of it."""
    lane = held | others
    spade = select(held & queen_out != ZERO, ONE, select(held & HIGH_SPADES != ZERO, _TWO, THREE))
    special = select(lane & queen_out != ZERO, spade, ZERO)
    kind = select(suit == THREE, FOUR, special)
    length = _at_most(popcount(held), THREE) - ONE
    left = popcount(others)
    many = U(left > ZERO) + U(left > THREE) + U(left > _SIX)
    below = _at_most(popcount(others & ((held & (ZERO - held)) - ONE)), THREE)
    place = ((around * _FIVE + kind) * THREE + length) * FOUR + many
    return (place * FOUR + below) * _TWO + U(others > held)


@inlined
def follow_held(legal, best, queen_out):
    """The cards that duck and those that win; the queen is among the latter only if alone."""
    ducking, winning = legal & (best - ONE), legal & ~(best | (best - ONE))
    shown = winning & ~queen_out
    return ducking, select(shown | ducking != ZERO, shown, winning)


@inlined
def held_follows(ducking, winning):
    """How many cards duck and win: the class of what follows there are."""
    return _at_most(popcount(ducking), _TWO) * THREE + _at_most(popcount(winning), _TWO)


@inlined
def follow_class(around, legal, others, queen_out, trick, penalties, place):
    """The class of a trick whose suit one has: `others` are the others' cards of it."""
    spade = select(legal & queen_out != ZERO, _TWO, ONE)
    kind = select((legal | others) & queen_out != ZERO, spade, ZERO)
    kind = select(legal & HEARTS & penalties != ZERO, THREE, kind)
    index = (around * FOUR + kind) * THREE + points_class(trick, penalties)
    return (index * THREE + place) * _TWO + U(others > legal)


@inlined
def void_held(legal, queen_out, trick, penalties):
    """The queen, the high spades while she stays out, the hearts, the rest."""
    queen = legal & queen_out
    high = select(queen_out & ~trick != ZERO, legal & HIGH_SPADES, ZERO)
    hearts = legal & HEARTS & penalties
    return queen, high, hearts, legal & ~(queen | high | hearts)


@inlined
def held_voids(queen, high, hearts, rest):
    """Which of these there are, as four bits."""
    found = U(queen != ZERO) + _TWO * U(high != ZERO)
    return found + FOUR * U(hearts != ZERO) + _EIGHT * U(rest != ZERO)


@inlined
def void_class(moon, stage, holders, wins, trick, penalties):
    """The class of a trick whose suit one has not."""
    winning = (holders >> (wins & S48)) & LANE != ZERO
    moon = select((moon == THREE) & winning, FOUR, moon)
    return (moon * FOUR + stage) * THREE + points_class(trick, penalties)
