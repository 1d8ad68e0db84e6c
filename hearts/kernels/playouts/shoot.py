"""The shoot-aware playout: a seat that can take everything tries to, and the others stop it.

- *Trying*: a seat tries for the moon while no other seat has a penalty card and its hand is strong:
  at most one card in four could lose a trick that it leads. While nobody has a penalty card, only
  the leader may begin to try.
- *Suspect*: a seat that alone has taken penalty cards, at least four. All seats can see this.

A seat that tries leads winners, wins every trick it can, and discards no penalty card. Against a
suspect, the other seats

- win a trick with penalty cards from the suspect: with the highest card while the suspect is to
  play, with the lowest sufficient card if the suspect is winning
- discard no penalty card on a trick that the suspect may win
- lead a heart that must win

In all other cases the seats follow the ε-greedy policy.
"""

from hearts.kernels.core.bits import (
    LANE,
    ONE,
    S16,
    S48,
    ZERO,
    U,
    highest_bit,
    highest_rank,
    lowest_bit_index,
    lowest_rank,
    pick,
    popcount,
    rotate_right,
)
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.order import LANE_SHIFT, WRAP, close_trick, put_card, rotate_hands
from hearts.kernels.core.random import advance, mix
from hearts.kernels.core.state import (
    FOUR,
    HEARTS,
    PENALTIES_TAKEN,
    QUEEN,
    THREE,
    bonus_jack,
    heart_breakers,
    lane_of,
    lanes_with,
    legal_plays,
    moon_lane,
    penalty_cards,
    unpack_meta,
)
from hearts.kernels.playouts.greedy import (
    greedy_discard,
    greedy_follow,
    greedy_lead,
    is_free,
    without,
)

NOBODY = U(64)  # beyond every distance
_SUSPICIOUS = 4  # penalty cards that make a suspect
_ONE_IN = U(4)  # a seat tries while at most one card in four may lose

_FIFTEEN, _QUEEN_SHIFT = U(15), U(4)


@inlined
def sole_taker(taken):
    """The distance to the only seat with penalty cards, in bits; NOBODY if none or several."""
    holders = lanes_with(taken, PENALTIES_TAKEN)
    if popcount(holders) != ONE:
        return NOBODY
    return lowest_bit_index(holders) & S48


@inlined
def penalty_cards_taken(taken, shift):
    """The number of penalty cards that the seat at the distance `shift` has taken."""
    lane = taken >> shift
    return (lane & _FIFTEEN) + ((lane >> _QUEEN_SHIFT) & ONE)


@kernel
def winners(hand, rest):
    """The cards of a hand that win if led, when `rest` are the cards of the other hands."""
    result = ZERO
    for suit in range(4):
        lane = LANE << (U(suit) << U(4))
        mine, theirs = hand & lane, rest & lane
        if theirs == ZERO:
            result |= mine
        elif mine > theirs:
            high = mine & ~((highest_bit(theirs) << ONE) - ONE)
            # Once the high cards have drawn all cards of the others, the low ones win too.
            result |= mine if popcount(high) >= popcount(theirs) else high
    return result


@inlined
def can_take_everything(hand, rest):
    """Whether a hand is strong enough to try for the moon."""
    return popcount(hand & ~winners(hand, rest)) * _ONE_IN <= popcount(hand)


@inlined
def _try_card(hand, legal, best, count, rest, penalties):
    """The card of a seat that tries for the moon."""
    if count == ZERO:
        sure = winners(hand, rest) & legal
        return highest_rank(sure if sure else legal)
    if legal & lane_of(best):
        beating = legal & ~(best | (best - ONE))
        if beating:
            return beating & (ZERO - beating) if count == THREE else highest_bit(beating)
        return legal & (ZERO - legal)
    return lowest_rank(without(legal, penalties))


