"""A small network that plays: what one seat knows goes in, odds for each of its cards come out.

The first layer is a sum of rows, one row for each thing that is so:

    row             is added for
    MINE            each card in hand
    PLAYED + 64 r   each card that the seat r places on has played, r 0 … 3
    GIVEN, GOT      each card that was passed to (and not yet played by), or by, the seat r 1 … 3
    WINNING         the card that wins the trick so far
    PLACE           4 × cards on the table + how far on the seat is that wins
    COST            hearts on the table + 4 where the queen is there too
    BROKEN … FIRST  hearts are broken, the queen is out, who has taken her, who alone has taken
                    penalty cards, how cards were passed, the first trick
    PASSING         cards are being passed: those laid aside so far are GIVEN
    VOID            4 × (r − 1) + each suit that seat r is known to be void in
    LENGTH, UNSEEN  16 × suit + how many cards of it are in hand, are hidden
    HEARTS_TAKEN    16 × r + how many hearts seat r has taken

A card changes few of them, so playouts keep the sums of all four seats and add what changes: 8 rows
a card instead of about 200.

Weights are whole numbers in float32, and so is everything on the way: below 2^24 such sums are
exact, whatever order a processor adds in. So a network plays the same cards on every machine.
"""

import math

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, S16, ZERO, U, lowest_place, popcount
from hearts.kernels.core.jit import exact, exact_inlined
from hearts.kernels.core.state import DECK, QUEEN, lane_of

MINE, PLAYED, GIVEN, GOT, WINNING, PLACE, COST = 0, 64, 320, 512, 704, 768, 784
BROKEN, QUEEN_OUT, QUEEN_TAKEN, SOLE_TAKER, DIRECTION = 792, 793, 794, 798, 802
FIRST, PASSING, VOID, LENGTH, UNSEEN, HEARTS_TAKEN = 806, 807, 808, 832, 896, 960
ROWS = 1024
MOST_ROWS = 96  # that are so at once
PASS_HEAD = 64  # outputs: for each card how good it is to play, then to pass
OUTPUTS = 128

UNIT = 256.0  # what counts as 1 in the weights of every layer
_PER_UNIT = np.float32(1 / UNIT)
_NOTHING = np.float32(0)

# What a seat has seen, a row per seat: cards played; cards it gave, and got, where that is known;
# how cards were passed (0 where it is unknown), as seats to the left.
SEEN_PLAYED, SEEN_GAVE, SEEN_GOT, SEEN_DIRECTION = range(4)

_PENALTIES, _HEARTS_TAKEN, _QUEEN_BIT = U(31), U(15), U(16)
_ALL_PENALTIES = U(0x001F001F001F001F)


@exact_inlined
def put_rows(cards, first_row, rows, n):
    """Add the rows of a set of cards to a list of rows; how many there are then."""
    while cards:
        rows[n] = first_row + np.int64(lowest_place(cards))
        n += 1
        cards &= cards - ONE
    return n


@exact_inlined
def void_bit(seat, suit):
    """The bit of a word of voids that says that a seat has none of a suit."""
    return ONE << U(4 * seat + suit)


@exact_inlined
def _count(cards, suit):
    """How many cards of a suit a set has."""
    return np.int64(popcount((cards >> (U(suit) * S16)) & LANE))


@exact_inlined
def place_row(seat, winner, count):
    """Cards on the table, and how far on the seat is that wins."""
    return 4 * np.int64(count) + ((np.int64(winner) - seat) & 3) if count else 0


@exact_inlined
def trick_cost(trick):
    """Hearts on the table, and 4 more for the queen."""
    return _count(trick, 3) + (4 if trick & QUEEN else 0)


@exact
def sole_taker(taken):
    """The only seat with penalty cards; -1 for none or several."""
    found = -1
    for seat in range(4):
        if (taken >> (U(seat) * S16)) & _PENALTIES:
            if found >= 0:
                return -1
            found = seat
    return found


@exact
def trick_rows(seat, trick, best, winner, count, rows, n):
    """Add the rows of the trick on the table as a seat sees it."""
    rows[n] = PLACE + place_row(seat, winner, count)
    if count == ZERO:
        return n + 1
    rows[n + 1] = WINNING + np.int64(lowest_place(best))
    rows[n + 2] = COST + trick_cost(trick)
    return n + 3


