"""The ducking heuristic, and the ε-greedy playout: a random card with probability ε.

- lead: while the queen of spades is unplayed, the lowest spade if the hand has no spade above the
  jack, otherwise the lowest card that is not one of these high spades; later the lowest card
- follow: the queen under a higher spade. If the trick costs nothing and no penalty can follow (as
  last player, or in a first trick without points): the highest card. Otherwise the highest ducking
  card; if there is none, the lowest card, or the highest as last player
- void: the queen; the ace or king of spades while the queen is unplayed; the highest heart; the
  highest card
- the jack of diamonds, if it is a bonus, is not discarded and not ducked with while the hand has
  other cards

The only branch is whether a player can follow suit; the card is selected without one: 415 ns per
playout, against 640 ns with branches throughout.
"""

from hearts.kernels.core.bits import (
    LANE,
    ONE,
    S16,
    S32,
    S48,
    ZERO,
    highest_bit,
    highest_rank,
    lowest_rank,
    pick,
    rotate_right,
    select,
)
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.order import LANE_SHIFT, WRAP, close_trick, put_card, rotate_hands
from hearts.kernels.core.random import advance, mix
from hearts.kernels.core.state import (
    FOUR,
    HEARTS,
    HIGH_SPADES,
    LOW_SPADES,
    QUEEN,
    THREE,
    barred_first,
    bonus_jack,
    heart_breakers,
    lane_of,
    legal_follows,
    legal_leads,
    penalty_cards,
    unpack_meta,
)


@inlined
def without(cards, unwanted):
    """The cards without the unwanted ones, or all of them if none is left."""
    wanted = cards & ~unwanted
    return select(wanted != ZERO, wanted, cards)


@inlined
def is_costly(trick, penalties, jack):
    """Whether a trick costs points: it has penalties, and no bonus jack that outweighs hearts."""
    return (trick & penalties != ZERO) & (
        (trick & jack == ZERO) | (trick & penalties & QUEEN != ZERO)
    )


@inlined
def is_free(first, rules):
    """Whether no penalty card may be played to the trick: the first one, under usual rules."""
    return (first != ZERO) & (barred_first(rules) & penalty_cards(rules) == penalty_cards(rules))


@inlined
def greedy_lead(legal, queen_out):
    """The heuristic's lead; `queen_out` is the queen if it is unplayed and costs points."""
    if queen_out:
        if legal & LOW_SPADES and not legal & (HIGH_SPADES | QUEEN):
            return legal & LOW_SPADES & (ZERO - (legal & LOW_SPADES))
        return lowest_rank(without(legal, HIGH_SPADES | QUEEN))
    return lowest_rank(legal)


@inlined
def greedy_follow(legal, best, trick, last, penalties, jack):
    """The heuristic's card when following suit; `jack` is the bonus jack, or no card."""
    queen = penalties & QUEEN
    ducking = legal & (best - ONE)
    others = without(legal, queen)
    duck = highest_bit(without(ducking, jack))
    if last:
        takes = (ducking == ZERO) | (not is_costly(trick, penalties, jack))
        card = select(takes, highest_bit(others), duck)
    else:
        card = select(ducking != ZERO, duck, others & (ZERO - others))
    return select(ducking & queen != ZERO, queen, card)


@inlined
def greedy_discard(legal, queen_out, penalties, jack):
    """The heuristic's card when void in the suit led."""
    if legal & penalties & QUEEN:
        return QUEEN
    if queen_out and legal & HIGH_SPADES:
        return highest_bit(legal & HIGH_SPADES)
    if legal & penalties & HEARTS:
        return highest_bit(legal & HEARTS)
    return highest_rank(without(legal, jack))


@inlined
def _lead(hand, first, broken, queen_out, rules, sixteen_bits, stream, epsilon):
    """The card that is led, and the advanced stream."""
    legal = legal_leads(hand, first, broken, rules)
    if sixteen_bits < epsilon:
        stream = advance(stream)
        return pick(legal, mix(stream) & LANE), stream
    return greedy_lead(legal, queen_out), stream