@inlined
def _stop_card(hand, legal, best, count, trick, rest, penalties, suspect_wins, suspect_to_come):
    """The card that stops the suspect, or 0 if the usual card will do."""
    if count == ZERO:
        hearts = legal & HEARTS
        return highest_bit(hearts) if hearts > rest & HEARTS else ZERO
    if legal & lane_of(best):
        beating = legal & ~(best | (best - ONE))
        if trick & penalties and beating:
            if suspect_to_come:
                return highest_bit(beating)
            if suspect_wins:
                return beating & (ZERO - beating)
        return ZERO
    if suspect_wins or suspect_to_come:
        return lowest_rank(without(legal, penalties))
    return ZERO


@inlined
def _usual_card(legal, best, count, trick, free, queen_out, penalties, jack):
    """The card of the ducking heuristic."""
    if count == ZERO:
        return greedy_lead(legal, queen_out)
    if legal & lane_of(best):
        return greedy_follow(legal, best, trick, (count == THREE) | free, penalties, jack)
    return greedy_discard(legal, queen_out & ~trick, penalties, jack)


@kernel
def shoot_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream, epsilon):
    """Play a hand out shoot-aware, ε in 1/65536; return what each seat has taken."""
    turn, winner, count, first, broken = unpack_meta(meta)
    a, b, c, d = rotate_hands(turn, h0, h1, h2, h3)
    rotation = turn << LANE_SHIFT
    taken = rotate_right(taken, rotation)
    breakers, penalties = heart_breakers(rules), penalty_cards(rules)
    jack = bonus_jack(rules)
    queen_out = (h0 | h1 | h2 | h3) & penalties & QUEEN
    winner_shift = (winner << LANE_SHIFT) - rotation
    moon_possible = moon_lane(rules) != ZERO
    while a:
        # Distances in bits from the seat to play; they rotate with it.
        suspect = trying = NOBODY
        if moon_possible:
            owner = sole_taker(taken)
            if owner != NOBODY:
                e, f, g, h = rotate_hands(owner >> LANE_SHIFT, a, b, c, d)
                trying = owner if can_take_everything(e, f | g | h) else NOBODY
                suspect = owner if penalty_cards_taken(taken, owner) >= _SUSPICIOUS else NOBODY
            elif (
                taken & PENALTIES_TAKEN == ZERO
                and count == ZERO
                and can_take_everything(a, b | c | d)
            ):
                trying = ZERO
        stream = advance(stream)
        word = mix(stream)
        while count < FOUR:
            legal = legal_plays(a, best, count, first, broken, rules)
            rest = b | c | d
            card = ZERO
            if word & LANE < epsilon:
                stream = advance(stream)
                card = pick(legal, mix(stream) & LANE)
            elif trying == ZERO:
                card = _try_card(a, legal, best, count, rest, penalties)
            elif suspect != NOBODY and suspect != ZERO:
                to_come = suspect < (FOUR - count) << LANE_SHIFT
                suspect_wins = suspect == winner_shift & WRAP
                card = _stop_card(
                    a, legal, best, count, trick, rest, penalties, suspect_wins, to_come
                )
            if card == ZERO:
                card = _usual_card(
                    legal, best, count, trick, is_free(first, rules), queen_out, penalties, jack
                )
            trick, best, winner_shift = put_card(card, count, trick, best, winner_shift)
            a, b, c, d = b, c, d, a ^ card
            taken, rotation = rotate_right(taken, S16), rotation + S16
            suspect = suspect if suspect == NOBODY else (suspect - S16) & WRAP
            trying = trying if trying == NOBODY else (trying - S16) & WRAP
            word, count = word >> S16, count + ONE
        a, b, c, d, taken, rotation = close_trick(
            trick, winner_shift & WRAP, a, b, c, d, taken, rotation
        )
        broken |= trick & breakers
        queen_out &= ~trick
        first, count, trick, winner_shift = ZERO, ZERO, ZERO, ZERO
    return rotate_right(taken, (ZERO - rotation) & WRAP)
