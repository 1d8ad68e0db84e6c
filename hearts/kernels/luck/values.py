"""Features of a position with open cards, from which the result of a hand is predicted.

The prediction is linear: weights · features. Each feature is a function of the position, so any
weights give an unbiased adjustment (docs/tournaments.md); good weights give a narrow interval. All
features are in twelfths of a point. RESULT is the result of a finished hand, and 0 before; all
others are 0 at its end.

- *Rollout*: the result if focus seats play on by their policy, the network or another.
- *Gain, loss*: the result if one focus seat tries to take all tricks, less the rollout, if that is
  negative, or positive. They count while no other seat has points. Search players shoot more often
  than the network does; without these features, moons are most of the variance that is left.

Predictions are less certain early in a hand, so most features also count times the share of cards
that are left. Gain and loss also count times the shooter's share of the points and 2^−losers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.core.bits import ONE, ZERO, U, popcount
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.state import (
    THREE,
    after_card,
    heart_breakers,
    lane_points,
    legal_plays,
    moon_lane,
    total_points,
    unpack_meta,
)
from hearts.kernels.luck.hand import difference
from hearts.kernels.network.accumulator import refresh
from hearts.kernels.network.features import MAX_ACTIVE
from hearts.kernels.network.rollouts import rollout
from hearts.kernels.policies.choose import CAUTIOUS, choose
from hearts.kernels.policies.mixed import voids_after
from hearts.kernels.policies.reading import seats_with_points
from hearts.kernels.policies.shooter import shooting_card, strength

RESULT, ROLLOUT = 0, 1
OPEN, CLOSED = 2, 5  # if a focus seat can shoot, or none: the first of three features each
GAIN, LOSS = 8, 14  # the first of six features each
FEATURES = 20

_POINT = 12.0  # a point in twelfths
NOBODY = 4
_CARDS = 13.0


class Scratch(NamedTuple):
    """Scratch space of the kernels that predict results."""

    hands: NDArray[np.uint64]  # (4,)
    points: NDArray[np.int64]  # (4,)
    active: NDArray[np.int64]
    accumulator: NDArray[np.float32]  # (4, hidden1)
    hidden1: NDArray[np.float32]
    hidden2: NDArray[np.float32]
    policy: NDArray[np.float64]  # (13,)


@kernel
def new_scratch(networks):
    """Scratch space for a network."""
    hidden1 = networks.bias.shape[1]
    return Scratch(
        np.empty(4, dtype=np.uint64),
        np.empty(4, dtype=np.int64),
        np.empty(MAX_ACTIVE, dtype=np.int64),
        np.empty((4, hidden1), dtype=np.float32),
        np.empty(hidden1, dtype=np.float32),
        np.empty(networks.hidden_bias.shape[1], dtype=np.float32),
        np.empty(13),
    )


@kernel
def roll_on(focus, policies, state, voids, seen, rules, stream, networks, scratch):
    """The result if all seats play on by their policies, in twelfths."""
    _, _, _, first, broken = unpack_meta(state[6])
    refresh(
        policies, state[:4], seen, voids, state[7], first, broken, networks, scratch.active,
        scratch.accumulator,
    )  # fmt: skip
    taken = rollout(
        ZERO, policies, state, seen, voids, rules, stream, ZERO, networks, scratch.hands,
        scratch.accumulator, scratch.hidden1, scratch.hidden2, scratch.policy,
    )  # fmt: skip
    return difference(taken, focus, rules, scratch.points)


@kernel
def shoot_on(shooter, focus, policies, state, voids, rules, scratch):
    """The result if the seat `shooter` tries to take all tricks, in twelfths.

    Other focus seats, and a shooter that has failed, play as `cautious`.
    """
    turn, winner, count, first, broken = unpack_meta(state[6])
    trick, best, taken = state[4], state[5], state[7]
    breakers, hands = heart_breakers(rules), scratch.hands
    for i in range(4):
        hands[i] = state[i]
    in_play = hands[0] | hands[1] | hands[2] | hands[3]
    while in_play:
        seat = np.int64(turn)
        hand = hands[seat]
        out = in_play ^ hand
        if seat == shooter and not seats_with_points(taken, rules) & ~(ONE << turn):
            legal = legal_plays(hand, best, count, first, broken, rules)
            sure, safe, _ = strength(hand, out)
            card = shooting_card(hand, legal, out, best, THREE - count, sure, safe)
        else:
            policy = CAUTIOUS if focus[seat] else policies[seat]
            card, _ = choose(
                policy, turn, hand, out, trick, best, winner, count, first, broken, taken, voids,
                rules, ZERO, ZERO, ZERO,
            )  # fmt: skip
        voids = voids_after(voids, turn, card, best, count)
        hands[seat] ^= card
        in_play ^= card
        turn, winner, count, trick, best, first, broken, taken = after_card(
            card, turn, winner, count, trick, best, first, broken, taken, breakers
        )
    return difference(taken, focus, rules, scratch.points)


@inlined
def _losers(seat, state):
    """The number of losers in a hand that is played for the moon."""
    in_play = state[0] | state[1] | state[2] | state[3]
    _, _, losers = strength(state[seat], in_play ^ state[seat])
    return losers


@kernel
def best_shooter(focus, state, rules):
    """The focus seat with the best prospects of a moon, and its losers; NOBODY if there is none.

    If a seat has points, only that one can shoot.
    """
    found, least = NOBODY, U(14)
    with_points = seats_with_points(state[7], rules)
    if moon_lane(rules) == ZERO:
        return found, least
    for seat in range(4):
        if focus[seat] and not with_points & ~(ONE << U(seat)) and state[seat]:
            losers = _losers(seat, state)
            if losers < least:
                found, least = seat, losers
    return found, least


@inlined
def _add_moon(first, value, left, points, certainty, features):
    """Add a gain or a loss to its six features."""
    features[first] += value
    features[first + 1] += value * left
    features[first + 2] += value * points
    features[first + 3] += value * points * left
    features[first + 4] += value * certainty
    features[first + 5] += value * certainty * left


@kernel
def add_features(
    sign, moons, focus, policies, state, voids, seen, rules, stream, networks, scratch, features
):
    """Add `sign` times the features of a position to `features` (FEATURES,).

    The position is a choice of a focus seat, or the end of a hand. If not `moons`, the rollout is
    the only prediction.
    """
    turn = np.int64(state[6] & THREE)
    if not state[turn]:
        features[RESULT] += sign * difference(state[7], focus, rules, scratch.points)
        return
    value = sign * np.float64(
        roll_on(focus, policies, state, voids, seen, rules, stream, networks, scratch)
    )
    features[ROLLOUT] += value
    if not moons:
        return
    left = np.float64(popcount(state[turn])) / _CARDS
    shooter, losers = best_shooter(focus, state, rules)
    first = CLOSED if shooter == NOBODY else OPEN
    features[first] += sign * _POINT * left
    features[first + 1] += value * left
    features[first + 2] += value * left * left
    if shooter == NOBODY:
        return
    moon = sign * np.float64(shoot_on(shooter, focus, policies, state, voids, rules, scratch))
    lane = state[7] >> (U(shooter) << U(4))
    points = np.float64(lane_points(lane, rules)) / np.float64(total_points(rules))
    kind = GAIN if sign * (moon - value) < 0 else LOSS
    _add_moon(kind, moon - value, left, points, 0.5 ** np.float64(losers), features)
