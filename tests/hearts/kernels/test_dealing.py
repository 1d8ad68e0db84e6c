"""Worlds from pools of cards: counted, dealt and equally likely, against every way there is."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hearts.cards import ALL_CARDS, CardSet, bit, count, set_of
from hearts.kernels.dealing import MAX_ROWS, POOLS, deal_worlds, enumerate_rows
from tests.hearts.worlds import looks_uniform

U = np.uint64
HOLDERS = 3
CARDS = ALL_CARDS[::6]  # nine cards from all suits
Dealt = tuple[CardSet, ...]


@dataclass(frozen=True)
class Case:
    """Who may hold each card (bits 0 to 2), and how many each holder has."""

    holders: tuple[int, ...]  # by place in CARDS
    room: tuple[int, ...]
    gone: int  # cards that nobody holds

    @property
    def pools(self) -> list[CardSet]:
        cards = list(zip(CARDS, self.holders, strict=False))
        return [set_of(card for card, who in cards if who == pool) for pool in range(POOLS)]

    def allowed(self, holder: int) -> list[int]:
        return [c for c, who in zip(CARDS, self.holders, strict=False) if who >> holder & 1]

    def deals(self, holder: int = 0, taken: Dealt = ()) -> Iterator[Dealt]:
        """Every deal: each holder in turn takes cards that are left."""
        if holder == HOLDERS:
            if self.gone or sum(map(count, taken)) == len(self.holders):
                yield taken
            return
        left = [card for card in self.allowed(holder) if not any(t & bit(card) for t in taken)]
        for cards in combinations(left, self.room[holder]):
            yield from self.deals(holder + 1, (*taken, set_of(cards)))


def dealt_by_kernel(case: Case, n: int, seed: int) -> tuple[float, list[Dealt]]:
    """The number of deals by the kernel's count, and `n` of them."""
    pools, room = np.array(case.pools, dtype=U), np.array(case.room)
    rows, cumulative = np.empty((MAX_ROWS, 4), dtype=np.int64), np.empty(MAX_ROWS)
    found = enumerate_rows(pools, room, case.gone > 0, rows, cumulative)
    if not found:
        return 0.0, []
    hands = np.empty((n, HOLDERS), dtype=U)
    deal_worlds(pools, room, case.gone > 0, rows, cumulative, found, U(seed), hands)
    return float(cumulative[found - 1]), [tuple(hand) for hand in hands.tolist()]


@st.composite
def any_case(draw: st.DrawFn) -> Case:
    """Any pools and rooms, deals or not: cards that nobody may hold only where some are gone."""
    gone = draw(st.integers(0, 3))
    room = tuple(draw(st.integers(0, 3)) for _ in range(HOLDERS))
    size = sum(room) + gone
    assume(0 < size <= len(CARDS))
    least = 0 if gone else 1
    holders = draw(st.lists(st.integers(least, POOLS - 1), min_size=size, max_size=size))
    return Case(tuple(holders), room, gone)


@given(any_case())
def test_deals_are_counted_as_by_hand(case):
    total, dealt = dealt_by_kernel(case, 20, seed=1)
    deals = set(case.deals())
    assert total == len(deals)
    assert set(dealt) <= deals


ADVERSARIAL = {
    "everybody may hold everything": Case((7,) * 6, (2, 2, 2), 0),
    "one deal only": Case((1, 2, 4, 1, 2, 4), (2, 2, 2), 0),
    "the first holder is void in most": Case((6, 6, 6, 6, 7, 7), (2, 2, 2), 0),
    "the first holder has all the freedom": Case((1, 3, 5, 7, 7, 5), (3, 1, 2), 0),
    "the last holder is nearly fixed": Case((7, 7, 3, 3, 3, 3, 7), (3, 3, 1), 0),
    "pairs that share": Case((3, 3, 5, 5, 6, 6), (2, 2, 2), 0),
    "rare beside common rows": Case((1, 3, 3, 5, 5, 7, 7, 6), (4, 2, 2), 0),
    "an empty hand": Case((7, 6, 5, 7), (0, 2, 2), 0),
    "one card is gone": Case((7,) * 6, (2, 2, 1), 1),
    "gone cards that nobody may hold": Case((0, 7, 7, 3, 5, 6), (2, 1, 1), 2),
    "gone with voids": Case((1, 2, 3, 6, 7, 4, 5), (2, 1, 2), 2),
    "more gone than held": Case((7, 7, 7, 3, 3, 4), (1, 1, 1), 3),
}


@pytest.mark.parametrize("case", ADVERSARIAL.values(), ids=ADVERSARIAL)
def test_every_deal_is_equally_likely(case):
    deals = list(case.deals())
    total, dealt = dealt_by_kernel(case, 200 * len(deals), seed=7)
    assert total == len(deals) == len(set(deals))
    assert looks_uniform(dealt, deals)


def test_a_crooked_deck_would_be_noticed():
    deals = list(ADVERSARIAL["pairs that share"].deals())
    assert not looks_uniform(deals[1:] * 200, deals)
    assert not looks_uniform((deals + deals[:2]) * 200, deals)


@settings(max_examples=50)
@given(any_case(), st.integers(0, 2**64 - 2))
def test_a_seed_says_it_all(case, seed):
    _, once = dealt_by_kernel(case, 30, seed)
    _, again = dealt_by_kernel(case, 30, seed)
    _, fewer = dealt_by_kernel(case, 10, seed)
    assert once == again
    assert once[:10] == fewer  # a world does not depend on how many there are


def test_seeds_differ():
    case = ADVERSARIAL["everybody may hold everything"]
    assert len({tuple(dealt_by_kernel(case, 10, seed)[1]) for seed in range(20)}) == 20