@exact
def known_rows(seat, hand, seen, voids, taken, first, broken, rows):
    """Write the rows of what a seat knows besides the trick on the table; how many there are."""
    n = put_rows(hand, MINE, rows, 0)
    gone = ZERO
    for r in range(4):
        cards = seen[(seat + r) & 3, SEEN_PLAYED]
        gone |= cards
        n = put_rows(cards, PLAYED + 64 * r, rows, n)
    direction = np.int64(seen[seat, SEEN_DIRECTION])
    if direction:
        n = put_rows(seen[seat, SEEN_GAVE] & ~gone, GIVEN + 64 * (direction - 1), rows, n)
        n = put_rows(seen[seat, SEEN_GOT], GOT + 64 * (3 - direction), rows, n)
    rows[n] = DIRECTION + direction
    n += 1
    for condition, row in ((broken, BROKEN), (first, FIRST), (~gone & QUEEN, QUEEN_OUT)):
        if condition:
            rows[n] = row
            n += 1
    sole = sole_taker(taken)
    if sole >= 0:
        rows[n] = SOLE_TAKER + ((sole - seat) & 3)
        n += 1
    for r in range(4):
        other = (seat + r) & 3
        lane = taken >> (U(other) * S16)
        rows[n] = HEARTS_TAKEN + 16 * r + np.int64(lane & _HEARTS_TAKEN)
        n += 1
        if lane & _QUEEN_BIT:
            rows[n] = QUEEN_TAKEN + r
            n += 1
        for suit in range(4 if r else 0):
            if voids & void_bit(other, suit):
                rows[n] = VOID + 4 * (r - 1) + suit
                n += 1
    unseen = DECK & ~gone & ~hand
    for suit in range(4):
        rows[n] = LENGTH + 16 * suit + _count(hand, suit)
        rows[n + 1] = UNSEEN + 16 * suit + _count(unseen, suit)
        n += 2
    return n


@exact_inlined
def chooses(hand):
    """Whether a hand has more than one card."""
    return hand & (hand - ONE) != ZERO


@exact_inlined
def _add(sums, seat, row, sign):
    """Add a row to the sums of a seat, or take it away."""
    own = sums[seat]
    for i in range(own.shape[0]):
        own[i] += sign * row[i]


@exact
def open_sums(hands, seen, voids, taken, first, broken, network, rows, sums):
    """Writes to `sums` (4, width) what each seat knows before the trick on the table."""
    weights, _, bias = network[0], network[1], network[2]
    for seat in range(4):
        n = known_rows(seat, hands[seat], seen, voids, taken, first, broken, rows)
        for i in range(bias.shape[0]):
            sums[seat, i] = bias[i]
        for k in range(n):
            _add(sums, seat, weights[rows[k]], np.float32(1))


@exact
def see_card(card, seat, hands, best, count, seen, voids, network, sums):
    """Change the sums by a card that `seat` is about to play from `hands`; the voids after it.

    Who has one card left has nothing to choose any more, and needs no sums.
    """
    weights, steps = network[0], network[1]
    place = np.int64(lowest_place(card))
    suit = place >> 4
    in_play = hands[0] | hands[1] | hands[2] | hands[3]
    left = _count(in_play, suit)
    if chooses(hands[seat] ^ card):
        own, played = sums[seat], steps[PLAYED + place]
        shorter = steps[LENGTH + 16 * suit + _count(hands[seat], suit)]
        for i in range(own.shape[0]):
            own[i] += played[i] + shorter[i]
    for r in range(1, 4):
        other = (seat - r) & 3
        if not chooses(hands[other]):
            continue
        own, played = sums[other], weights[PLAYED + 64 * r + place]
        shorter = steps[UNSEEN + 16 * suit + left - _count(hands[other], suit)]
        for i in range(own.shape[0]):
            own[i] += played[i] + shorter[i]
        if seen[other, SEEN_GAVE] & card and np.int64(seen[other, SEEN_DIRECTION]) == r:
            _add(sums, other, weights[GIVEN + 64 * (r - 1) + place], np.float32(-1))
    if card == QUEEN:
        for other in range(4):
            _add(sums, other, weights[QUEEN_OUT], np.float32(-1))
    if count == ZERO or card & lane_of(best):
        return voids
    led = np.int64(lowest_place(best)) >> 4
    void = void_bit(seat, led)
    if not voids & void:
        for r in range(1, 4):
            _add(sums, (seat - r) & 3, weights[VOID + 4 * (r - 1) + led], np.float32(1))
    return voids | void


