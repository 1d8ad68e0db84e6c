"""Decisions of recorded hands: complete, with correct likelihoods and gradients."""

import numpy as np
import pytest

from models.styles import FEATURES, PHASES, neutral
from tests.models.records import some_decisions, some_records


def test_every_decision_is_collected():
    records, decisions = some_records(), some_decisions()
    leads, follows, discards, passes = decisions.phases
    assert len(decisions.labels) == 4 * len(records)
    assert len(passes.player) == 4 * sum(bool(record.deal.direction) for record in records)
    plays = sum(len(each.player) for each in (leads, follows, discards))
    assert 0.5 * 52 * len(records) < plays < 0.8 * 52 * len(records)


@pytest.mark.parametrize("phase", range(4))
def test_gradients_match_finite_differences(phase):
    rng = np.random.default_rng(phase)
    choices = some_decisions().phases[phase]
    weights = neutral()[phase] + rng.normal(0, 0.3, len(FEATURES[PHASES[phase]]))
    shares = rng.random(len(choices.player))
    value, gradient = choices.loss(shares, weights)
    assert value == pytest.approx(-shares @ choices.log_probabilities(weights))
    for place in rng.choice(len(weights), 6, replace=False):
        step = np.zeros_like(weights)
        step[place] = 1e-5
        up, down = (choices.loss(shares, weights + sign * step)[0] for sign in (1, -1))
        assert gradient[place] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-4)


def test_mean_nll_counts_forced_actions():
    decisions, weights = some_decisions(), neutral()
    found = decisions.mean_nll(weights)
    for phase, choices in enumerate(decisions.phases):
        actions = decisions.actions[:, phase].sum()
        logs = choices.log_probabilities(weights[phase])
        assert found[phase] == pytest.approx(-logs.sum() / actions)
        assert len(choices.player) <= actions
    hands = len(decisions.labels) // 4
    assert decisions.actions[:, :-1].sum() == 51 * hands  # without the opening lead


def test_neutral_players_choose_among_cards_not_runs():
    leads = some_decisions().phases[0]
    sizes = np.exp(leads.features[:, 0])
    totals = np.add.reduceat(sizes, leads.starts[:-1])
    expected = np.log(sizes[leads.chosen] / totals)
    assert leads.log_probabilities(neutral()[0]) == pytest.approx(expected)
