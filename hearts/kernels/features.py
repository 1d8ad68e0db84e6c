"""Why a player may like a card: features of an action, and how likely they make it.

Cards of a hand that are equal in play are one choice (a run), so that no player's habit of playing
the highest or the lowest of them is learned; P(card) = P(run) / cards in the run.

Every feature of a card looks at the moment and at the player's cards of *that card's suit*, never
at the rest of the hand. So the attraction of all cards of a suit is a function of 13 bits, which a
chain over deals looks up instead of computing it (hearts.kernels.chain).
"""

import math

from hearts.kernels.bits import ONE, ZERO, U, lowest_place, popcount
from hearts.kernels.jit import inlined, kernel
from hearts.kernels.moments import (
    ACTOR,
    BEST,
    FEEDS_TAKER,
    FOLLOW,
    LEAD,
    OTHER,
    PHASE,
    PLACE,
    POINTS,
    QUEEN_ON_TABLE,
    QUEEN_OUT,
    TAKEN,
    TAKERS,
    TRICK,
    UNPLAYED,
    VOIDS,
    VOIDS_TO_COME,
)

CLUBS, DIAMONDS, SPADES, HEARTS = range(4)
_JACK, _QUEEN = ONE << U(9), ONE << U(10)
_ABOVE_QUEEN = U(0x1800)
_BELOW_QUEEN = U(0x3FF)
_LONG_MOON = 8.0  # points from which a lone taker looks like a moon

LEAD_FEATURES = (
    "cards in the run (log)",
    "diamonds", "spades", "hearts",
    "height", "height squared",
    "height of a heart", "height, by tricks over", "height, by seats out of the suit",
    "highest of all", "lowest of all", "nobody else has the suit",
    "lowest of the suit", "singleton", "doubleton", "length of the suit",
    "seats out of the suit", "others' cards of the suit",
    "low spade, queen out, no high spade in hand", "low spade, queen out, queen in hand",
    "low spade, queen out, ace or king in hand", "ace or king of spades, queen out",
    "queen of spades", "ace or king of spades beside the queen",
    "alone with points: height", "alone with points: highest of all",
    "another alone with points: height", "another alone with points: heart",
    "spades, queen gone", "hearts, by tricks over",
    "low spade, queen out, cards of the suit in hand", "height of a long suit",
)  # fmt: skip

FOLLOW_FEATURES = (
    "cards in the run (log)",
    "ducks", "highest that ducks", "lowest of the suit", "highest of the suit",
    "height", "takes for sure", "takes, last", "takes, last, no points",
    "takes, last, by points", "takes, last, queen on the table", "takes, not last, by points",
    "takes, height, first trick", "takes, not last, height", "takes, seats to come out of the suit",
    "takes, highest, last", "takes, lowest, last",
    "takes a heart trick", "takes, by tricks over",
    "ace or king of spades, queen out, not last", "ace or king of spades, queen out, last",
    "queen of spades ducks", "queen of spades takes", "queen of spades takes, last",
    "low spade takes, queen in hand", "low spade, queen out, ace or king in hand",
    "alone with points: takes", "alone with points: takes points",
    "feeds the only taker", "takes points from the only taker", "feeds, by points",
    "ducks, height", "ducks, height, no points", "takes, others' cards above",
    "takes, second to play", "takes, cards left below in the suit",
    "takes, not last, highest", "takes, not last, lowest",
)  # fmt: skip

DISCARD_FEATURES = (
    "cards in the run (log)",
    "diamonds", "spades", "hearts",
    "height", "height of a heart", "highest of the suit", "highest heart",
    "singleton", "doubleton", "length of the suit", "own cards below",
    "highest of all", "nobody else has the suit", "others' cards of the suit",
    "queen of spades", "queen of spades, last",
    "ace or king of spades, queen out", "ace or king of spades, queen out, few spades",
    "ace or king of spades beside the queen", "low spade, queen out", "low spade beside the queen",
    "feeds the only taker: heart or queen", "feeds a moon: heart or queen",
    "alone with points: heart or queen", "heart, points on the table", "heart, by tricks over",
    "height, by tricks over", "singleton, by tricks over", "lowest of the suit", "height of clubs",
    "heart, first thrown", "height of a short suit", "first trick, height",
)  # fmt: skip

