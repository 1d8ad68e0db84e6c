"""Deals from pools of cards: counted, shared and drawn, against every way there is."""

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
    """Who may hold each card (bits 0 to 4), and how many each holder has."""

    holders: tuple[int, ...]  # by place in CARDS
    room: tuple[int, ...]

    @property
    def pools(self) -> list[tuple[int, CardSet]]:
        """Holders and cards of every pool, few holders first."""
        cards = list(zip(CARDS, self.holders, strict=False))
        masks = sorted(set(self.holders), key=lambda who: (who.bit_count(), who))
        return [(mask, set_of(card for card, who in cards if who == mask)) for mask in masks]

    def deals(self, holder: int = 0, taken: Dealt = ()) -> Iterator[Dealt]:
        """Every deal: each holder in turn takes cards that are left."""
        if holder == HOLDERS:
            if sum(map(count, taken)) == len(self.holders):
                yield taken
            return
        allowed = [c for c, who in zip(CARDS, self.holders, strict=False) if who >> holder & 1]
        left = [card for card in allowed if not any(t & bit(card) for t in taken)]
        for cards in combinations(left, self.room[holder]):
            yield from self.deals(holder + 1, (*taken, set_of(cards)))


class Counted:
    """A case as the kernels have it, counted."""

    def __init__(self, case: Case) -> None:
        self.pools = np.array([cards for _, cards in case.pools], dtype=U)
        self.sizes = np.array([count(cards) for _, cards in case.pools], dtype=np.int64)
        self.who = np.array([who for who, _ in case.pools], dtype=np.int64)
        self.room = np.array(case.room, dtype=np.int64)
        states = math.prod(size + 1 for size in case.room[:-1])
        self.before, self.after = np.zeros((2, len(self.pools) + 1, states))
        self.total = count_deals(self.sizes, self.who, self.room, self.before, self.after)

    def drawn(self, n: int, seed: int, *, evenly: bool = True) -> list[Dealt]:
        hands = np.empty((n, HOLDERS), dtype=U)
        deal_worlds(self.pools, self.sizes, self.who, self.room, self.after, evenly, U(seed), hands)
        return [tuple(hand) for hand in hands.tolist()]

    def shares(self) -> dict[int, list[float]]:
        """For each card how likely each holder is to have it."""
        expected = np.empty((len(self.pools), HOLDERS))
        expect_splits(self.sizes, self.who, self.room, self.before, self.after, expected)
        rows = zip(self.pools.tolist(), (expected / self.sizes[:, None]).tolist(), strict=True)
        return {card: row for cards, row in rows for card in members(cards)}


@st.composite
def any_case(draw: st.DrawFn) -> Case:
    """Any pools and rooms, deals or not."""
    room = tuple(draw(st.integers(0, 3)) for _ in range(HOLDERS))
    size = sum(room)
    assume(0 < size <= len(CARDS))
    holders = draw(st.lists(st.integers(1, 2**HOLDERS - 1), min_size=size, max_size=size))
    return Case(tuple(holders), room)


@given(any_case())
def test_deals_are_counted_as_by_hand(case):
    counted, deals = Counted(case), set(case.deals())
    assert counted.total == len(deals)
    if deals:
        assert set(counted.drawn(20, seed=1)) <= deals
        assert set(counted.drawn(20, seed=1, evenly=False)) <= deals


@given(any_case())
def test_shares_are_those_of_all_deals(case):
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


def test_cards_fall_into_free_places_when_not_even():
    """A card of the first two holders, who have room for 2 and 1; the voids of others say more."""
    case, card = Case((3, 5, 5, 5, 7), (2, 1, 2, 0, 0)), bit(CARDS[0])
    first = [deal[0] & card > 0 for deal in case.deals()]
    assert (sum(first), len(first)) == (3, 9)
    for evenly, share in ((True, 1 / 3), (False, 2 / 3)):
        drawn = Counted(case).drawn(40_000, 3, evenly=evenly)
        assert np.mean([deal[0] & card > 0 for deal in drawn]) == pytest.approx(share, abs=0.012)


def test_the_largest_pool_before_the_last_has_room_for_its_splits():
    """Four holders of thirteen cards, and a fifth that takes the rest of another pool."""
    sizes, who = np.array([26, 26]), np.array([15, 31])
    room = np.array([13, 13, 13, 13, 0])
    before, after = np.zeros((2, 3, 14**4))
    total = count_deals(sizes, who, room, before, after)
    assert total == pytest.approx(math.factorial(52) / math.factorial(13) ** 4, rel=1e-12)
    assert MAX_SPLITS == 14**3


def test_a_crooked_deck_would_be_noticed():
    deals = list(ADVERSARIAL["pairs that share"].deals())
    assert not looks_uniform(deals[1:] * 200, deals)
    assert not looks_uniform((deals + deals[:2]) * 200, deals)


@settings(max_examples=50)
@given(any_case(), st.integers(0, 2**64 - 2))
def test_a_seed_says_it_all(case, seed):
    counted = Counted(case)
    assume(counted.total)
    once, again, fewer = (counted.drawn(n, seed) for n in (30, 30, 10))
    assert once == again
    assert once[:10] == fewer  # a world does not depend on how many there are


def test_seeds_differ():
    counted = Counted(ADVERSARIAL["everybody may hold everything"])
    assert len({tuple(counted.drawn(10, seed)) for seed in range(20)}) == 20
