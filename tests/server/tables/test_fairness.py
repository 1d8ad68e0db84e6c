"""Commitments, and deals from seeds."""

from __future__ import annotations

import hashlib
from collections import Counter

from hearts.game.cards import ALL_CARDS, DECK, SEATS, count, names, parse_cards
from server.tables.fairness import (
    commitment,
    dealt_by,
    sealed_text,
    shuffle,
)

DEALT = [0x1FFF << 16 * suit for suit in range(SEATS)]  # one suit each


def test_the_text_of_a_commitment_is_as_documented():
    text = sealed_text("an-id", 3, DEALT, "ab" * 32)
    assert text == (
        "hearts-deal-1\nan-id\n3\n"
        "2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC AC\n"
        "2D 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD AD\n"
        "2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AS\n"
        "2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH AH\n" + "ab" * 32
    )
    assert commitment("an-id", 3, DEALT, "ab" * 32) == hashlib.sha256(text.encode()).hexdigest()
    # Worked out once, so that no change of ours goes unnoticed.
    assert commitment("an-id", 3, DEALT, "ab" * 32) == EXAMPLE


EXAMPLE = "bf38078ea0d0d1d5615a6b544ea19f7b72668aa5bb4f66d4a7a7377e79c4d94a"


def test_every_part_of_a_deal_is_committed_to():
    other = [DEALT[1], DEALT[0], *DEALT[2:]]
    found = {
        commitment(*deal)
        for deal in (
            ("an-id", 3, DEALT, "ab" * 32),
            ("an-ie", 3, DEALT, "ab" * 32),
            ("an-id", 4, DEALT, "ab" * 32),
            ("an-id", 3, other, "ab" * 32),
            ("an-id", 3, DEALT, "ba" * 32),
        )
    }
    assert len(found) == 5


def test_deals_without_a_seed_are_never_the_same_and_fair():
    """The place of one card over many deals: chi² with three degrees of freedom."""
    drawn = [shuffle(None, 0) for _ in range(400)]
    assert len({each.dealt for each in drawn}) == len({each.nonce for each in drawn}) == 400
    queens = Counter(
        next(seat for seat in range(SEATS) if each.dealt[seat] & parse_cards("QS"))
        for each in drawn
    )
    assert sum((queens[seat] - 100) ** 2 / 100 for seat in range(SEATS)) < 21.1  # p = 0.0001
    for each in drawn[:20]:
        assert [count(cards) for cards in each.dealt] == [13] * 4
        assert each.dealt[0] | each.dealt[1] | each.dealt[2] | each.dealt[3] == DECK


def test_deals_of_a_seed_are_a_function_of_it_and_of_the_hand():
    assert shuffle(5, 2).dealt == shuffle(5, 2).dealt == dealt_by(5, 2)
    assert shuffle(5, 2).nonce != shuffle(5, 2).nonce
    assert len({dealt_by(seed, hand) for seed in (5, 6, 2**64 - 1) for hand in (0, 1)}) == 6
    # As documented: the seats get the deck in the order of numpy's permutation.
    import numpy as np

    order = np.random.default_rng([5, 2]).permutation(52)
    assert names(dealt_by(5, 2)[1]) == names(sum(1 << ALL_CARDS[place] for place in order[13:26]))
