"""Herding and raking: small samples with given marginals."""

import numpy as np
import pytest

from hearts.kernels.beliefs.selection import herd, rake

U = np.uint64


def test_raked_weights_match_the_target_as_a_product_of_factors():
    """So they are the weights closest to uniform ones that match the marginals."""
    rng = np.random.default_rng(4)
    cards = np.array([3, 20, 37])
    places = rng.integers(3, size=(400, 3))
    hands = np.zeros((400, 3), dtype=U)
    for world, holders in enumerate(places):
        for card, holder in zip(cards, holders, strict=True):
            hands[world, holder] |= U(1) << U(card)
    target = np.array([[0.2, 0.3, 0.5], [0.4, 0.4, 0.2], [0.1, 0.6, 0.3]])
    weights = np.empty(400)
    rake(hands, cards, target, 20, 10.0, weights, np.empty(400))
    shares = [[weights[places[:, c] == p].sum() for p in range(3)] for c in range(3)]
    assert np.array(shares) == pytest.approx(target, abs=1e-6)
    indicators = np.stack([places[:, c] == p for c in range(3) for p in range(3)], axis=1)
    factors = np.linalg.lstsq(indicators.astype(float), np.log(weights), rcond=None)[0]
    assert indicators @ factors == pytest.approx(np.log(weights), abs=1e-6)


def test_raking_keeps_the_effective_sample_size():
    hands = np.array([[1, 2, 4]] * 99 + [[2, 1, 4]], dtype=U)
    weights, uniform = np.empty(100), np.full(100, 0.01)
    rake(hands, np.array([0]), np.array([[0.1, 0.9, 0.0]]), 5, 50.0, weights, np.empty(100))
    assert weights == pytest.approx(uniform)


def test_herded_worlds_are_closer_to_the_target_than_random_ones():
    rng = np.random.default_rng(5)
    cards = np.arange(12)
    target = rng.dirichlet(np.ones(3), size=12)
    places = np.stack([rng.choice(3, size=600, p=each) for each in target], axis=1)
    hands = np.zeros((600, 3), dtype=U)
    for world, holders in enumerate(places):
        for card, holder in enumerate(holders):
            hands[world, holder] |= U(1) << U(card)
    chosen = np.empty(30, dtype=np.int64)
    herd(hands, cards, target, np.empty((12, 3)), np.zeros(600, dtype=np.bool_), chosen)
    assert chosen[0] == 0
    assert len(set(chosen.tolist())) == 30

    def error(some) -> float:
        found = np.array([[(places[some, c] == p).mean() for p in range(3)] for c in range(12)])
        return float(np.sqrt(np.mean((found - target) ** 2)))

    drawn = np.mean([error(rng.choice(600, 30, replace=False)) for _ in range(50)])
    assert error(chosen) < drawn / 3