PASS_FEATURES = (
    "rank of a club", "rank of a diamond", "rank of a heart",
    "diamonds", "spades", "hearts",
    "own cards below", "own cards below a club", "own cards below a heart",
    "clubs: length 1", "clubs: length 2", "clubs: length 3",
    "diamonds: length 1", "diamonds: length 2", "diamonds: length 3",
    "clubs: length", "diamonds: length", "hearts: length",
    "queen of spades", "queen of spades: low spades", "queen of spades: four low spades or more",
    "ace or king of spades", "ace or king: low spades", "ace or king: queen in hand",
    "ace or king: four low spades or more", "low spade", "low spade: queen in hand",
    "low spade: ace or king in hand", "rank of a low spade", "spades: length",
    "ace", "king", "low club", "ace of clubs", "two of clubs",
    "heart: low", "heart: highest", "highest of the suit", "rank squared",
)  # fmt: skip

LEADS, FOLLOWS = len(LEAD_FEATURES), len(FOLLOW_FEATURES)
DISCARDS, PASSES = len(DISCARD_FEATURES), len(PASS_FEATURES)
MOST = max(LEADS, FOLLOWS, DISCARDS, PASSES)


@inlined
def _flag(condition):
    return 1.0 if condition else 0.0


@inlined
def run_top(low, lane, others, special):
    """The highest card of the run that begins with `low`: equal in play, as table.distinct says."""
    top = low
    while not top & special:
        above = lane & ~((top << ONE) - ONE)
        following = above & (ZERO - above)
        if not following or following & special or others & (following - ONE) & ~(top - ONE):
            break
        top = following
    return top


@inlined
def special_of(suit):
    """The card of a suit that is equal to no other: J♦, Q♠."""
    return _JACK if suit == DIAMONDS else _QUEEN if suit == SPADES else ZERO


@kernel
def play_features(moment, suit, lane, low, top, features):
    """Writes why one may play the run `low` … `top` of a suit of which one has `lane`."""
    features[:] = 0.0
    phase = moment[PHASE]
    if phase == LEAD:
        _lead(moment, suit, lane, low, top, features)
    elif phase == FOLLOW:
        _follow(moment, suit, lane, low, top, features)
    else:
        _discard(moment, suit, lane, low, top, features)


@inlined
def _geometry(moment, suit, lane, low, top):
    """Others' cards below and above a run, own ones below and above, and its height, 0 … 1."""
    others = U(moment[UNPLAYED + suit]) & ~lane
    under, over = low - ONE, ~((top << ONE) - ONE)
    below, above = float(popcount(others & under)), float(popcount(others & over))
    own_below, own_above = float(popcount(lane & under)), float(popcount(lane & over))
    height = below / (below + above) if below + above > 0.0 else 0.5
    return below, above, own_below, own_above, height


@inlined
def _run_size(lane, low, top):
    return float(popcount(lane & ((top << ONE) - ONE) & ~(low - ONE)))


