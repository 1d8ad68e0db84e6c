"""The statistics of moves are consistent."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.engine.bridge.worlds import equal_cards
from hearts.engine.config import ALGORITHMS, OPPONENTS, REWARDS, SearchConfig
from hearts.engine.decide import decide
from hearts.game.cards import bit, lowest, members
from hearts.game.rules import lowest_score
from hearts.views.view import View
from tests.hearts.engine.searches import QUICK, SCORES, VIEWS
from tests.hearts.kernels.playouts.test_playouts import RULES, SEEDS, SKEWS
from tests.hearts.play import random_deal

CONFIGS = st.builds(
    SearchConfig,
    algorithm=st.sampled_from(ALGORITHMS),
    opponents=st.sampled_from(OPPONENTS),
    reward=st.sampled_from(REWARDS),
    endgame=st.integers(0, 5),
    worlds=st.just(9),
    simulations=st.just(200),
)


@given(RULES, st.integers(0, 47), SEEDS, SKEWS, CONFIGS, SCORES)
def test_statistics_are_consistent(rules, cards, seed, skew, config, scores):
    deal = random_deal(rules, cards, seed, skew=skew)
    view = View.of(deal, deal.turn or 0, scores)
    decision = decide(view, config)
    assert view.legal & bit(decision.card)
    if decision.forced:
        return
    assert sorted(row.card for row in decision.cards) == list(members(view.legal))
    assert decision.card == decision.cards[0].card
    assert decision.best == max(decision.cards, key=lambda row: row.score)
    for row in decision.cards:
        assert lowest_score(rules) - 1e-9 <= row.points <= rules.total + 1e-9  # rounding
        assert row.points_error >= 0
        for chance in (row.queen, row.moon, row.moon_against, row.match_value):
            assert 0 <= chance <= 1 + 1e-9
        assert row.moon + row.moon_against <= 1 + 1e-9
    by_card = {row.card: row for row in decision.cards}
    for group in equal_cards(view):
        alike = {replace(by_card[card], card=0) for card in members(group)}
        assert len(alike) == 1


@pytest.mark.parametrize("endgame", [0, 5])
def test_votes_sum_to_the_worlds(endgame):
    for view in VIEWS:
        config = replace(QUICK, worlds=40, endgame=endgame)
        leaders = {lowest(cards) for cards in equal_cards(view)}
        votes = [row.votes for row in decide(view, config).cards if row.card in leaders]
        assert sum(votes) == pytest.approx(40)
        assert votes == pytest.approx(np.round(votes))  # whole worlds: their weights are equal
