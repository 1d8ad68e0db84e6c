"""Stand-ins: the policies that play on for opponents whose type is a style, not a policy.

A logit style says how likely a card is, but it is too slow to play hands to their end. So a policy
that predicts the player about as well stands in for it: a network, or a ducking heuristic.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.network import shipped_stack
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS, CardSet
from hearts.game.rules import Rules
from hearts.game.trick import PastHands
from hearts.kernels.network.replay import replay
from hearts.kernels.policies.choose import NETWORK
from hearts.views.plays import Play, plays_of
from hearts.views.view import View
from models.styles import Floats

# The networks of `shipped_stack`, then the heuristic, with what such players do; and their shares.
STAND_INS = {
    NETWORK: "plays like the engine",
    # Its most probable card: its probabilities are those of many players, and drawing from them
    # plays worse than any of these.
    NETWORK + 3: "plays like a search",
    POLICIES["epsilon-greedy"].code: POLICIES["epsilon-greedy"].label,
}
SHARES = np.array([0.35, 0.35, 0.3])
# Exponents of the networks' probabilities. The first was trained to win, not to predict: it is far
# too sure of its card, and predicts searches best with its logits divided by 13.5
# (docs/experiments/046-torch-training.md).
SHARPNESS = np.array([1 / 13.5, 1.0])
HEURISTIC_NOISE = 0.3  # share of moves that differ from the heuristic
POWER = 0.5  # exponent of the likelihoods: no stand-in is exactly the player
REPLAYED = 24  # worlds in which the plays of this hand are replayed
CACHED_MATCHES = 64


def stand_in_shares(view: View, hands: NDArray[np.uint64]) -> Floats:
    """The probability of each stand-in for each seat (4, stand-ins).

    It is judged by the plays of earlier hands and, in a few of the worlds `hands` (n, 4), by those
    of this hand.
    """
    logs = earlier_logs(view.rules, view.earlier).copy()
    if view.plays and not view.partial:
        plays = list(view.plays)
        played = np.array([_cards(plays, seat) for seat in range(SEATS)], dtype=np.uint64)
        logs += _logs(hands[:REPLAYED] | played, plays, view.rules, view.seat).mean(axis=0).T
    weights = SHARES * np.exp(POWER * (logs - logs.max(axis=1, keepdims=True)))
    result: Floats = weights / weights.sum(axis=1, keepdims=True)
    return result


@lru_cache(CACHED_MATCHES)
def earlier_logs(rules: Rules, earlier: PastHands) -> Floats:
    """The log-likelihood of each seat's plays in earlier hands by stand-in (4, stand-ins)."""
    total = np.zeros((SEATS, len(STAND_INS)))
    for tricks in earlier:
        plays = list(plays_of(tricks))
        dealt = np.array([[_cards(plays, seat) for seat in range(SEATS)]], dtype=np.uint64)
        total += _logs(dealt, plays, rules, -1)[0].T
    return total


def _logs(dealt: NDArray[np.uint64], plays: list[Play], rules: Rules, skipped: int) -> Floats:
    """The log-likelihood of plays in worlds (n, 4), by stand-in and seat (n, stand-ins, 4)."""
    logs = np.zeros((len(dealt), len(STAND_INS), SEATS))
    seats = np.array([play.seat for play in plays], dtype=np.int64)
    cards = np.array([play.card for play in plays], dtype=np.int64)
    duck = POLICIES["duck"].code
    replay(
        dealt, seats, cards, rules_word(rules), skipped, shipped_stack(), SHARPNESS, duck,
        HEURISTIC_NOISE, logs,
    )  # fmt: skip
    return logs


def _cards(plays: list[Play], seat: int) -> CardSet:
    """The cards that a seat has played."""
    return sum(1 << play.card for play in plays if play.seat == seat)
