"""Counting and sampling of deals, against an enumeration of all deals."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hearts.game.cards import ALL_CARDS, CardSet, bit, count, members, set_of
from hearts.kernels.beliefs.dealing import (
    HOLDERS,
    MAX_SPLITS,
    count_deals,
    deal_worlds,
    expect_splits,
)
from tests.hearts.worlds import looks_uniform

U = np.uint64
CARDS = ALL_CARDS[::6]  # nine cards from all suits
Dealt = tuple[CardSet, ...]


@dataclass(frozen=True)
class Case:
    """The possible holders of each card (bits 0 to 4), and the number of cards of each holder."""

    holders: tuple[int, ...]  # by place in CARDS
    capacity: tuple[int, ...]

    @property
    def pools(self) -> list[tuple[int, CardSet]]:
        """Holders and cards of every pool, pools with few holders first."""
        cards = list(zip(CARDS, self.holders, strict=False))
        masks = sorted(set(self.holders), key=lambda mask: (mask.bit_count(), mask))
        return [(mask, set_of(card for card, own in cards if own == mask)) for mask in masks]

    def deals(self, holder: int = 0, taken: Dealt = ()) -> Iterator[Dealt]:
        """Every deal: each holder in turn takes some of the cards left."""
        if holder == HOLDERS:
            if sum(map(count, taken)) == len(self.holders):
                yield taken
            return
        allowed = [c for c, own in zip(CARDS, self.holders, strict=False) if own >> holder & 1]
        left = [card for card in allowed if not any(t & bit(card) for t in taken)]
        for cards in combinations(left, self.capacity[holder]):
            yield from self.deals(holder + 1, (*taken, set_of(cards)))


class Counted:
    """A case as arrays of the kernels, counted."""

    def __init__(self, case: Case) -> None:
        self.pools = np.array([cards for _, cards in case.pools], dtype=U)
        self.sizes = np.array([count(cards) for _, cards in case.pools], dtype=np.int64)
        self.holders = np.array([holders for holders, _ in case.pools], dtype=np.int64)
        self.capacity = np.array(case.capacity, dtype=np.int64)
        states = math.prod(size + 1 for size in case.capacity[:-1])
        self.forward, self.backward = np.zeros((2, len(self.pools) + 1, states))
        self.total = count_deals(
            self.sizes, self.holders, self.capacity, self.forward, self.backward
        )

    def drawn(self, n: int, seed: int, *, uniform: bool = True) -> list[Dealt]:
        hands = np.empty((n, HOLDERS), dtype=U)
        pools = self.pools, self.sizes, self.holders, self.capacity
        deal_worlds(*pools, self.backward, uniform, U(seed), hands)
        return [tuple(hand) for hand in hands.tolist()]

    def shares(self) -> dict[int, list[float]]:
        """For each card the probability of each holder."""
        expected = np.empty((len(self.pools), HOLDERS))
        expect_splits(
            self.sizes, self.holders, self.capacity, self.forward, self.backward, expected
        )
        shares = (expected / self.sizes[:, None]).tolist()
        pools = zip(self.pools.tolist(), shares, strict=True)
        return {card: share for cards, share in pools for card in members(cards)}


@st.composite
def any_case(draw: st.DrawFn) -> Case:
    """Any pools and capacities, with or without deals."""
    capacity = tuple(draw(st.integers(0, 3)) for _ in range(HOLDERS))
    size = sum(capacity)
    assume(0 < size <= len(CARDS))
    holders = draw(st.lists(st.integers(1, 2**HOLDERS - 1), min_size=size, max_size=size))
    return Case(tuple(holders), capacity)


@given(any_case())
def test_counts_match_an_enumeration(case):
    counted, deals = Counted(case), set(case.deals())
    assert counted.total == len(deals)
    if deals:
        assert set(counted.drawn(20, seed=1)) <= deals
        assert set(counted.drawn(20, seed=1, uniform=False)) <= deals


@given(any_case())
def test_probabilities_match_an_enumeration(case):
    deals, counted = list(case.deals()), Counted(case)
    assume(deals)
    for card, shares in counted.shares().items():
        held = [sum(bool(deal[h] & bit(card)) for deal in deals) for h in range(HOLDERS)]
        assert shares == pytest.approx([number / len(deals) for number in held], abs=1e-15)


ADVERSARIAL = {
    "everybody may hold everything": Case((31,) * 8, (2, 2, 2, 1, 1)),
    "three holders": Case((7,) * 6, (2, 2, 2, 0, 0)),
    "one deal only": Case((1, 2, 4, 1, 2, 4), (2, 2, 2, 0, 0)),
    "the first holder is void in most": Case((6, 6, 6, 6, 7, 7), (2, 2, 2, 0, 0)),
    "the first holder has all the freedom": Case((1, 3, 5, 7, 7, 5), (3, 1, 2, 0, 0)),
    "the last holder is nearly fixed": Case((7, 7, 3, 3, 3, 3, 7), (3, 3, 1, 0, 0)),
    "pairs that share": Case((3, 3, 5, 5, 6, 6), (2, 2, 2, 0, 0)),
    "a ring of pairs": Case((3, 6, 12, 24, 17, 3, 24), (1, 2, 1, 2, 1)),
    "rare beside common splits": Case((1, 3, 3, 5, 5, 7, 7, 6), (4, 2, 2, 0, 0)),
    "an empty hand": Case((7, 6, 5, 7), (0, 2, 2, 0, 0)),
    "the fifth holder may have everything": Case((17, 18, 19, 22, 23, 20, 21), (2, 1, 2, 0, 2)),
    "cards of one holder alone": Case((16, 23, 23, 19, 21, 22), (2, 1, 1, 0, 2)),
    "no pool has all holders": Case((15, 15, 23, 23, 27, 29), (1, 1, 1, 1, 2)),
}


@pytest.mark.parametrize("case", ADVERSARIAL.values(), ids=ADVERSARIAL)
def test_every_deal_is_equally_likely(case):
    deals, counted = list(case.deals()), Counted(case)
    assert counted.total == len(deals) == len(set(deals))
    times = max(10, min(200, 60_000 // len(deals)))
    assert looks_uniform(counted.drawn(times * len(deals), seed=7), deals)


def test_non_uniform_deals_ignore_the_constraints_of_other_pools():
    """A card of the first two holders, who need 2 cards and 1."""
    case, card = Case((3, 5, 5, 5, 7), (2, 1, 2, 0, 0)), bit(CARDS[0])
    first = [deal[0] & card > 0 for deal in case.deals()]
    assert (sum(first), len(first)) == (3, 9)
    for uniform, share in ((True, 1 / 3), (False, 2 / 3)):
        drawn = Counted(case).drawn(40_000, 3, uniform=uniform)
        assert np.mean([deal[0] & card > 0 for deal in drawn]) == pytest.approx(share, abs=0.012)


def test_the_largest_pool_has_at_most_max_splits():
    """Four holders of thirteen cards, and a second pool with a fifth holder."""
    sizes, holders = np.array([26, 26]), np.array([15, 31])
    capacity = np.array([13, 13, 13, 13, 0])
    forward, backward = np.zeros((2, 3, 14**4))
    total = count_deals(sizes, holders, capacity, forward, backward)
    assert total == pytest.approx(math.factorial(52) / math.factorial(13) ** 4, rel=1e-12)
    assert MAX_SPLITS == 14**3


def test_the_uniformity_test_detects_bias():
    deals = list(ADVERSARIAL["pairs that share"].deals())
    assert not looks_uniform(deals[1:] * 200, deals)
    assert not looks_uniform((deals + deals[:2]) * 200, deals)


@settings(max_examples=50)
@given(any_case(), st.integers(0, 2**64 - 2))
def test_samples_are_reproducible(case, seed):
    counted = Counted(case)
    assume(counted.total)
    once, again, fewer = (counted.drawn(n, seed) for n in (30, 30, 10))
    assert once == again
    assert once[:10] == fewer  # a world does not depend on n


def test_other_seeds_give_other_deals():
    counted = Counted(ADVERSARIAL["everybody may hold everything"])
    assert len({tuple(counted.drawn(10, seed)) for seed in range(20)}) == 20
