"""What is said where the rules do not support a config, and that it is true."""

from dataclasses import replace

import numpy as np
import pytest

from hearts.engine.bridge.policies import rollout_policies
from hearts.engine.config import SearchConfig
from hearts.engine.fallbacks import fallbacks
from hearts.engine.passing.trials import NetworkTrials, PlayoutTrials, trials_of
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection, Rules
from hearts.kernels.policies.choose import CAUTIOUS
from hearts.views.view import View
from tests.hearts.play import random_deal

ROLLOUTS = SearchConfig(algorithm="rollouts")
VARIANTS = {
    "usual": PASSING,
    "jack": replace(PASSING, jack_bonus=True),
    "no moon": replace(PASSING, no_shooting=True),
    "free queen": replace(PASSING, queen_penalty=False),
    "free hearts": replace(PASSING, hearts_arent_points=True),
}


def told(view: View, config: SearchConfig = ROLLOUTS) -> dict[str, str]:
    return dict(fallbacks(view, config))


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_cards(rules: Rules):
    deal = random_deal(rules, 8, 1)
    by_rule = (rollout_policies(rules, 1) == CAUTIOUS).all()
    assert (
        "cautious played" in told(View.of(deal, deal.turn or 0)).get("algorithm", "")
    ) == by_rule


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_passes(rules: Rules):
    view = View.of(Deal.random(rules, PassDirection.LEFT, np.random.default_rng(2)), 0)
    trials = trials_of(view, ROLLOUTS)
    expected = PlayoutTrials if "algorithm" in told(view) else NetworkTrials
    assert isinstance(trials, expected)
    assert isinstance(trials, NetworkTrials) == (rules in (PASSING, VARIANTS["jack"]))


def test_a_missing_history_replaces_nothing():
    deal = random_deal(PASSING, 20, 1)
    view = replace(View.of(deal, deal.turn or 0), tricks=(), passed=0, received=0)
    assert view.partial
    assert not told(view)


def test_softmax_playouts():
    softmax = SearchConfig(playout="softmax")
    for name, rules in VARIANTS.items():
        deal = random_deal(rules, 8, 1)
        assert bool(told(View.of(deal, deal.turn or 0), softmax)) == (name != "usual")
