"""Random deals of hidden cards: what they keep, and that the chain visits all deals alike."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.game.cards import SEATS, bit, members
from hearts.game.deal import Deal
from hearts.kernels.luck.deals import new_chain, shuffle, step, swap
from hearts.kernels.policies.choose import DUCK
from hearts.players.registry import shared_player
from hearts.players.spec import Spec
from tests.hearts.kernels.luck import luck_oracle as oracle

HANDS = oracle.hands()
CHI2 = 2.2  # bound of chi² per degree of freedom; the samples of a chain are a little dependent


def test_shuffled_cards_are_equally_likely_in_every_other_seat():
    hand, counts = HANDS[1], Counter()
    stream, dealt = np.uint64(5), hand.dealt
    for _ in range(3000):
        stream = shuffle(hand.focus, dealt, np.uint64(stream))
        assert [int(cards).bit_count() for cards in dealt] == [13] * SEATS
        for seat in set(range(SEATS)) - set(hand.seats):
            counts.update((seat, card) for card in members(int(dealt[seat])))
    assert all(dealt[seat] == hand.dealt[seat] for seat in hand.seats)
    assert len(counts) == 3 * 39
    assert all(abs(times - 1000) < 130 for times in counts.values())


@pytest.mark.parametrize("hand", HANDS[:10])
def test_a_swap_moves_one_card_each_between_two_other_seats(hand):
    fixed, stream = hand.dealt[0] & hand.dealt[0] - np.uint64(1), np.uint64(3)
    for _ in range(50):
        dealt = hand.dealt
        stream = np.uint64(swap(hand.focus, fixed, dealt, stream))
        changes = [int(a ^ b) for a, b in zip(dealt, hand.dealt, strict=True)]
        nonzero = [each for each in changes if each]
        assert not any(changes[seat] for seat in hand.seats)
        assert not any(each & int(fixed) for each in changes)
        if len(hand.seats) == 3:
            assert not nonzero
        elif nonzero:
            assert len(nonzero) == 2
            assert nonzero[0] == nonzero[1]
            assert nonzero[0].bit_count() == 2


def walk(hand, number, samples, thinning=30, seed=1):
    """The deals that a chain visits, given the first cards of a hand."""
    chain, stream = new_chain(), np.uint64(seed)
    chain.dealt[:], chain.passed[:] = hand.dealt, hand.passed
    state, seen = np.empty(8, dtype=np.uint64), np.empty((4, 4), dtype=np.uint64)
    played = sum((np.uint64(1 << int(card)) for card in hand.plays[:number]), np.uint64(0))
    for _ in range(samples):
        for _ in range(thinning):
            stream = np.uint64(
                step(
                    *hand.start, hand.focus, hand.codes(DUCK), hand.rules, hand.plays, number,
                    played, stream, state, seen, chain,
                )
            )  # fmt: skip
        yield tuple(map(int, chain.dealt)), tuple(map(int, chain.passed))


def explains(hand, dealt, number):
    """Whether the others, dealt these cards, pass and play as the focus seats have seen it."""
    deal = Deal.of(hand.deal.rules, dealt, hand.deal.direction, hand.start[1])
    random = shared_player(Spec("random"))
    players = hand.players(random)
    if deal.passing:
        played = Referee(players).play(deal, 0)
        for seat in range(SEATS):
            given = hand.deal.passes[seat] if seat in hand.seats else played.passes[seat]
            seen = (seat + hand.start[0]) % SEATS in hand.seats
            if seen and given != hand.deal.passes[seat]:
                return False
            deal = deal.give(seat, given)
    for seat, card in list(hand.deal.plays)[:number]:
        if deal.turn != seat or not deal.hands[seat] & bit(card):
            return False
        if seat not in hand.seats and oracle.card_of(deal, players) != card:
            return False
        deal = deal.play(card)
    return True


@pytest.mark.parametrize("hand", HANDS)
def test_every_deal_of_a_chain_explains_what_was_seen(hand):
    for number in (0, 1, 2, 3, 9, 30):
        for dealt, passed in walk(hand, number, 4, seed=number + 1):
            assert explains(hand, dealt, number)
            assert all(dealt[seat] == hand.deal.dealt[seat] for seat in hand.seats)
            assert all(passed[seat] == hand.deal.passes[seat] for seat in hand.seats)


def possible_deals(hand, number):
    """All deals without a pass that explain the first cards, by trying every one."""
    played = sum(bit(int(card)) for card in hand.plays[:number])
    kept = [cards & played for cards in hand.deal.dealt]
    one, two, three = (seat for seat in range(SEATS) if seat not in hand.seats)
    sizes = {seat: 13 - kept[seat].bit_count() for seat in (one, two, three)}
    hidden = [card for seat in sizes for card in members(hand.deal.dealt[seat] & ~played)]
    for first in combinations(hidden, sizes[one]):
        rest = [card for card in hidden if card not in first]
        for second in combinations(rest, sizes[two]):
            dealt = list(hand.deal.dealt)
            third = [card for card in rest if card not in second]
            for seat, cards in ((one, first), (two, second), (three, third)):
                dealt[seat] = kept[seat] | sum(map(bit, cards))
            if explains(hand, dealt, number):
                yield tuple(dealt)


def test_a_chain_visits_all_possible_deals_equally_often():
    single = [hand for hand in oracle.hands(60) if len(hand.seats) == 1 and not hand.start[0]]
    sizes = []
    for hand in single[:5]:
        expected = set(possible_deals(hand, 40))
        samples = 60 * len(expected)
        visits = Counter(dealt for dealt, _ in walk(hand, 40, samples))
        assert set(visits) == expected
        if len(expected) > 1:
            chi2 = sum((times - 60) ** 2 / 60 for times in visits.values())
            assert chi2 < CHI2 * (len(expected) - 1) + 6
        sizes.append(len(expected))
    assert max(sizes) > 5
