"""The softmax playout: every card has odds, learned from hands that a search has played.

A seat chooses among a few candidates. Their odds depend on what it can see, put into few classes,
and are looked up: a choice costs some arithmetic and one or four looks at a table.

    lead     of each suit the lowest card and the highest; four suits, odds of each by its own class
    follow   the highest card that ducks, the lowest card, the lowest that wins, the highest
    void     the queen; the higher of ace and king of spades while she is out; the highest heart;
             of the rest the highest card and the lowest

The queen is led or taken with only where there is nothing else; where she ducks, she is the highest
card that does.

Odds are compiled into the kernels, so that playouts of all kinds have the same arguments; `make`
compiles anew when they change.

Odds of follows and voids are four sums of 15 bits in one word: the n-th says how often one of the
first n + 1 candidates is chosen. Odds of leads are two numbers of 32 bits: lowest card, highest.
"""

from importlib.resources import files
from io import BytesIO
from math import prod

import numpy as np

from hearts.kernels.bits import (
    LANE,
    ONE,
    S16,
    S32,
    S48,
    ZERO,
    U,
    highest_bit,
    highest_rank,
    lowest_rank,
    popcount,
    rotate_right,
    select,
)
from hearts.kernels.greedy import without
from hearts.kernels.jit import inlined, kernel
from hearts.kernels.order import SEAT_BITS, WRAP, close_trick, put_card, rotate_hands
from hearts.kernels.random import advance, mix
from hearts.kernels.table import (
    FOUR,
    HEARTS,
    HIGH_SPADES,
    PENALTIES_TAKEN,
    QUEEN,
    THREE,
    heart_breakers,
    lane_of,
    lanes_with,
    legal_follows,
    legal_leads,
    penalty_cards,
    unpack_meta,
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


def _shipped():
    """The odds as they are shipped: of leads, follows, voids."""
    place = files("hearts").joinpath("data", "softmax.npz")
    with np.load(BytesIO(place.read_bytes())) as found:
        odds = [np.ascontiguousarray(found[name]) for name in SIZES]
    # Kernels do not look whether a place is inside a table.
    assert [len(each) for each in odds] == list(SIZES.values()), f"{place}: odds of other classes"
    return odds


LEAD_ODDS, FOLLOW_ODDS, VOID_ODDS = _shipped()

_TWO, _FIVE, _SIX, _EIGHT = U(2), U(5), U(6), U(8)
_FOLLOWS_HELD, _VOIDS_HELD = U(prod(FOLLOW_HELD)), U(prod(VOID_HELD))
_HALF = U(0xFFFFFFFF)


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
def _suit_odds(around, suit, legal, unplayed, queen_out):
    """The odds to lead the lowest and the highest card of a suit; none where there is none."""
    lane = LANE << (suit << SEAT_BITS)
    held = legal & lane
    if held == ZERO:
        return ZERO
    return LEAD_ODDS[lead_class(around, suit, held, unplayed & lane & ~held, queen_out)]


@inlined
def _chances(odds):
    return (odds & _HALF) + (odds >> S32)


@inlined
def softmax_lead(around, legal, unplayed, queen_out, sixteen_bits):
    """The card that is led; `unplayed` are all cards in hands."""
    clubs = _suit_odds(around, ZERO, legal, unplayed, queen_out)
    diamonds = _suit_odds(around, ONE, legal, unplayed, queen_out)
    spades = _suit_odds(around, _TWO, legal, unplayed, queen_out)
    hearts = _suit_odds(around, THREE, legal, unplayed, queen_out)
    first, second = _chances(clubs), _chances(clubs) + _chances(diamonds)
    third = second + _chances(spades)
    point = (sixteen_bits * (third + _chances(hearts))) >> S16
    odds, shift = clubs, ZERO
    if point >= second:
        odds, shift, point = (
            (spades, S32, point - second) if point < third else (hearts, S48, point - third)
        )
    elif point >= first:
        odds, shift, point = diamonds, S16, point - first
    held = without(legal & (LANE << shift), queen_out)
    return select(point < odds & _HALF, held & (ZERO - held), highest_bit(held))


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
def _drawn(odds, fifteen_bits):
    """The number of the candidate that random bits choose."""
    chosen = U(fifteen_bits >= odds & LANE) + U(fifteen_bits >= (odds >> S16) & LANE)
    return chosen + U(fifteen_bits >= (odds >> S32) & LANE) + U(fifteen_bits >= odds >> S48)


@inlined
def softmax_follow(around, legal, best, unplayed, queen_out, trick, penalties, count, bits):
    """The card that follows suit."""
    others = unplayed & lane_of(best) & ~legal
    ducking, winning = follow_held(legal, best, queen_out)
    index = follow_class(around, legal, others, queen_out, trick, penalties, count - ONE)
    chosen = _drawn(FOLLOW_ODDS[index * _FOLLOWS_HELD + held_follows(ducking, winning)], bits)
    queen = ducking & queen_out
    duck = select(queen != ZERO, queen, highest_bit(ducking))
    low = select(chosen == ONE, without(ducking, queen), winning)
    high = select(chosen == ZERO, duck, highest_bit(winning))
    return select(U(chosen - ONE) < _TWO, low & (ZERO - low), high)


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


@inlined
def softmax_void(index, legal, queen_out, trick, penalties, bits):
    """The card that does not follow suit."""
    queen, high, hearts, rest = void_held(legal, queen_out, trick, penalties)
    chosen = _drawn(VOID_ODDS[index * _VOIDS_HELD + held_voids(queen, high, hearts, rest)], bits)
    if chosen == ZERO:
        return queen
    if chosen < THREE:
        return highest_bit(select(chosen == ONE, high, hearts))
    return highest_rank(rest) if chosen == THREE else lowest_rank(rest)


@inlined
def softmax_card(
    hand, best, count, trick, first, broken, unplayed, stage, holders, wins, queen_out, rules, bits
):
    """The card that the softmax policy plays in any position, by 16 random bits.

    `unplayed` are all cards in hands; `holders` (see holders_of) and `wins`, the seat that wins the
    trick, are seen from the seat to play, 16 bits a seat.
    """
    penalties, moon = penalty_cards(rules), moon_class(holders)
    around = moon * FOUR + stage
    if count == ZERO:
        legal = legal_leads(hand, first, broken, rules)
        return softmax_lead(around, legal, unplayed, queen_out, bits)
    lane = lane_of(best)
    if hand & lane:
        return softmax_follow(
            around, hand & lane, best, unplayed, queen_out, trick, penalties, count, bits >> ONE
        )
    legal = legal_follows(hand, lane, first, rules)
    index = void_class(moon, stage, holders, wins, trick, penalties)
    return softmax_void(index, legal, queen_out, trick, penalties, bits >> ONE)


@kernel
def softmax_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream):
    """What each seat has taken at the end of a softmax playout."""
    turn, winner, count, first, broken = unpack_meta(meta)
    a, b, c, d = rotate_hands(turn, h0, h1, h2, h3)
    ahead = turn << SEAT_BITS
    taken = rotate_right(taken, ahead)
    breakers = heart_breakers(rules)
    unplayed = h0 | h1 | h2 | h3
    queen_out = unplayed & penalty_cards(rules) & QUEEN
    wins = (winner << SEAT_BITS) - ahead
    while a:
        stream = advance(stream)
        word, stage, holders = mix(stream), stage_class(popcount(a)), holders_of(taken)
        while count < FOUR:
            card = softmax_card(
                a, best, count, trick, first, broken, unplayed, stage, holders, wins, queen_out,
                rules, word & LANE,
            )  # fmt: skip
            trick, best, wins = put_card(card, count, trick, best, wins)
            unplayed ^= card
            a, b, c, d = b, c, d, a ^ card
            taken, ahead = rotate_right(taken, S16), ahead + S16
            holders, word, count = rotate_right(holders, S16), word >> S16, count + ONE
        a, b, c, d, taken, ahead = close_trick(trick, wins & WRAP, a, b, c, d, taken, ahead)
        broken |= trick & breakers
        queen_out &= ~trick
        first, count, trick, wins = ZERO, ZERO, ZERO, ZERO
    return rotate_right(taken, (ZERO - ahead) & WRAP)
