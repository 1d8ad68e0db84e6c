"""Features of plays and passes for the choice models.

Cards of a hand that are equivalent in play form a *run*, and a run is one alternative. So the model
does not learn which card of a run a player prefers: P(card) = P(run) / cards in the run.

The features of a card depend on the public context and on the player's cards of *that card's suit*
only. The scores of a suit are therefore a function of 13 bits, which the MCMC chain caches
(`likelihood.SuitCache`). A `lane` is the set of ranks of one suit that the player holds, as bits.
"""

import math

from hearts.kernels.beliefs.contexts import (
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
from hearts.kernels.beliefs.feature_names import Discard, Follow, Lead, Pass
from hearts.kernels.core.bits import ONE, ZERO, U, lowest_bit_index, popcount
from hearts.kernels.core.jit import bare, bare_inlined

CLUBS, DIAMONDS, SPADES, HEARTS = range(4)
_JACK, _QUEEN = ONE << U(9), ONE << U(10)
_ABOVE_QUEEN = U(0x1800)
_BELOW_QUEEN = U(0x3FF)
_LONG_MOON = 8.0  # points of an only taker at which the moon features reach 1

PASS_FEATURES = len(Pass)
MAX_FEATURES = max(len(Lead), len(Follow), len(Discard), PASS_FEATURES)


@bare_inlined
def _flag(condition):
    return 1.0 if condition else 0.0


@bare_inlined
def run_top(low, lane, others, special):
    """The highest card of the run that begins with `low`; runs are those of `state.distinct`."""
    top = low
    while not top & special:
        above = lane & ~((top << ONE) - ONE)
        following = above & (ZERO - above)
        if not following or following & special or others & (following - ONE) & ~(top - ONE):
            break
        top = following
    return top


@bare_inlined
def special_of(suit):
    """The card of a suit that forms a run of its own: J♦, Q♠."""
    return _JACK if suit == DIAMONDS else _QUEEN if suit == SPADES else ZERO


@bare
def play_features(context, suit, lane, low, top, features):
    """Write the features of playing the run `low` … `top` of `lane`."""
    features[:] = 0.0
    phase = context[PHASE]
    if phase == LEAD:
        _lead(context, suit, lane, low, top, features)
    elif phase == FOLLOW:
        _follow(context, suit, lane, low, top, features)
    else:
        _discard(context, suit, lane, low, top, features)


@bare_inlined
def _geometry(context, suit, lane, low, top):
    """Counts of the others' cards and of own cards below and above a run; its height (0 … 1)."""
    others = U(context[UNPLAYED + suit]) & ~lane
    under, over = low - ONE, ~((top << ONE) - ONE)
    below, above = float(popcount(others & under)), float(popcount(others & over))
    own_below, own_above = float(popcount(lane & under)), float(popcount(lane & over))
    height = below / (below + above) if below + above > 0.0 else 0.5
    return below, above, own_below, own_above, height


@bare_inlined
def _run_size(lane, low, top):
    """The number of cards in a run."""
    return float(popcount(lane & ((top << ONE) - ONE) & ~(low - ONE)))


@bare
def _lead(context, suit, lane, low, top, f):
    """Write the features of a lead."""
    below, above, own_below, _, height = _geometry(context, suit, lane, low, top)
    length = float(popcount(lane))
    voids = float(context[VOIDS + suit])
    progress = float(context[TRICK]) / 12.0
    f[Lead.RUN] = math.log(_run_size(lane, low, top))
    f[Lead.DIAMOND], f[Lead.SPADE] = _flag(suit == DIAMONDS), _flag(suit == SPADES)
    f[Lead.HEART] = _flag(suit == HEARTS)
    f[Lead.HEIGHT], f[Lead.HEIGHT_SQUARED] = height, height * height
    f[Lead.HEART_HEIGHT] = height if suit == HEARTS else 0.0
    f[Lead.LATE_HEIGHT], f[Lead.HEIGHT_BY_VOIDS] = height * progress, height * voids
    others = below + above
    f[Lead.TOP_OF_ALL] = _flag(others > 0.0 and above == 0.0)
    f[Lead.BOTTOM_OF_ALL] = _flag(others > 0.0 and below == 0.0)
    f[Lead.NOBODY_ELSE] = _flag(others == 0.0)
    f[Lead.LOWEST] = _flag(own_below == 0.0)
    f[Lead.SINGLETON], f[Lead.DOUBLETON] = _flag(length == 1.0), _flag(length == 2.0)
    f[Lead.LENGTH], f[Lead.VOIDS], f[Lead.OTHERS] = length / 4.0, voids, others / 8.0
    queen_out = context[QUEEN_OUT] != 0
    if suit == SPADES:
        high, queen = lane & _ABOVE_QUEEN, lane & _QUEEN
        if queen_out and top < _QUEEN:
            if queen:
                f[Lead.LOW_SPADE_WITH_QUEEN] = 1.0
            elif high:
                f[Lead.LOW_SPADE_WITH_HIGH] = 1.0
            else:
                f[Lead.LOW_SPADE] = 1.0
            f[Lead.LOW_SPADE_LENGTH] = length / 4.0
        f[Lead.HIGH_SPADE] = _flag(queen_out and low > _QUEEN and not queen)
        f[Lead.QUEEN] = _flag(queen_out and low == _QUEEN)
        f[Lead.HIGH_SPADE_WITH_QUEEN] = _flag(queen_out and low > _QUEEN and queen)
        f[Lead.SPADE_WITHOUT_QUEEN] = _flag(not queen_out)
    if context[TAKERS] == ACTOR:
        moon = min(float(context[TAKEN]) / _LONG_MOON, 1.0)
        f[Lead.MOON_HEIGHT], f[Lead.MOON_TOP_OF_ALL] = height * moon, f[Lead.TOP_OF_ALL] * moon
    if context[TAKERS] == OTHER:
        moon = min(float(context[TAKEN]) / _LONG_MOON, 1.0)
        f[Lead.STOPPER_HEIGHT] = height * moon
        f[Lead.STOPPER_HEART] = moon if suit == HEARTS else 0.0
    f[Lead.LATE_HEART] = progress if suit == HEARTS else 0.0
    f[Lead.LONG_HEIGHT] = height * length / 4.0


@bare
def _follow(context, suit, lane, low, top, f):
    """Write the features of a card that follows suit."""
    _, above, own_below, own_above, height = _geometry(context, suit, lane, low, top)
    best = ONE << U(context[BEST])
    points = min(float(context[POINTS]) / 4.0, 2.0)
    last = context[PLACE] == 3
    lowest, highest = _flag(own_below == 0.0), _flag(own_above == 0.0)
    f[Follow.RUN] = math.log(_run_size(lane, low, top))
    f[Follow.LOWEST], f[Follow.HIGHEST], f[Follow.HEIGHT] = lowest, highest, height
    queen_out = context[QUEEN_OUT] != 0
    feeds = context[FEEDS_TAKER] != 0
    if top < best:
        f[Follow.DUCKS] = 1.0
        f[Follow.HIGHEST_DUCK] = _flag(not lane & (best - ONE) & ~((top << ONE) - ONE))
        f[Follow.DUCK_HEIGHT] = height
        f[Follow.FREE_DUCK_HEIGHT] = height if points == 0.0 else 0.0
        f[Follow.FEEDS] = _flag(feeds)
        f[Follow.FED_POINTS] = points if feeds else 0.0
        f[Follow.QUEEN_DUCKS] = _flag(suit == SPADES and low == _QUEEN and queen_out)
    else:
        _take(context, suit, lane, low, above, own_below, height, f)
        f[Follow.LAST_HIGHEST], f[Follow.LAST_LOWEST] = (highest, lowest) if last else (0.0, 0.0)
        f[Follow.EARLY_HIGHEST], f[Follow.EARLY_LOWEST] = (0.0, 0.0) if last else (highest, lowest)
    if suit == SPADES and queen_out:
        if low > _QUEEN:
            f[Follow.HIGH_SPADE_LAST if last else Follow.HIGH_SPADE_EARLY] = 1.0
        elif low < _QUEEN and lane & _ABOVE_QUEEN and not lane & _QUEEN:
            f[Follow.LOW_SPADE_WITH_HIGH] = 1.0


@bare_inlined
def _take(context, suit, lane, low, above, own_below, height, f):
    """Write the features of a run that beats the winning card."""
    points = min(float(context[POINTS]) / 4.0, 2.0)
    last = context[PLACE] == 3
    progress = float(context[TRICK]) / 12.0
    f[Follow.SURE_TAKE] = _flag(above == 0.0)
    if last:
        f[Follow.LAST_TAKE], f[Follow.LAST_FREE_TAKE] = 1.0, _flag(points == 0.0)
        f[Follow.LAST_POINTS] = points
        f[Follow.LAST_QUEEN] = _flag(context[QUEEN_ON_TABLE] != 0)
    else:
        f[Follow.EARLY_POINTS], f[Follow.EARLY_HEIGHT] = points, height
    f[Follow.FIRST_TRICK_HEIGHT] = height if context[TRICK] == 0 else 0.0
    f[Follow.TAKE_BEFORE_VOIDS] = float(context[VOIDS_TO_COME])
    f[Follow.TAKES_HEART], f[Follow.LATE_TAKE] = _flag(suit == HEARTS), progress
    if suit == SPADES and context[QUEEN_OUT] != 0:
        f[Follow.QUEEN_TAKES] = _flag(low == _QUEEN)
        f[Follow.QUEEN_TAKES_LAST] = _flag(low == _QUEEN and last)
        f[Follow.LOW_SPADE_TAKES] = _flag(low < _QUEEN and lane & _QUEEN)
    if context[TAKERS] == ACTOR:
        moon = min(float(context[TAKEN]) / _LONG_MOON, 1.0)
        f[Follow.MOON_TAKE], f[Follow.MOON_POINTS] = moon, points * moon
    f[Follow.STOPPER_POINTS] = points if context[FEEDS_TAKER] != 0 else 0.0
    f[Follow.TAKE_UNDER] = above / 4.0
    f[Follow.SECOND_TAKE] = _flag(context[PLACE] == 1)
    f[Follow.TAKE_OVER_OWN] = own_below / 4.0


@bare
def _discard(context, suit, lane, low, top, f):
    """Write the features of a discard."""
    below, above, own_below, own_above, height = _geometry(context, suit, lane, low, top)
    length = float(popcount(lane))
    progress = float(context[TRICK]) / 12.0
    others = below + above
    f[Discard.RUN] = math.log(_run_size(lane, low, top))
    f[Discard.DIAMOND], f[Discard.SPADE] = _flag(suit == DIAMONDS), _flag(suit == SPADES)
    f[Discard.HEART] = _flag(suit == HEARTS)
    highest = _flag(own_above == 0.0)
    f[Discard.HEIGHT], f[Discard.HIGHEST] = height, highest
    f[Discard.SINGLETON], f[Discard.DOUBLETON] = _flag(length == 1.0), _flag(length == 2.0)
    f[Discard.LENGTH] = length / 4.0
    f[Discard.OWN_BELOW] = own_below / 4.0
    f[Discard.TOP_OF_ALL] = _flag(others > 0.0 and above == 0.0)
    f[Discard.NOBODY_ELSE] = _flag(others == 0.0)
    f[Discard.OTHERS] = others / 8.0
    costs = suit == HEARTS
    if suit == SPADES and context[QUEEN_OUT] != 0:
        queen = lane & _QUEEN
        if low == _QUEEN:
            costs = True
            f[Discard.QUEEN], f[Discard.QUEEN_LAST] = 1.0, _flag(context[PLACE] == 3)
        elif low > _QUEEN:
            f[Discard.HIGH_SPADE] = _flag(not queen)
            f[Discard.HIGH_SPADE_SHORT] = _flag(not queen and length <= 3.0)
            f[Discard.HIGH_SPADE_WITH_QUEEN] = _flag(queen)
        else:
            f[Discard.LOW_SPADE], f[Discard.LOW_SPADE_WITH_QUEEN] = _flag(not queen), _flag(queen)
    if costs:
        moon = min(float(context[TAKEN]) / _LONG_MOON, 1.0)
        f[Discard.FEEDS] = _flag(context[FEEDS_TAKER] != 0)
        f[Discard.FEEDS_MOON] = moon if context[FEEDS_TAKER] != 0 else 0.0
        f[Discard.MOON_COST] = moon if context[TAKERS] == ACTOR else 0.0
    if suit == HEARTS:
        f[Discard.HEART_HEIGHT], f[Discard.HIGHEST_HEART] = height, highest
        f[Discard.HEART_ON_POINTS] = min(float(context[POINTS]) / 4.0, 2.0)
        f[Discard.LATE_HEART] = progress
        f[Discard.FIRST_HEART] = _flag(popcount(U(context[UNPLAYED + HEARTS])) == U(13))
    f[Discard.LATE_HEIGHT] = height * progress
    f[Discard.LATE_SINGLETON] = f[Discard.SINGLETON] * progress
    f[Discard.LOWEST] = _flag(own_below == 0.0)
    f[Discard.CLUB_HEIGHT] = height if suit == CLUBS else 0.0
    f[Discard.SHORT_HEIGHT] = height if length <= 2.0 else 0.0
    f[Discard.FIRST_TRICK_HEIGHT] = height if context[TRICK] == 0 else 0.0


@bare
def pass_features(suit, lane, card, f):
    """Write the features of passing a card of `lane`, as dealt."""
    f[:] = 0.0
    rank = float(lowest_bit_index(card)) / 12.0
    length = float(popcount(lane))
    below = float(popcount(lane & (card - ONE)))
    highest = _flag(not lane & ~((card << ONE) - ONE))
    f[Pass.OWN_BELOW], f[Pass.HIGHEST], f[Pass.RANK_SQUARED] = below / 4.0, highest, rank * rank
    f[Pass.DIAMOND], f[Pass.SPADE] = _flag(suit == DIAMONDS), _flag(suit == SPADES)
    f[Pass.HEART] = _flag(suit == HEARTS)
    if suit == SPADES:
        low = float(popcount(lane & _BELOW_QUEEN))
        f[Pass.SPADES] = length / 4.0
        if card == _QUEEN:
            f[Pass.QUEEN], f[Pass.QUEEN_BY_LOW] = 1.0, low / 4.0
            f[Pass.QUEEN_GUARDED] = _flag(low >= 4.0)
        elif card > _QUEEN:
            f[Pass.HIGH_SPADE], f[Pass.HIGH_SPADE_BY_LOW] = 1.0, low / 4.0
            f[Pass.HIGH_SPADE_WITH_QUEEN] = _flag(lane & _QUEEN)
            f[Pass.HIGH_SPADE_GUARDED] = _flag(low >= 4.0)
        else:
            f[Pass.LOW_SPADE], f[Pass.LOW_SPADE_WITH_QUEEN] = 1.0, _flag(lane & _QUEEN)
            f[Pass.LOW_SPADE_WITH_HIGH], f[Pass.LOW_SPADE_RANK] = _flag(lane & _ABOVE_QUEEN), rank
        return
    f[Pass.ACE], f[Pass.KING] = _flag(rank == 1.0), _flag(card == U(0x800))
    if suit == HEARTS:
        f[Pass.HEART_RANK], f[Pass.HEART_OWN_BELOW] = rank, below / 4.0
        f[Pass.HEARTS] = length / 4.0
        f[Pass.LOW_HEART], f[Pass.HIGHEST_HEART] = _flag(rank < 0.4), highest
        return
    if suit == CLUBS:
        f[Pass.CLUB_RANK], f[Pass.CLUB_OWN_BELOW] = rank, below / 4.0
        f[Pass.LOW_CLUB], f[Pass.ACE_OF_CLUBS] = _flag(rank < 0.4), _flag(rank == 1.0)
        f[Pass.TWO_OF_CLUBS] = _flag(rank == 0.0)
        f[Pass.CLUBS_1], f[Pass.CLUBS_2] = _flag(length == 1.0), _flag(length == 2.0)
        f[Pass.CLUBS_3], f[Pass.CLUBS] = _flag(length == 3.0), length / 4.0
    else:
        f[Pass.DIAMOND_RANK] = rank
        f[Pass.DIAMONDS_1], f[Pass.DIAMONDS_2] = _flag(length == 1.0), _flag(length == 2.0)
        f[Pass.DIAMONDS_3], f[Pass.DIAMONDS] = _flag(length == 3.0), length / 4.0