@kernel
def _lead(moment, suit, lane, low, top, f):
    below, above, own_below, _, height = _geometry(moment, suit, lane, low, top)
    length = float(popcount(lane))
    voids = float(moment[VOIDS + suit])
    over = float(moment[TRICK]) / 12.0
    f[0] = math.log(_run_size(lane, low, top))
    if suit:
        f[suit] = 1.0
    f[4], f[5] = height, height * height
    f[6] = height if suit == HEARTS else 0.0
    f[7], f[8] = height * over, height * voids
    others = below + above
    f[9], f[10] = _flag(others > 0.0 and above == 0.0), _flag(others > 0.0 and below == 0.0)
    f[11] = _flag(others == 0.0)
    f[12], f[13], f[14] = _flag(own_below == 0.0), _flag(length == 1.0), _flag(length == 2.0)
    f[15], f[16], f[17] = length / 4.0, voids, others / 8.0
    queen_out = moment[QUEEN_OUT] != 0
    if suit == SPADES:
        high, queen = lane & _ABOVE_QUEEN, lane & _QUEEN
        if queen_out and top < _QUEEN:
            if queen:
                f[19] = 1.0
            elif high:
                f[20] = 1.0
            else:
                f[18] = 1.0
            f[30] = length / 4.0
        f[21] = _flag(queen_out and low > _QUEEN and not queen)
        f[22] = _flag(queen_out and low == _QUEEN)
        f[23] = _flag(queen_out and low > _QUEEN and queen)
        f[28] = _flag(not queen_out)
    if moment[TAKERS] == ACTOR:
        much = min(float(moment[TAKEN]) / _LONG_MOON, 1.0)
        f[24], f[25] = height * much, f[9] * much
    if moment[TAKERS] == OTHER:
        much = min(float(moment[TAKEN]) / _LONG_MOON, 1.0)
        f[26], f[27] = height * much, much if suit == HEARTS else 0.0
    f[29] = over if suit == HEARTS else 0.0
    f[31] = height * length / 4.0


@kernel
def _follow(moment, suit, lane, low, top, f):
    _, above, own_below, own_above, height = _geometry(moment, suit, lane, low, top)
    best = ONE << U(moment[BEST])
    points = min(float(moment[POINTS]) / 4.0, 2.0)
    last = moment[PLACE] == 3
    lowest, highest = _flag(own_below == 0.0), _flag(own_above == 0.0)
    f[0] = math.log(_run_size(lane, low, top))
    f[3], f[4], f[5] = lowest, highest, height
    queen_out = moment[QUEEN_OUT] != 0
    feeds = moment[FEEDS_TAKER] != 0
    if top < best:
        f[1] = 1.0
        f[2] = _flag(not lane & (best - ONE) & ~((top << ONE) - ONE))
        f[31] = height
        f[32] = height if points == 0.0 else 0.0
        f[28] = _flag(feeds)
        f[30] = points if feeds else 0.0
        f[21] = _flag(suit == SPADES and low == _QUEEN and queen_out)
    else:
        _take(moment, suit, lane, low, above, own_below, height, f)
        f[15], f[16] = (highest, lowest) if last else (0.0, 0.0)
        f[36], f[37] = (0.0, 0.0) if last else (highest, lowest)
    if suit == SPADES and queen_out:
        if low > _QUEEN:
            f[20 if last else 19] = 1.0
        elif low < _QUEEN and lane & _ABOVE_QUEEN and not lane & _QUEEN:
            f[25] = 1.0


@inlined
def _take(moment, suit, lane, low, above, own_below, height, f):
    """The part for a run above the card that is winning."""
    points = min(float(moment[POINTS]) / 4.0, 2.0)
    last = moment[PLACE] == 3
    over = float(moment[TRICK]) / 12.0
    f[6] = _flag(above == 0.0)
    if last:
        f[7], f[8], f[9] = 1.0, _flag(points == 0.0), points
        f[10] = _flag(moment[QUEEN_ON_TABLE] != 0)
    else:
        f[11], f[13] = points, height
    f[12] = height if moment[TRICK] == 0 else 0.0
    f[14] = float(moment[VOIDS_TO_COME])
    f[17], f[18] = _flag(suit == HEARTS), over
    if suit == SPADES and moment[QUEEN_OUT] != 0:
        f[22] = _flag(low == _QUEEN)
        f[23] = _flag(low == _QUEEN and last)
        f[24] = _flag(low < _QUEEN and lane & _QUEEN)
    if moment[TAKERS] == ACTOR:
        much = min(float(moment[TAKEN]) / _LONG_MOON, 1.0)
        f[26], f[27] = much, points * much
    f[29] = points if moment[FEEDS_TAKER] != 0 else 0.0
    f[33] = above / 4.0
    f[34] = _flag(moment[PLACE] == 1)
    f[35] = own_below / 4.0


