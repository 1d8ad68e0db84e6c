"""Every pair of search options plays whole hands by the rules."""

from dataclasses import replace
from functools import cache
from itertools import combinations, product
from random import Random

import pytest

from hearts.engine.config import (
    AGGREGATIONS,
    ALGORITHMS,
    BEST_CHILDREN,
    OPPONENTS,
    PLAYOUTS,
    REWARDS,
    SearchConfig,
)
from hearts.engine.decide import decide
from hearts.game.cards import bit
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, STANDARD, PassDirection, Rules
from hearts.views.view import View
from tests.hearts.play import random_deal
from tests.pairwise import cover

HANDS = 20
SHARDS = 8  # of the cover, for tests in parallel
VARIANTS: list[Rules] = [
    STANDARD,
    PASSING,
    replace(STANDARD, jack_bonus=True, no_trick_bonus=True, shooting_needs_jack=True),
    Rules.from_mask(0),
    Rules.from_mask(0x3FFF),
]


@cache
def deals() -> list[Deal]:
    """Hands by every variant of the rules, with and without passes, some with long suits."""
    return [
        random_deal(
            VARIANTS[seed % len(VARIANTS)], 0, seed, PassDirection(seed % 4), skew=seed % 3 * 0.3
        )
        for seed in range(HANDS)
    ]


def play(deal: Deal, config: SearchConfig) -> Deal:
    """Play a whole hand; `Deal.play` raises for an illegal card."""
    while not deal.finished:
        decision = decide(View.of(deal, deal.turn or 0, checked=False), config)
        assert deal.legal & bit(decision.card)
        deal = deal.play(decision.card)
    return deal


OPTIONS = {
    "algorithm": ALGORITHMS,
    "playout": PLAYOUTS,
    "aggregation": AGGREGATIONS,
    "opponents": OPPONENTS,
    "best_child": BEST_CHILDREN,
    "reward": REWARDS,
    "endgame": (0, 1, 2, 3, 4),
    "deal": tuple(range(HANDS)),
}
COVER = cover(OPTIONS, Random(1))


def test_the_cover_has_every_pair():
    for one, other in combinations(OPTIONS, 2):
        pairs = {(row[one], row[other]) for row in COVER}
        assert pairs == set(product(OPTIONS[one], OPTIONS[other]))


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_pair_of_options_plays_whole_hands(shard):
    for seed, row in enumerate(COVER[shard::SHARDS]):
        options = {option: value for option, value in row.items() if option != "deal"}
        config = SearchConfig(**options, worlds=4, simulations=24, seed=seed)
        end = play(deals()[row["deal"]], config)
        assert len(end.tricks) == 13
        assert len(end.final_points()) == 4


@pytest.mark.thorough
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("playout", PLAYOUTS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_combination_plays_whole_hands(algorithm, playout, aggregation):
    others = list(product(OPPONENTS, BEST_CHILDREN, REWARDS))
    for seed, deal in enumerate(deals()):
        opponents, best_child, reward = others[seed % len(others)]
        config = SearchConfig(
            algorithm=algorithm,
            playout=playout,
            aggregation=aggregation,
            opponents=opponents,
            best_child=best_child,
            reward=reward,
            worlds=4,
            simulations=24,
            endgame=seed % 5,
            seed=seed,
        )
        end = play(deal, config)
        assert len(end.tricks) == 13
        assert len(end.final_points()) == 4