@inlined
def _follow_or_discard(
    hand,
    lane,
    best,
    trick,
    last,
    first,
    queen_out,
    penalties,
    jack,
    rules,
    sixteen_bits,
    stream,
    epsilon,
):
    """The card that is played to a trick, and the advanced stream."""
    if sixteen_bits < epsilon:
        stream = advance(stream)
        return pick(legal_follows(hand, lane, first, rules), mix(stream) & LANE), stream
    if hand & lane:
        return greedy_follow(hand & lane, best, trick, last, penalties, jack), stream
    legal = legal_follows(hand, lane, first, rules)
    return greedy_discard(legal, queen_out & ~trick, penalties, jack), stream


@inlined
def greedy_card(
    hand, best, count, trick, first, broken, queen_out, rules, sixteen_bits, stream, epsilon
):
    """The card of the ε-greedy policy in any position, and the advanced stream."""
    if count == ZERO:
        return _lead(hand, first, broken, queen_out, rules, sixteen_bits, stream, epsilon)
    return _follow_or_discard(
        hand, lane_of(best), best, trick, (count == THREE) | is_free(first, rules), first,
        queen_out, penalty_cards(rules), bonus_jack(rules), rules, sixteen_bits, stream, epsilon,
    )  # fmt: skip


@kernel
def greedy_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream, epsilon):
    """Play a hand out ε-greedily, ε in 1/65536; return what each seat has taken."""
    turn, winner, count, first, broken = unpack_meta(meta)
    a, b, c, d = rotate_hands(turn, h0, h1, h2, h3)
    rotation = turn << LANE_SHIFT
    taken = rotate_right(taken, rotation)
    breakers, penalties = heart_breakers(rules), penalty_cards(rules)
    jack = bonus_jack(rules)
    queen_out = (h0 | h1 | h2 | h3) & penalties & QUEEN
    if count or first:
        stream = advance(stream)
        word = mix(stream)
        winner_shift = (winner << LANE_SHIFT) - rotation
        while count < FOUR:
            card, stream = greedy_card(
                a, best, count, trick, first, broken, queen_out, rules, word & LANE, stream, epsilon
            )
            trick, best, winner_shift = put_card(card, count, trick, best, winner_shift)
            a, b, c, d = b, c, d, a ^ card
            taken, rotation = rotate_right(taken, S16), rotation + S16
            word, count = word >> S16, count + ONE
        a, b, c, d, taken, rotation = close_trick(
            trick, winner_shift & WRAP, a, b, c, d, taken, rotation
        )
        broken |= trick & breakers
        queen_out &= ~trick
    while a:
        stream = advance(stream)
        word = mix(stream)
        led, stream = _lead(a, ZERO, broken, queen_out, rules, word & LANE, stream, epsilon)
        lane = lane_of(led)
        second, stream = _follow_or_discard(
            b, lane, led, led, False, ZERO,
            queen_out, penalties, jack, rules, (word >> S16) & LANE, stream, epsilon,
        )  # fmt: skip
        over = (second & lane) > led
        best, winner_shift, trick = select(over, second, led), select(over, S16, ZERO), led | second
        third, stream = _follow_or_discard(
            c, lane, best, trick, False, ZERO,
            queen_out, penalties, jack, rules, (word >> S32) & LANE, stream, epsilon,
        )  # fmt: skip
        over = (third & lane) > best
        best, winner_shift = select(over, third, best), select(over, S32, winner_shift)
        trick |= third
        fourth, stream = _follow_or_discard(
            d, lane, best, trick, True, ZERO,
            queen_out, penalties, jack, rules, word >> S48, stream, epsilon,
        )  # fmt: skip
        winner_shift, trick = select((fourth & lane) > best, S48, winner_shift), trick | fourth
        a, b, c, d, taken, rotation = close_trick(
            trick, winner_shift, a ^ led, b ^ second, c ^ third, d ^ fourth, taken, rotation
        )
        broken |= trick & breakers
        queen_out &= ~trick
    return rotate_right(taken, (ZERO - rotation) & WRAP)