@kernel
def _discard(moment, suit, lane, low, top, f):
    below, above, own_below, own_above, height = _geometry(moment, suit, lane, low, top)
    length = float(popcount(lane))
    over = float(moment[TRICK]) / 12.0
    others = below + above
    f[0] = math.log(_run_size(lane, low, top))
    if suit:
        f[suit] = 1.0
    highest = _flag(own_above == 0.0)
    f[4], f[6] = height, highest
    f[8], f[9], f[10] = _flag(length == 1.0), _flag(length == 2.0), length / 4.0
    f[11] = own_below / 4.0
    f[12], f[13] = _flag(others > 0.0 and above == 0.0), _flag(others == 0.0)
    f[14] = others / 8.0
    costs = suit == HEARTS
    if suit == SPADES and moment[QUEEN_OUT] != 0:
        queen = lane & _QUEEN
        if low == _QUEEN:
            costs = True
            f[15], f[16] = 1.0, _flag(moment[PLACE] == 3)
        elif low > _QUEEN:
            f[17], f[18] = _flag(not queen), _flag(not queen and length <= 3.0)
            f[19] = _flag(queen)
        else:
            f[20], f[21] = _flag(not queen), _flag(queen)
    if costs:
        much = min(float(moment[TAKEN]) / _LONG_MOON, 1.0)
        f[22] = _flag(moment[FEEDS_TAKER] != 0)
        f[23] = much if moment[FEEDS_TAKER] != 0 else 0.0
        f[24] = much if moment[TAKERS] == ACTOR else 0.0
    if suit == HEARTS:
        f[5], f[7] = height, highest
        f[25], f[26] = min(float(moment[POINTS]) / 4.0, 2.0), over
        f[31] = _flag(popcount(U(moment[UNPLAYED + HEARTS])) == U(13))
    f[27], f[28] = height * over, f[8] * over
    f[29] = _flag(own_below == 0.0)
    f[30] = height if suit == CLUBS else 0.0
    f[32] = height if length <= 2.0 else 0.0
    f[33] = height if moment[TRICK] == 0 else 0.0


@kernel
def pass_features(suit, lane, card, f):
    """Writes why one may pass a card of a suit of which one was dealt `lane`."""
    f[:] = 0.0
    rank = float(lowest_place(card)) / 12.0
    length = float(popcount(lane))
    below = float(popcount(lane & (card - ONE)))
    highest = _flag(not lane & ~((card << ONE) - ONE))
    f[6], f[37], f[38] = below / 4.0, highest, rank * rank
    if suit:
        f[2 + suit] = 1.0
    if suit == SPADES:
        low = float(popcount(lane & _BELOW_QUEEN))
        f[29] = length / 4.0
        if card == _QUEEN:
            f[18], f[19], f[20] = 1.0, low / 4.0, _flag(low >= 4.0)
        elif card > _QUEEN:
            f[21], f[22], f[23] = 1.0, low / 4.0, _flag(lane & _QUEEN)
            f[24] = _flag(low >= 4.0)
        else:
            f[25], f[26] = 1.0, _flag(lane & _QUEEN)
            f[27], f[28] = _flag(lane & _ABOVE_QUEEN), rank
        return
    f[30], f[31] = _flag(rank == 1.0), _flag(card == U(0x800))
    if suit == HEARTS:
        f[2], f[8], f[17] = rank, below / 4.0, length / 4.0
        f[35], f[36] = _flag(rank < 0.4), highest
        return
    f[suit] = rank
    short = 9 if suit == CLUBS else 12
    if length <= 3.0:
        f[short + int(length) - 1] = 1.0
    f[15 + suit] = length / 4.0
    if suit == CLUBS:
        f[7] = below / 4.0
        f[32], f[33], f[34] = _flag(rank < 0.4), _flag(rank == 1.0), _flag(rank == 0.0)
