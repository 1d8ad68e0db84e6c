"""A view that is not checked again is the view that is, in every field and every derived fact."""

from functools import cached_property

import numpy as np
import pytest

from hearts.game.deal import Deal
from hearts.game.rules import PassDirection
from hearts.views.view import View
from tests.hearts.games import VARIANTS, choose, random_hands, skewed_hands

DERIVED = [
    name
    for name in dir(View)
    if not name.startswith("_") and isinstance(getattr(View, name), cached_property | property)
]


def positions(rules, seed):
    """Every position of a random hand, the pass included."""
    rng = np.random.default_rng(seed)
    hands = (random_hands if seed % 2 else skewed_hands)(rng)
    deal = Deal.of(rules, hands, PassDirection(seed % 4), leader=seed % 4)
    yield deal
    for seat in range(4) if deal.passing else ():
        deal = deal.give(seat, sum(1 << card for card in choose(deal.dealt[seat], rng, 3)))
        yield deal
    while not deal.finished:
        deal = deal.play(choose(deal.legal, rng, 1)[0])
        yield deal


@pytest.mark.parametrize("variant", VARIANTS)
def test_trusted_and_checked_views_are_equal(variant):
    for seed in range(2):
        for number, deal in enumerate(positions(VARIANTS[variant], seed)):
            seat = number % 4 if deal.turn is None or number % 3 else deal.turn
            scores = (3, 14, 15, number)
            trusted = View.of(deal, seat, scores, checked=False)
            checked = View.of(deal, seat, scores)
            assert trusted == checked
            assert hash(trusted) == hash(checked)
            for name in DERIVED:
                assert getattr(trusted, name) == getattr(checked, name), name


def test_a_trusted_view_is_not_replayed():
    deal = Deal.random(VARIANTS["standard"], PassDirection.HOLD, np.random.default_rng(0))
    assert "plays" not in vars(View.of(deal, 0, checked=False))
    assert "plays" in vars(View.of(deal, 0))
