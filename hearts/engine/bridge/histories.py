"""What the seats have played in each sampled world, also where a view has no history.

A partial view does not say who played the cards that are gone. The network was trained with whole
histories, so each world gets one: every seat played some of the cards that the world does not have.
"""

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.network import seen_by
from hearts.engine.bridge.state import States
from hearts.game.cards import ALL_CARDS, RANKS, SEATS
from hearts.kernels.network.features import SEEN_PLAYED
from hearts.views.view import View

_CARDS = np.array([1 << card for card in ALL_CARDS], dtype=np.uint64)


def seen_in_worlds(view: View, states: States, seed: int) -> tuple[NDArray[np.uint64], np.uint64]:
    """What the seats have seen in each world (n, 4, 4), and the bit mask of known voids."""
    seen, voids = seen_by(view)
    worlds = np.repeat(seen[None], len(states), axis=0)
    if view.partial:
        worlds[:, :, SEEN_PLAYED] |= _missing_plays(view, states, np.random.default_rng(seed))
    return worlds, voids


def _missing_plays(view: View, states: States, rng: np.random.Generator) -> NDArray[np.uint64]:
    """The cards that each seat may have played in the missing tricks (n, 4)."""
    in_play = np.bitwise_or.reduce(states[:, :SEATS], axis=1) | np.uint64(view.trick.cards_set)
    missing = (in_play[:, None] & _CARDS) == 0
    cards = np.broadcast_to(_CARDS, missing.shape)[missing].reshape(len(states), -1)
    tricks = RANKS - view.round_size
    shares = rng.permuted(cards, axis=1).reshape(len(states), SEATS, tricks)
    return np.asarray(np.bitwise_or.reduce(shares, axis=2))
