"""Forecasts in hindsight: will a seat take Q♠ or shoot the moon, as seen before each trick.

A forecast is the share of playouts from the true deal, with all cards open. It is meant for
spectators: a player could not know it. The last row is the outcome of the hand.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import rules_word, state_of
from hearts.engine.playouts import Playout
from hearts.game.cards import RANKS, SEATS
from hearts.game.deal import Deal, moments
from hearts.game.rules import Rules
from hearts.kernels.playouts.batch import finish

PLAYOUTS = 1_000  # per trick: a standard error of 1.6% at most
POLICY = Playout.SHOOT_AWARE
# Players err: with more random cards than a search uses, recorded hands are forecast better
# (docs/experiments/036-forecast-policy.md).
EPSILON = 0.3

Shares = NDArray[np.float64]  # (tricks + 1, 4): by trick and seat

# The 16 bits of each seat in the kernels' `taken`: hearts, then a bit each for queen and jack.
_LANES = np.arange(SEATS, dtype=np.uint64) * np.uint64(16)
_LANE = np.uint64(0xFFFF)
_HEARTS = np.uint64(0xF)
_QUEEN, _JACK = np.uint64(1 << 4), np.uint64(1 << 5)


@dataclass(frozen=True)
class Forecasts:
    """Probabilities of the four seats before each trick, and after the last finished one."""

    queen: Shares  # to take Q♠
    moon: Shares  # to shoot the moon

    def as_object(self) -> dict[str, Any]:
        """The forecasts as JSON."""
        return {what: np.round(shares, 4).tolist() for what, shares in vars(self).items()}


def forecasts_of(deal: Deal, *, playouts: int = PLAYOUTS, seed: int = 0) -> Forecasts:
    """The forecasts of a hand, finished or not; empty while cards are passed."""
    shares = [
        _forecast(start, playouts, seed + number) for number, start in enumerate(trick_starts(deal))
    ]
    queen, moon = (np.array([each[what] for each in shares]).reshape(-1, SEATS) for what in (0, 1))
    return Forecasts(queen, moon)


def trick_starts(deal: Deal) -> Iterator[Deal]:
    """The hand before each of its tricks, and after the last finished one."""
    for before, _, _ in moments(deal):
        if not before.passing and not before.trick.cards:
            yield before
    if not deal.passing and not deal.trick.cards:
        yield deal


def _forecast(deal: Deal, playouts: int, seed: int) -> tuple[Shares, Shares]:
    """The shares of playouts in which each seat takes Q♠, and in which it shoots."""
    states = np.tile(state_of(deal), (playouts, 1))
    taken = np.empty(playouts, dtype=np.uint64)
    epsilon, rules = epsilon_word(EPSILON), rules_word(deal.rules)
    finish(playout_code(POLICY), states, rules, epsilon, np.uint64(seed), taken)
    lanes = taken[:, None] >> _LANES & _LANE
    queen = (lanes & _QUEEN) > 0
    return queen.mean(axis=0), _shot(lanes, deal.rules).mean(axis=0)


def _shot(lanes: NDArray[np.uint64], rules: Rules) -> NDArray[np.bool_]:
    """Whether each seat shot the moon, from what it took (playouts, 4)."""
    shot: NDArray[np.bool_] = (lanes & _HEARTS) == RANKS
    if rules.queen_penalty:
        shot &= (lanes & _QUEEN) > 0
    if rules.shooting_needs_jack:
        shot &= (lanes & _JACK) > 0
    if not rules.moon_cards:
        shot[:] = False
    return shot