@exact
def see_trick(taken, taken_before, first, broken, broken_before, network, sums):
    """Change the sums by what a complete trick has changed."""
    weights = network[0]
    for seat in range(4):
        if first:
            _add(sums, seat, weights[FIRST], np.float32(-1))
        if broken != broken_before:
            _add(sums, seat, weights[BROKEN], np.float32(1))
    if (taken ^ taken_before) & _ALL_PENALTIES == ZERO:
        return
    was, sole = sole_taker(taken_before), sole_taker(taken)
    for taker in range(4):
        lane = (taken >> (U(taker) * S16)) & _PENALTIES
        before = (taken_before >> (U(taker) * S16)) & _PENALTIES
        if lane == before:
            continue
        for seat in range(4):
            r = (taker - seat) & 3
            hearts = HEARTS_TAKEN + 16 * r
            _add(sums, seat, weights[hearts + np.int64(before & _HEARTS_TAKEN)], np.float32(-1))
            _add(sums, seat, weights[hearts + np.int64(lane & _HEARTS_TAKEN)], np.float32(1))
            if (lane ^ before) & _QUEEN_BIT:
                _add(sums, seat, weights[QUEEN_TAKEN + r], np.float32(1))
    if was != sole:
        for seat in range(4):
            if was >= 0:
                _add(sums, seat, weights[SOLE_TAKER + ((was - seat) & 3)], np.float32(-1))
            if sole >= 0:
                _add(sums, seat, weights[SOLE_TAKER + ((sole - seat) & 3)], np.float32(1))


@exact
def weigh_moves(seat, moves, trick, best, winner, count, network, sums, inner, outer, odds):
    """Writes the odds of each of the moves to `odds`, from the lowest card; their sum."""
    weights = network[0]
    own, place = sums[seat], weights[PLACE + place_row(seat, winner, count)]
    if count:
        winning = weights[WINNING + np.int64(lowest_place(best))]
        cost = weights[COST + trick_cost(trick)]
        for i in range(inner.shape[0]):
            inner[i] = max(own[i] + place[i] + winning[i] + cost[i], _NOTHING)
    else:
        for i in range(inner.shape[0]):
            inner[i] = max(own[i] + place[i], _NOTHING)
    _second_layer(inner, network[3], network[4], outer)
    return _softmax(moves, 0, network[5], network[6], outer, odds)


@exact
def weigh_passes(hand, laid, direction, network, seen, rows, inner, outer, odds):
    """Writes the odds of each card of a hand to be passed next, after `laid`; their sum.

    `seen` is that of a hand before its first card, and room to work in.
    """
    weights, bias = network[0], network[2]
    seen[0, SEEN_GAVE], seen[0, SEEN_DIRECTION] = laid, direction
    n = known_rows(0, hand, seen, ZERO, ZERO, ZERO, ZERO, rows)
    rows[n] = PASSING
    for i in range(inner.shape[0]):
        inner[i] = bias[i]
    for k in range(n + 1):
        row = weights[rows[k]]
        for i in range(inner.shape[0]):
            inner[i] += row[i]
    for i in range(inner.shape[0]):
        inner[i] = max(inner[i], _NOTHING)
    _second_layer(inner, network[3], network[4], outer)
    return _softmax(hand, PASS_HEAD, network[5], network[6], outer, odds)


@exact
def _second_layer(inner, weights, bias, outer):
    # Four sums at a time: 204 ns, where one at a time takes 278, and row by row, skipping what
    # is 0, 915.
    for j in range(0, outer.shape[0], 4):
        a, b, c, d = bias[j], bias[j + 1], bias[j + 2], bias[j + 3]
        for i in range(inner.shape[0]):
            a += inner[i] * weights[j, i]
            b += inner[i] * weights[j + 1, i]
            c += inner[i] * weights[j + 2, i]
            d += inner[i] * weights[j + 3, i]
        outer[j], outer[j + 1] = _scaled(a), _scaled(b)
        outer[j + 2], outer[j + 3] = _scaled(c), _scaled(d)


@exact_inlined
def _scaled(total):
    """A sum of products as a whole number in the units of weights, 0 at least."""
    return np.float32(math.floor(max(total, _NOTHING) * _PER_UNIT))


@exact_inlined
def _softmax(moves, head, out, out_bias, outer, odds):
    n, top = 0, -1e30
    while moves:
        card = np.int64(lowest_place(moves))
        moves &= moves - ONE
        score = out_bias[head + card]
        for j in range(outer.shape[0]):
            score += outer[j] * out[head + card, j]
        odds[n] = np.float64(score)
        top = max(top, odds[n])
        n += 1
    total = 0.0
    for i in range(n):
        odds[i] = math.exp((odds[i] - top) / (UNIT * UNIT))
        total += odds[i]
    return total


@exact_inlined
def draw(moves, odds, total, word):
    """The move that a random word chooses by its odds."""
    point = np.float64(word >> U(11)) * 2.0**-53 * total
    i = 0
    while moves & (moves - ONE):
        point -= odds[i]
        if point < 0.0:
            break
        i += 1
        moves &= moves - ONE
    return moves & (ZERO - moves)
