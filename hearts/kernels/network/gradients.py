"""What the network learns from: its own hands, and the slopes of what they say.

Two networks learn together, each of two hidden layers over a sum of rows. The *player* is the one
of `forward`: rows of what its seat knows in, a score for each card out. The *critic*
sees all four hands and says how a hand will end for a seat; it only serves to tell a good play from
good luck, and is not kept.

Rows of the critic:

    row          is added for
    HELD         64 r + each card in the hand of the seat r places on
    LAID         each card that the seat has laid aside to pass
    otherwise    as the player's rows of the same names; NOBODY and SEVERAL have taken penalties
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.core.bits import ONE, S16, U, lowest_place
from hearts.kernels.core.jit import fast, fast_inlined
from hearts.kernels.network.forward import MOST_ROWS, place_row, put_rows, sole_taker, trick_cost

HELD, WINNING, PLACE, COST, BROKEN, FIRST, QUEEN_TAKEN = 0, 256, 320, 336, 344, 345, 348
SOLE_TAKER, NOBODY, SEVERAL, PASSING, DIRECTION = 352, 356, 357, 358, 360
HEARTS_TAKEN, LAID = 384, 448
CRITIC_ROWS = 512

TINY = np.float32(1e-9)
_ZERO, _ONE = np.float32(0), np.float32(1)
_PENALTIES, _HEARTS, _QUEEN_BIT = U(0x001F001F001F001F), U(15), U(16)

Floats = NDArray[np.float32]


class Weights(NamedTuple):
    """The weights of a network, or their slopes."""

    rows: Floats  # (rows, width)
    bias: Floats  # (width,)
    hidden: Floats  # (depth, width)
    hidden_bias: Floats  # (depth,)
    out: Floats  # (outputs, depth)
    out_bias: Floats  # (outputs,)


class Samples(NamedTuple):
    """Decisions, in the order of play; axis 0 is the decision."""

    rows: NDArray[np.int16]  # (n, MOST_ROWS): of the player
    sight: NDArray[np.int16]  # (n, MOST_ROWS): rows of the critic
    sizes: NDArray[np.int16]  # (n, 2): how many there are of each
    moves: NDArray[np.uint64]  # what could be chosen
    head: NDArray[np.int16]  # the first output of a card: 0 to play, PASS_HEAD to pass
    chosen: NDArray[np.int16]  # the card
    log_odds: Floats  # log P(chosen) when it was chosen
    value: Floats  # what the critic expected
    seat: NDArray[np.int16]
    hand: NDArray[np.int32]


def new_samples(n: int) -> Samples:
    """Room for some decisions."""
    return Samples(
        rows=np.empty((n, MOST_ROWS), dtype=np.int16),
        sight=np.empty((n, MOST_ROWS), dtype=np.int16),
        sizes=np.empty((n, 2), dtype=np.int16),
        moves=np.empty(n, dtype=np.uint64),
        head=np.empty(n, dtype=np.int16),
        chosen=np.empty(n, dtype=np.int16),
        log_odds=np.empty(n, dtype=np.float32),
        value=np.empty(n, dtype=np.float32),
        seat=np.empty(n, dtype=np.int16),
        hand=np.empty(n, dtype=np.int32),
    )


@fast
def critic_rows(
    seat, hands, laid, direction, trick, best, winner, count, taken, first, broken, rows
):
    """Write the critic's rows of a moment for a seat; direction is −1 unless cards are passed."""
    n = 0
    for r in range(4):
        n = put_rows(hands[(seat + r) & 3], HELD + 64 * r, rows, n)
    n = put_rows(laid, LAID, rows, n)
    rows[n] = PLACE + place_row(seat, winner, count)
    n += 1
    if count:
        rows[n] = WINNING + np.int64(lowest_place(best))
        rows[n + 1] = COST + trick_cost(trick)
        n += 2
    if direction >= 0:
        rows[n], rows[n + 1] = PASSING, DIRECTION + direction
        n += 2
    for condition, row in ((broken, BROKEN), (first, FIRST)):
        if condition:
            rows[n] = row
            n += 1
    sole = sole_taker(taken)
    if sole >= 0:
        rows[n] = SOLE_TAKER + ((sole - seat) & 3)
    else:
        rows[n] = SEVERAL if taken & _PENALTIES else NOBODY
    n += 1
    for r in range(4):
        lane = taken >> (U((seat + r) & 3) * S16)
        rows[n] = HEARTS_TAKEN + 16 * r + np.int64(lane & _HEARTS)
        n += 1
        if lane & _QUEEN_BIT:
            rows[n] = QUEEN_TAKEN + r
            n += 1
    return n


@fast
def think(rows, n, weights, inner, outer):
    """Writes both hidden layers of a network for `n` rows."""
    for i in range(inner.shape[0]):
        inner[i] = weights.bias[i]
    for k in range(n):
        row = weights.rows[rows[k]]
        for i in range(inner.shape[0]):
            inner[i] += row[i]
    for i in range(inner.shape[0]):
        inner[i] = max(inner[i], _ZERO)
    for j in range(outer.shape[0]):
        total = weights.hidden_bias[j]
        for i in range(inner.shape[0]):
            total += inner[i] * weights.hidden[j, i]
        outer[j] = max(total, _ZERO)


@fast_inlined
def output(number, weights, outer):
    """One output of a network whose last hidden layer is `outer`."""
    total = weights.out_bias[number]
    for j in range(outer.shape[0]):
        total += outer[j] * weights.out[number, j]
    return total


