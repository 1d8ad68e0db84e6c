"""All deals that fit what is known, counted: what most beliefs begin with."""

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
    """Every way to give cards to holders; see hearts.kernels.beliefs.dealing for the arrays."""

    pools: CardSets  # (p,): cards that the same holders may have
    sizes: NDArray[np.int64]  # (p,)
    who: NDArray[np.int64]  # (p,): the holders of each pool as bits
    room: NDArray[np.int64]  # (5,): how many cards each holder has
    seats: list[int]  # which holder each seat is
    before: NDArray[np.float64]  # (p + 1, states)
    after: NDArray[np.float64]  # (p + 1, states)

    @classmethod
    def of(cls, allowed: Sequence[CardSet], room: Sequence[int]) -> "Deals":
        """The deals in which each holder has as many cards as it has room for, of those allowed.

        The first holder is the pile of cards that are gone, the others are seats 0 to 3. Every card
        that somebody is allowed is held by somebody.
        """
        # The fifth holder is no digit of a state: with the most room there the states are fewest.
        order = sorted(range(HOLDERS), key=room.__getitem__)
        places = [room[holder] for holder in order]
        pools = _pools([allowed[holder] for holder in order])
        sizes = [count(cards) for cards, _ in pools]
        states = math.prod(size + 1 for size in places[:-1])
        before, after = np.zeros((len(pools) + 1, states)), np.zeros((len(pools) + 1, states))
        deals = cls(
            pools=np.array([cards for cards, _ in pools], dtype=np.uint64),
            sizes=np.array(sizes, dtype=np.int64),
            who=np.array([who for _, who in pools], dtype=np.int64),
            room=np.array(places, dtype=np.int64),
            seats=[order.index(seat + 1) for seat in range(SEATS)],
            before=before,
            after=after,
        )
        if sum(sizes) == sum(places):
            count_deals(deals.sizes, deals.who, deals.room, before, after)
        return deals

    @property
    def number(self) -> float:
        """How many deals there are."""
        return float(self.after[0, -1])

    def draw(self, n: int, rng: np.random.Generator, *, evenly: bool = True) -> CardSets:
        """What the four seats hold (n, 4) in deals drawn at random: see `deal_worlds`."""
        hands = np.empty((n, HOLDERS), dtype=np.uint64)
        seed = rng.integers(2**64, dtype=np.uint64)
        deal_worlds(self.pools, self.sizes, self.who, self.room, self.after, evenly, seed, hands)
        # C order, as every kernel gets it from other sources: another order is compiled again.
        return np.ascontiguousarray(hands[:, self.seats])

    def probabilities(self) -> Probabilities:
        """For each card (52, 4) the share of the deals in which a seat holds it."""
        expected = np.empty((len(self.pools), HOLDERS))
        expect_splits(self.sizes, self.who, self.room, self.before, self.after, expected)
        result = np.zeros((len(ALL_CARDS), SEATS))
        for cards, size, numbers in zip(self.pools, self.sizes, expected, strict=True):
            result[rows_of(int(cards))] = numbers[self.seats] / size
        return result


def rows_of(cards: CardSet) -> list[int]:
    """The rows of some cards in a table of the deck."""
    return [index_of(card) for card in members(cards)]


def _pools(allowed: Sequence[CardSet]) -> list[tuple[CardSet, int]]:
    """Cards by who may hold them, the holders as bits; pools of few holders first."""
    everything = 0
    for cards in allowed:
        everything |= cards
    pools = [(everything, 0)]
    for holder, cards in enumerate(allowed):
        inside = [(pool & cards, who | 1 << holder) for pool, who in pools if pool & cards]
        outside = [(pool & ~cards, who) for pool, who in pools if pool & ~cards]
        pools = inside + outside
    return sorted(pools, key=lambda pool: (pool[1].bit_count(), count(pool[0])))
