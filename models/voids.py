"""OM-1: what the table shows for certain, and nothing more."""

import numpy as np
from numpy.typing import NDArray

from hearts.beliefs import Worlds
from hearts.kernels.dealing import MAX_ROWS, POOLS, deal_worlds, enumerate_rows
from hearts.view import View

CardSets = NDArray[np.uint64]


class VoidBelief:
    """Every deal that fits the seats' room, voids and known cards is equally likely."""

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """`n` worlds that fit the view, drawn with equal probability."""
        pools = card_pools(view)
        room = np.array([view.hand_sizes[seat] for seat in view.others])
        rows = np.empty((MAX_ROWS, 4), dtype=np.int64)
        cumulative = np.empty(MAX_ROWS)
        gone = view.gone > 0
        found = enumerate_rows(pools, room, gone, rows, cumulative)
        dealt = np.empty((n, 3), dtype=np.uint64)
        deal_worlds(
            pools, room, gone, rows, cumulative, found, rng.integers(2**64, dtype=np.uint64), dealt
        )
        return Worlds(with_own_hand(view, dealt), np.full(n, 1 / n))


def card_pools(view: View) -> CardSets:
    """The unseen cards by who may hold them: see hearts.kernels.dealing."""
    possible = [view.possible[seat] for seat in view.others]
    pools = np.empty(POOLS, dtype=np.uint64)
    for pool in range(POOLS):
        cards = view.unseen
        for holder, may_hold in enumerate(possible):
            cards &= may_hold if pool >> holder & 1 else ~may_hold
        pools[pool] = cards
    return pools


def with_own_hand(view: View, dealt: CardSets) -> CardSets:
    """Worlds (n, 4) by seat, from what the others hold (n, 3) in order of play."""
    hands = np.empty((len(dealt), 4), dtype=np.uint64)
    hands[:, view.seat] = view.hand
    hands[:, list(view.others)] = dealt
    return hands
