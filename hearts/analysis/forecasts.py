"""Who takes the queen and who shoots the moon, trick by trick, as somebody sees it who sees all.

Before every trick the hand is played out many times from its true deal by the shoot-aware policy:
it is the graph that spectators like, a forecast in hindsight, and not what a player could know. The
last row is what came to be.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import States, rules_word, state_of
from hearts.engine.playouts import Playout
from hearts.game.cards import SEATS
from hearts.game.deal import Deal, moments
from hearts.game.rules import Rules
from hearts.kernels.playouts.batch import finish

PLAYOUTS = 1_000  # of every moment: a standard error of 1.6% at most
POLICY = Playout.SHOOT_AWARE
# Players err and surprise: with more random cards than a search wants, recorded hands are forecast
# better (docs/experiments/036-forecast-policy.md).
EPSILON = 0.3

Shares = NDArray[np.float64]  # (tricks + 1, 4): by trick and seat

_LANES = np.arange(SEATS, dtype=np.uint64) * np.uint64(16)


@dataclass(frozen=True)
class Chances:
    """The chances of the four seats before each trick, and after the last that is over."""

    queen: Shares  # to take Q♠
    moon: Shares  # to shoot

    def as_object(self) -> dict[str, Any]:
        """The chances as JSON has them."""
        return {what: np.round(shares, 4).tolist() for what, shares in vars(self).items()}


def chances_of(deal: Deal, *, playouts: int = PLAYOUTS, seed: int = 0) -> Chances:
    """The chances by trick of a hand that is played, or was; none while cards are passed."""
    rules = deal.rules
    states = [state_of(moment) for moment in trick_starts(deal)]
    rows = [_after_playouts(state, rules, playouts, seed + i) for i, state in enumerate(states)]
    queen, moon = (np.array([row[what] for row in rows]).reshape(-1, SEATS) for what in (0, 1))
    return Chances(queen, moon)


def trick_starts(deal: Deal) -> Iterator[Deal]:
    """The hand before each of its tricks, and after the last that is over."""
    for before, _, _ in moments(deal):
        if not before.passing and not before.trick.cards:
            yield before
    if not deal.passing and not deal.trick.cards:
        yield deal


def _after_playouts(
    state: NDArray[np.uint64], rules: Rules, playouts: int, seed: int
) -> tuple[Shares, Shares]:
    """The shares of playouts in which each seat takes the queen, and shoots."""
    states: States = np.tile(state, (playouts, 1))
    taken = np.empty(playouts, dtype=np.uint64)
    word = np.uint64(seed)
    finish(playout_code(POLICY), states, rules_word(rules), epsilon_word(EPSILON), word, taken)
    lanes = taken[:, None] >> _LANES & np.uint64(0xFFFF)
    queen, jack = (lanes >> np.uint64(place) & np.uint64(1) for place in (4, 5))
    moon = (lanes & np.uint64(15)) == 13
    if rules.queen_penalty:
        moon &= queen > 0
    if rules.shooting_needs_jack:
        moon &= jack > 0
    if not rules.moon_cards:
        moon[:] = False
    return queen.mean(axis=0), moon.mean(axis=0)
