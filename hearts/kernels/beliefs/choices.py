"""Conditional logit models of plays and passes: features, log-likelihood and gradient.

A play chooses one run among the runs of a hand (McFadden, 1974):

    P(run) = exp(features · weights) / Σ over runs exp(features · weights)

A pass chooses three cards at once. Its normaliser is e₃, the elementary symmetric polynomial of
degree 3 in the exp(score) of the thirteen cards (conditional Poisson sampling: Chen, Dempster and
Liu, 1994):

    P(three cards) = Π exp(features · weights) / e₃
"""

import math

import numpy as np

from hearts.kernels.beliefs.contexts import (
    CARD,
    FOLLOW,
    HEARTS_BARRED,
    LED,
    PHASE,
    QUEEN_BARRED,
    UNPLAYED,
)
from hearts.kernels.beliefs.features import pass_features, play_features, run_top, special_of
from hearts.kernels.core.bits import LANE, ONE, ZERO, U
from hearts.kernels.core.jit import inlined, kernel

_SPADES, _HEARTS = 2, 3
_QUEEN = ONE << U(10)
_NEGLIGIBLE = 1e-6  # a responsibility below which a decision is skipped
DEALT = 13


@inlined
def _is_barred(context, suit, low):
    """Whether a run is illegal as long as the player has other cards."""
    if context[PHASE] == FOLLOW:
        return False
    if suit == _HEARTS:
        return context[HEARTS_BARRED] != 0
    return suit == _SPADES and low == _QUEEN and context[QUEEN_BARRED] != 0


@kernel
def list_runs(context, hand, features, start):
    """Write the features of every legal run to `features`, one row per run from row `start` on.

    Return the row after the last, and the row of the run that was played.
    """
    row, chosen = start, -1
    for barred in range(2):
        for suit in range(4):
            if context[PHASE] == FOLLOW and suit != context[LED]:
                continue
            lane = (hand >> (U(suit) * U(16))) & LANE
            others = U(context[UNPLAYED + suit]) & ~lane
            left = lane
            while left:
                low = left & (ZERO - left)
                top = run_top(low, lane, others, special_of(suit))
                run = lane & ((top << ONE) - ONE) & ~(low - ONE)
                left &= ~run
                if _is_barred(context, suit, low) != (barred != 0):
                    continue
                play_features(context, suit, lane, low, top, features[row])
                if context[CARD] >> 4 == suit and run & (ONE << U(context[CARD] & 15)):
                    chosen = row
                row += 1
        if row > start:
            break
    return row, chosen


@kernel
def list_choices(contexts, hands, features, starts, chosen):
    """Write the features of all alternatives of n plays; return the number of rows written.

    Rows starts[i] … starts[i + 1] of `features` (13 n, features) are the alternatives of play i,
    and `chosen[i]` is the row of the run played. A play with one alternative is not a choice: it
    has no rows, and `chosen[i]` is -1.
    """
    row = 0
    for i in range(contexts.shape[0]):
        starts[i] = row
        end, chosen[i] = list_runs(contexts[i], hands[i], features, row)
        if end - row > 1:
            row = end
        else:
            chosen[i] = -1
    starts[contexts.shape[0]] = row
    return row


@kernel
def list_pass(dealt, features):
    """Write the features (13, features) of every card of a hand, by suit, low to high."""
    row = 0
    for suit in range(4):
        lane = (dealt >> (U(suit) * U(16))) & LANE
        left = lane
        while left:
            card = left & (ZERO - left)
            left ^= card
            pass_features(suit, lane, card, features[row])
            row += 1


@inlined
def _dot(row, weights):
    total = 0.0
    for j in range(weights.shape[0]):
        total += row[j] * weights[j]
    return total


@kernel
def play_log_probabilities(features, starts, chosen, weights, logs):
    """Write log P of each play to `logs` (n,)."""
    scores = np.empty(DEALT)
    for i in range(chosen.shape[0]):
        first, size = starts[i], starts[i + 1] - starts[i]
        highest = -1e300
        for k in range(size):
            scores[k] = _dot(features[first + k], weights)
            highest = max(highest, scores[k])
        total = 0.0
        for k in range(size):
            total += math.exp(scores[k] - highest)
        logs[i] = scores[chosen[i] - first] - highest - math.log(total)


@kernel
def play_gradient(features, starts, chosen, responsibilities, weights, gradient):
    """Add the gradient of Σ responsibility · log P to `gradient`; return that sum."""
    scores, result = np.empty(DEALT), 0.0
    for i in range(chosen.shape[0]):
        share = responsibilities[i]
        if share < _NEGLIGIBLE:
            continue
        first, size = starts[i], starts[i + 1] - starts[i]
        highest = -1e300
        for k in range(size):
            scores[k] = _dot(features[first + k], weights)
            highest = max(highest, scores[k])
        total, picked = 0.0, chosen[i] - first
        result += share * (scores[picked] - highest)
        for k in range(size):
            scores[k] = math.exp(scores[k] - highest)
            total += scores[k]
        result -= share * math.log(total)
        for k in range(size):
            residual = share * ((1.0 if k == picked else 0.0) - scores[k] / total)
            row = features[first + k]
            for j in range(gradient.shape[0]):
                gradient[j] += residual * row[j]
    return result


@kernel
def _score_pass(features, weights, exp_scores):
    """Write exp(score − maximum) of 13 cards; return the maximum, and e₃ of what was written."""
    highest = -1e300
    for k in range(DEALT):
        exp_scores[k] = _dot(features[k], weights)
        highest = max(highest, exp_scores[k])
    e1 = e2 = e3 = 0.0
    for k in range(DEALT):
        exp_scores[k] = math.exp(exp_scores[k] - highest)
        e3 += exp_scores[k] * e2
        e2 += exp_scores[k] * e1
        e1 += exp_scores[k]
    return highest, e3


@kernel
def pass_log_probabilities(features, passed, weights, logs):
    """Write log P of each pass to `logs` (n,); `passed` (n, 3) are indices into the hand."""
    exp_scores = np.empty(DEALT)
    for i in range(passed.shape[0]):
        highest, e3 = _score_pass(features[i], weights, exp_scores)
        logs[i] = -3.0 * highest - math.log(e3)
        for k in passed[i]:
            logs[i] += _dot(features[i, k], weights)


@kernel
def pass_gradient(features, passed, responsibilities, weights, gradient):
    """Add the gradient of Σ responsibility · log P to `gradient`; return that sum."""
    exp_scores, result = np.empty(DEALT), 0.0
    for i in range(passed.shape[0]):
        share = responsibilities[i]
        if share < _NEGLIGIBLE:
            continue
        hand = features[i]
        highest, e3 = _score_pass(hand, weights, exp_scores)
        result -= share * (3.0 * highest + math.log(e3))
        for k in passed[i]:
            result += share * _dot(hand[k], weights)
            for j in range(gradient.shape[0]):
                gradient[j] += share * hand[k, j]
        for k in range(DEALT):
            e1 = e2 = 0.0  # of the other twelve cards
            for other in range(DEALT):
                if other != k:
                    e2 += exp_scores[other] * e1
                    e1 += exp_scores[other]
            inclusion = share * exp_scores[k] * e2 / e3
            for j in range(gradient.shape[0]):
                gradient[j] -= inclusion * hand[k, j]
    return result
