"""Hints: the advised card or pass has the fewest expected points of all that are shown."""

import re
from dataclasses import replace

import numpy as np
import pytest

from hearts.analysis.hints import hint_of, tenths
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.levels import LEVELS
from hearts.engine.passing.choose import choose_pass
from hearts.game.cards import bit, names, parse_cards
from hearts.game.deal import Deal
from hearts.game.rules import STANDARD, PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View
from tests.hearts.engine.searches import choices
from tests.hearts.play import skewed_hands

# `expert` with little to do, so that cards are often close to each other
ADVISER = replace(LEVELS["expert"], worlds=24, simulations=200, auxiliary_simulations=400, seed=1)
VIEWS = choices(STANDARD, range(0, 48, 4), range(5))


@pytest.fixture(scope="module")
def decisions():
    return [decide(view, ADVISER) for view in VIEWS]


def test_the_advised_card_has_the_fewest_points_that_are_shown(decisions):
    otherwise = 0
    for decision in decisions:
        hint = hint_of(decision).as_object()
        shown = [tenths(each["points"]) for each in hint["choices"] if each["points"] is not None]
        assert shown == sorted(shown)
        assert hint["cards"] == hint["choices"][0]["cards"]
        cards = [card for each in hint["choices"] for card in each["cards"]]
        assert sorted(cards) == sorted(names(decision.view.legal))
        otherwise += bit(decision.card) != hint_of(decision).best.cards
    assert otherwise > 2  # by its score the engine would play another card


def test_a_hint_says_its_figures_and_nothing_internal(decisions):
    for decision in decisions:
        hint = hint_of(decision)
        assert not re.search(r"score|world|simulation|lines|tree", hint.text)
        cost = re.search(r"expected to cost (-?\d+\.\d)( ± \d+\.\d)? points", hint.text)
        assert float(cost[1]) == tenths(round(hint.best.points, 4))
        assert bool(cost[2]) == (hint.best.error >= 0.05)
        more = re.search(r"would cost (\d+\.\d) more", hint.text)
        assert more is None or float(more[1]) > 0
        assert ("solved exactly" in hint.text) == decision.exact


def test_cards_are_compared_in_the_same_deals(decisions):
    for decision in decisions:
        own = decision.best.points
        for choice in hint_of(decision).choices:
            (card,) = (each for each in decision.cards if bit(each.card) == choice.cards)
            more = decision.cost_of(card.card)
            assert (choice.points is None) == (more is None)
            assert more is None or choice.points == pytest.approx(own + more.points)


def test_the_advised_pass_has_the_fewest_points_that_are_shown():
    for seed in range(6):
        hands = skewed_hands(np.random.default_rng(seed), 0.0)
        deal = Deal.of(STANDARD, hands, PassDirection.LEFT)
        decision = choose_pass(View.of(deal, seed % 4), ADVISER)
        hint = hint_of(decision)
        shown = [tenths(each.points) for each in hint.choices]
        assert len(shown) > 1
        assert shown == sorted(shown)
        assert hint.best == hint.choices[0]
        assert "is expected to cost" in hint.text


def test_a_card_without_a_choice_is_advised_without_figures():
    hint = hint_of(decide(View(0, parse_cards("5H"), Trick(0)), SearchConfig()))
    assert hint.text == "♥5 is the only legal card."
    assert hint.as_object()["points"] is None
    assert hint.choices == ()


@pytest.mark.parametrize(
    ("points", "shown"), [(2.25, 2.3), (-2.25, -2.3), (-0.04, 0.0), (1.15, 1.2), (3, 3.0)]
)
def test_figures_are_rounded_as_in_browsers(points, shown):
    assert str(tenths(points)) == str(shown)
