"""Hands to test with: dealt, passed and played at random, from a seed."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from hearts.game.cards import ALL_CARDS, RANKS, SEATS, CardSet, bit, members, set_of
from hearts.game.deal import Deal
from hearts.game.rules import PassDirection, Rules


def random_deal(
    rules: Rules,
    cards: int,
    seed: int,
    direction: PassDirection = PassDirection.HOLD,
    *,
    skew: float = 0.0,
) -> Deal:
    """A hand after its pass and so many cards, all random; `skew` 1 deals nearly a suit to each."""
    rng = np.random.default_rng(seed)
    deal = Deal.of(rules, skewed_hands(rng, skew), direction, leader=seed % SEATS)
    for seat in range(SEATS):
        if deal.passing:
            chosen = rng.choice(list(members(deal.hands[seat])), 3, replace=False)
            deal = deal.give(seat, sum(bit(int(card)) for card in chosen))
    for _ in range(cards):
        deal = deal.play(int(rng.choice(list(members(deal.legal)))))
    return deal


def skewed_hands(rng: np.random.Generator, skew: float) -> list[CardSet]:
    """Four hands of random cards, more of one suit in each the nearer `skew` is to 1."""
    order = np.argsort(skew * np.arange(52) / 52 + (1 - skew) * rng.random(52))
    hands = rng.permutation(order.reshape(SEATS, RANKS))
    return [set_of(ALL_CARDS[place] for place in hand) for hand in hands]


def positions(rules: Rules, seed: int, *, skew: float = 0.0) -> Iterator[Deal]:
    """Every position of one random hand without a pass, in order."""
    rng = np.random.default_rng(seed)
    deal = Deal.of(rules, skewed_hands(rng, skew), leader=seed % SEATS)
    while not deal.finished:
        yield deal
        deal = deal.play(int(rng.choice(list(members(deal.legal)))))


def before_rare(rules: Rules, rare: Callable[[Deal], bool], wanted: int) -> list[Deal]:
    """Positions one card before something rare stands on the table, `wanted` of them."""
    hands = (positions(rules, seed, skew=0.5) for seed in itertools.count())
    found = (before for hand in hands for before, after in itertools.pairwise(hand) if rare(after))
    return list(itertools.islice(found, wanted))
