"""The set of all deals that fit some constraints: counted exactly, and sampled."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Probabilities
from hearts.game.cards import ALL_CARDS, SEATS, CardSet, count, index_of, members
from hearts.kernels.beliefs.dealing import HOLDERS, count_deals, deal_worlds, expect_splits

CardSets = NDArray[np.uint64]


@dataclass(frozen=True)
class Deals:
    """Every way to deal cards to holders; hearts.kernels.beliefs.dealing explains the arrays."""

    pools: CardSets  # (p,): cards with the same possible holders
    sizes: NDArray[np.int64]  # (p,): the number of cards in each pool
    holders: NDArray[np.int64]  # (p,): the possible holders of each pool, as bits
    capacity: NDArray[np.int64]  # (5,): the number of cards of each holder
    seats: list[int]  # the index of each seat among the holders
    forward: NDArray[np.float64]  # (p + 1, states)
    backward: NDArray[np.float64]  # (p + 1, states)

    @classmethod
    def of(cls, allowed: Sequence[CardSet], capacity: Sequence[int]) -> "Deals":
        """Count the deals in which holder i has `capacity[i]` cards, all of them from `allowed[i]`.

        Holder 0 is the pile of cards that left the hands unseen, holders 1 to 4 are seats 0 to 3.
        Every card in `allowed` is dealt to a holder.
        """
        # The fifth holder has no digit in a state: with the largest one there, states are few.
        order = sorted(range(HOLDERS), key=capacity.__getitem__)
        pools = _pools([allowed[holder] for holder in order])
        needed = [capacity[holder] for holder in order]
        states = math.prod(size + 1 for size in needed[:-1])
        deals = cls(
            pools=np.array([cards for cards, _ in pools], dtype=np.uint64),
            sizes=np.array([count(cards) for cards, _ in pools], dtype=np.int64),
            holders=np.array([holders for _, holders in pools], dtype=np.int64),
            capacity=np.array(needed, dtype=np.int64),
            seats=[order.index(seat + 1) for seat in range(SEATS)],
            forward=np.zeros((len(pools) + 1, states)),
            backward=np.zeros((len(pools) + 1, states)),
        )
        if deals.sizes.sum() == sum(needed):
            count_deals(deals.sizes, deals.holders, deals.capacity, deals.forward, deals.backward)
        return deals

    @property
    def number(self) -> float:
        """The number of deals."""
        return float(self.backward[0, -1])

    def draw(self, n: int, rng: np.random.Generator, *, uniform: bool = True) -> CardSets:
        """Sample the hands of the four seats (n, 4); see `deal_worlds` for `uniform`."""
        hands = np.empty((n, HOLDERS), dtype=np.uint64)
        seed = rng.integers(2**64, dtype=np.uint64)
        deal_worlds(
            self.pools, self.sizes, self.holders, self.capacity, self.backward, uniform, seed, hands
        )
        # In C order, as elsewhere: kernels would be compiled again for another order.
        return np.ascontiguousarray(hands[:, self.seats])

    def probabilities(self) -> Probabilities:
        """The share of the deals in which each seat holds each card (52, 4)."""
        expected = np.empty((len(self.pools), HOLDERS))
        expect_splits(
            self.sizes, self.holders, self.capacity, self.forward, self.backward, expected
        )
        result = np.zeros((len(ALL_CARDS), SEATS))
        for cards, size, numbers in zip(self.pools, self.sizes, expected, strict=True):
            result[indices_of(int(cards))] = numbers[self.seats] / size
        return result


def indices_of(cards: CardSet) -> list[int]:
    """The rows of some cards in an array over the deck (52, …)."""
    return [index_of(card) for card in members(cards)]


def _pools(allowed: Sequence[CardSet]) -> list[tuple[CardSet, int]]:
    """The cards grouped by possible holders (bits), groups with few holders first."""
    everything = 0
    for cards in allowed:
        everything |= cards
    pools = [(everything, 0)]
    for holder, cards in enumerate(allowed):
        inside = [(pool & cards, holders | 1 << holder) for pool, holders in pools if pool & cards]
        outside = [(pool & ~cards, holders) for pool, holders in pools if pool & ~cards]
        pools = inside + outside
    return sorted(pools, key=lambda pool: (pool[1].bit_count(), count(pool[0])))
