"""Choices that players made, as features of everything they could have chosen; and how to fit them.

A play is one choice among runs of cards that are equal in play, P(run) ∝ exp(features · weights). A
pass is three cards at once, P(cards) ∝ Π exp(features · weights) over all triples of the hand.
"""

import math

import numpy as np

from hearts.kernels.beliefs.features import pass_features, play_features, run_top, special_of
from hearts.kernels.beliefs.moments import (
    CARD,
    FOLLOW,
    HEARTS_BARRED,
    LED,
    PHASE,
    QUEEN_BARRED,
    UNPLAYED,
)
from hearts.kernels.core.bits import LANE, ONE, ZERO, U
from hearts.kernels.core.jit import inlined, kernel

_SPADES, _HEARTS = 2, 3
_QUEEN = ONE << U(10)
DEALT = 13


@inlined
def _is_barred(moment, suit, low):
    """Whether a run may not be played while there are others."""
    if moment[PHASE] == FOLLOW:
        return False
    if suit == _HEARTS:
        return moment[HEARTS_BARRED] != 0
    return suit == _SPADES and low == _QUEEN and moment[QUEEN_BARRED] != 0


@kernel
def list_runs(moment, hand, features, rows):
    """Writes the features of every run that may be played, from row `rows` on.

    Returns the row after the last, and the row of the run that was played.
    """
    first, chosen = rows, -1
    for barred in range(2):
        for suit in range(4):
            if moment[PHASE] == FOLLOW and suit != moment[LED]:
                continue
            lane = (hand >> (U(suit) * U(16))) & LANE
            others = U(moment[UNPLAYED + suit]) & ~lane
            left = lane
            while left:
                low = left & (ZERO - left)
                top = run_top(low, lane, others, special_of(suit))
                run = lane & ((top << ONE) - ONE) & ~(low - ONE)
                left &= ~run
                if _is_barred(moment, suit, low) != (barred != 0):
                    continue
                play_features(moment, suit, lane, low, top, features[rows])
                if moment[CARD] >> 4 == suit and run & (ONE << U(moment[CARD] & 15)):
                    chosen = rows
                rows += 1
        if rows > first:
            break
    return rows, chosen


@kernel
def list_choices(moments, hands, features, starts, chosen):
    """Writes all choices of plays; a play without a choice has no rows. Returns the rows written.

    `starts` (n + 1,), `chosen` (n,), -1 without a choice. There must be room for 13 rows a play.
    """
    rows = 0
    for i in range(moments.shape[0]):
        starts[i] = rows
        end, chosen[i] = list_runs(moments[i], hands[i], features, rows)
        if end - rows > 1:
            rows = end
        else:
            chosen[i] = -1
    starts[moments.shape[0]] = rows
    return rows


@kernel
def list_pass(dealt, features):
    """Writes the features of every card of a hand of 13, by suit, low to high."""
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
def choice_logs(features, starts, chosen, weights, logs):
    """Writes the log-probability of each choice."""
    scores = np.empty(DEALT)
    for i in range(chosen.shape[0]):
        first, size = starts[i], starts[i + 1] - starts[i]
        most = -1e300
        for k in range(size):
            scores[k] = _dot(features[first + k], weights)
            most = max(most, scores[k])
        total = 0.0
        for k in range(size):
            total += math.exp(scores[k] - most)
        logs[i] = scores[chosen[i] - first] - most - math.log(total)


@kernel
def choice_slope(features, starts, chosen, shares, weights, slope):
    """Adds the gradient of Σ share · log P to `slope`, and returns that sum."""
    scores, result = np.empty(DEALT), 0.0
    for i in range(chosen.shape[0]):
        if shares[i] < 1e-6:
            continue
        first, size = starts[i], starts[i + 1] - starts[i]
        most = -1e300
        for k in range(size):
            scores[k] = _dot(features[first + k], weights)
            most = max(most, scores[k])
        total, picked = 0.0, chosen[i] - first
        result += shares[i] * (scores[picked] - most)
        for k in range(size):
            scores[k] = math.exp(scores[k] - most)
            total += scores[k]
        result -= shares[i] * math.log(total)
        for k in range(size):
            pull = shares[i] * ((1.0 if k == picked else 0.0) - scores[k] / total)
            row = features[first + k]
            for j in range(slope.shape[0]):
                slope[j] += pull * row[j]
    return result


@kernel
def _weigh_triples(rows, weights, attractions):
    """Writes exp(score) of 13 cards, scaled to at most 1; returns the log of the scale, and e₃."""
    most = -1e300
    for k in range(DEALT):
        attractions[k] = _dot(rows[k], weights)
        most = max(most, attractions[k])
    e1 = e2 = e3 = 0.0
    for k in range(DEALT):
        attractions[k] = math.exp(attractions[k] - most)
        e3 += attractions[k] * e2
        e2 += attractions[k] * e1
        e1 += attractions[k]
    return most, e3


@kernel
def pass_logs(features, given, weights, logs):
    """Writes the log-probability of each pass; `given` (n, 3) are places in the hand."""
    attractions = np.empty(DEALT)
    for i in range(given.shape[0]):
        most, e3 = _weigh_triples(features[i], weights, attractions)
        logs[i] = -3.0 * most - math.log(e3)
        for k in given[i]:
            logs[i] += _dot(features[i, k], weights)


@kernel
def pass_slope(features, given, shares, weights, slope):
    """Adds the gradient of Σ share · log P to `slope`, and returns that sum."""
    attractions, result = np.empty(DEALT), 0.0
    for i in range(given.shape[0]):
        if shares[i] < 1e-6:
            continue
        rows = features[i]
        most, e3 = _weigh_triples(rows, weights, attractions)
        result -= shares[i] * (3.0 * most + math.log(e3))
        for k in given[i]:
            result += shares[i] * _dot(rows[k], weights)
            for j in range(slope.shape[0]):
                slope[j] += shares[i] * rows[k, j]
        for k in range(DEALT):
            e1 = e2 = 0.0  # of the other twelve
            for other in range(DEALT):
                if other != k:
                    e2 += attractions[other] * e1
                    e1 += attractions[other]
            pull = shares[i] * attractions[k] * e2 / e3
            for j in range(slope.shape[0]):
                slope[j] -= pull * rows[k, j]
    return result
