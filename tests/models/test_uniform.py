"""OM-0: its worlds fit the view, its probabilities ignore voids."""

from dataclasses import replace

import numpy as np
import pytest

from hearts.game.cards import SEATS, count, index_of, members, parse_card, parse_cards
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View
from models.uniform import UniformBelief
from models.voids import VoidBelief
from tests.hearts.games import BASE
from tests.hearts.play import positions, random_deal

BELIEF = UniformBelief()
SUIT = slice(0, 13)


def test_probabilities_ignore_voids():
    """In BASE seat 2 is void in clubs."""
    unseen = count(BASE.unseen)
    for card in members(BASE.unseen):
        row = BELIEF.probabilities(BASE)[index_of(card)]
        assert row == pytest.approx([0, 12 / unseen, 12 / unseen, 12 / unseen])
    assert not VoidBelief().probabilities(BASE)[SUIT, 2].any()


def test_passed_cards_are_with_their_receiver():
    deal = random_deal(PASSING, 5, 3, PassDirection.LEFT)
    views = [View.of(deal, seat) for seat in range(SEATS)]
    view = next(view for view in views if view.passed & view.unseen)
    kept = view.passed & view.unseen
    found = BELIEF.probabilities(view)
    for card in members(kept):
        assert found[index_of(card), view.receiver] == 1
    other = next(members(view.unseen & ~kept))
    places = view.hand_sizes[view.receiver] - count(kept)
    assert found[index_of(other), view.receiver] == pytest.approx(
        places / count(view.unseen & ~kept)
    )


def test_cards_may_be_gone_in_a_partial_view():
    view = View(seat=0, hand=parse_cards("2C 5D 3H KS AS"), trick=Trick(2, (parse_card("9S"),)))
    found = BELIEF.probabilities(view)
    unseen = count(view.unseen)
    for card in members(view.unseen):
        assert found[index_of(card)] == pytest.approx([0, 5 / unseen, 4 / unseen, 5 / unseen])
    assert found[index_of(parse_card("9S"))].tolist() == [0, 0, 0, 0]
    claimed = BELIEF.probabilities(replace(view, hearts_broken=False))
    assert claimed[index_of(parse_card("AH"))].sum() == pytest.approx(1)


@pytest.mark.parametrize("skew", [0.0, 0.5, 0.9])
def test_worlds_respect_voids(skew):
    for seed in range(4):
        for deal in list(positions(STANDARD, seed, skew=skew))[::3]:
            view = View.of(deal, deal.turn or 0)
            worlds = BELIEF.sample(view, 20, np.random.default_rng(seed))
            assert all(view.consistent_with(world) for world in worlds.hands.tolist())


def test_without_voids_it_equals_om1():
    deal = random_deal(STANDARD, 1, 0)
    view = View.of(deal, deal.turn or 0)
    naive, exact = (b.sample(view, 50, np.random.default_rng(1)) for b in (BELIEF, VoidBelief()))
    assert (naive.hands == exact.hands).all()