@fast
def chances(moves, head, weights, outer, cards, odds):
    """Writes each move's card and its probability, from the lowest; how many there are."""
    n, top = 0, np.float32(-1e30)
    while moves:
        card = np.int64(lowest_place(moves))
        moves &= moves - ONE
        cards[n], odds[n] = card, output(head + card, weights, outer)
        top = max(top, odds[n])
        n += 1
    total = _ZERO
    for i in range(n):
        odds[i] = math.exp(odds[i] - top)
        total += odds[i]
    for i in range(n):
        odds[i] /= total
    return n


@fast
def learn_back(rows, n, weights, inner, outer, slope, slopes, inner_slope):
    """Add to `slopes` what `slope`, that of the last hidden layer, means for all layers below."""
    for i in range(inner.shape[0]):
        inner_slope[i] = _ZERO
    for j in range(outer.shape[0]):
        if outer[j] > _ZERO and slope[j] != _ZERO:
            slopes.hidden_bias[j] += slope[j]
            for i in range(inner.shape[0]):
                slopes.hidden[j, i] += slope[j] * inner[i]
                inner_slope[i] += slope[j] * weights.hidden[j, i]
    for i in range(inner.shape[0]):
        inner_slope[i] = inner_slope[i] if inner[i] > _ZERO else _ZERO
        slopes.bias[i] += inner_slope[i]
    for k in range(n):
        row = slopes.rows[rows[k]]
        for i in range(inner.shape[0]):
            row[i] += inner_slope[i]


@fast
def learn_output(number, amount, weights, outer, slope, slopes):
    """Add the slope of one output to `slopes`, and to that of the last hidden layer."""
    slopes.out_bias[number] += amount
    for j in range(outer.shape[0]):
        slopes.out[number, j] += amount * outer[j]
        slope[j] += amount * weights.out[number, j]


@fast
def learn_policy(k, samples, gain, clip, entropy, weights, slopes, room, report):
    """Add the slopes of one decision, whose outcome was `gain` better than expected.

    The loss is that of proximal policy optimization less the entropy: what was better than expected
    becomes likelier, but for odds that have already moved by more than a factor of 1 ± clip.
    """
    inner, outer, slope, inner_slope, odds, cards = room
    n, head, chosen = samples.sizes[k, 0], np.int64(samples.head[k]), samples.chosen[k]
    think(samples.rows[k], n, weights, inner, outer)
    size = chances(samples.moves[k], head, weights, outer, cards, odds)
    surprise, log_chosen = _ZERO, _ZERO
    for i in range(size):
        log_odds = np.float32(math.log(odds[i] + TINY))
        surprise -= odds[i] * log_odds
        if cards[i] == chosen:
            log_chosen = log_odds
    ratio = np.float32(math.exp(log_chosen - samples.log_odds[k]))
    moved = (gain > _ZERO and ratio > _ONE + clip) or (gain < _ZERO and ratio < _ONE - clip)
    push = _ZERO if moved else -gain * ratio
    for j in range(outer.shape[0]):
        slope[j] = _ZERO
    for i in range(size):
        amount = push * ((_ONE if cards[i] == chosen else _ZERO) - odds[i])
        amount += entropy * odds[i] * (np.float32(math.log(odds[i] + TINY)) + surprise)
        learn_output(head + cards[i], amount, weights, outer, slope, slopes)
    learn_back(samples.rows[k], n, weights, inner, outer, slope, slopes, inner_slope)
    report[0] += surprise
    report[1] += moved


@fast
def learn_value(k, samples, outcome, weights, slopes, room, report):
    """Add the slopes of the squared error of what the critic expects at one decision."""
    inner, outer, slope, inner_slope, _, _ = room
    n = samples.sizes[k, 1]
    think(samples.sight[k], n, weights, inner, outer)
    error = output(0, weights, outer) - outcome
    for j in range(outer.shape[0]):
        slope[j] = _ZERO
    learn_output(0, error, weights, outer, slope, slopes)
    learn_back(samples.sight[k], n, weights, inner, outer, slope, slopes, inner_slope)
    report[2] += error * error


@fast
def learn(
    order, samples, gains, outcomes, clip, entropy,
    player, critic, player_slopes, critic_slopes, player_room, critic_room, report,
):  # fmt: skip
    """Add the slopes of the decisions `order`; to `report` entropy, moved odds, squared error."""
    for place in range(order.shape[0]):
        k = order[place]
        learn_policy(
            k, samples, gains[k], clip, entropy, player, player_slopes, player_room, report
        )
        learn_value(k, samples, outcomes[k], critic, critic_slopes, critic_room, report)


@fast
def judge(n, samples, worth, decay, gains, outcomes):
    """Writes how much better than expected each of `n` decisions was, and what to expect.

    `worth` (hands, 4) is what each hand was worth to each seat. Expectations are compared from one
    decision of a seat to its next: gains further on count `decay` less with each.
    """
    for seat in range(4):
        hand, following, gain = -1, _ZERO, _ZERO
        for k in range(n - 1, -1, -1):
            if samples.seat[k] != seat:
                continue
            if samples.hand[k] != hand:
                hand, gain = samples.hand[k], _ZERO
                following = worth[hand, seat]
            gain = following - samples.value[k] + decay * gain
            following = samples.value[k]
            gains[k], outcomes[k] = gain, gain + following
