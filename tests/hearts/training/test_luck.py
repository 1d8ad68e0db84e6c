"""The weights of predictions: fitted on records, and better than those of the plain rollout."""

import numpy as np
import pytest

from hearts.arena.adjustment import SampleSizes
from hearts.arena.outputs import Outputs
from hearts.arena.runner import Workers, run
from hearts.arena.tournament import Tournament
from hearts.kernels.luck.values import FEATURES, GAIN, RESULT, ROLLOUT
from hearts.players.spec import Spec
from hearts.training.luck import Games, features_of, fitted, main, variance_ratio


def made_up(seed: int, deals: int = 200) -> Games:
    """Results that are 1 − the rollout − half of the gain, with a little noise."""
    rng = np.random.default_rng(seed)
    features = np.zeros((deals, 4, FEATURES))
    features[..., [ROLLOUT, GAIN]] = rng.normal(0, 3, (deals, 4, 2))
    features[..., RESULT] = 1 - features[..., ROLLOUT] - features[..., GAIN] / 2
    features[..., RESULT] += rng.normal(0, 0.1, (deals, 4))
    return Games(rng.normal(0, 4, (deals, 4)), features)


def test_a_fit_finds_the_weights_that_leave_least_variance():
    games = made_up(0)
    weights = fitted([games, made_up(1)])
    assert weights[[RESULT, ROLLOUT, GAIN]] == pytest.approx([1.0, 1.0, 0.5], abs=0.02)
    plain = np.where(np.isin(np.arange(FEATURES), [RESULT, ROLLOUT]), 1.0, 0.0)
    assert variance_ratio(games, weights) > 100 > variance_ratio(games, plain)


@pytest.fixture
def records(tmp_path, monkeypatch) -> str:
    """Records of two deals of `careless` against `duck`, with few samples for their features."""
    monkeypatch.setattr("hearts.arena.adjustment.USUAL", SampleSizes(5, 3, 2, 2))
    path = tmp_path / "hands.jsonl"
    played = Tournament(Spec("careless"), Spec("duck"), passing="left")
    outputs = Outputs(tmp_path / "journal.jsonl", path)
    run(played, 2, workers=Workers(jobs=1), outputs=outputs)
    return str(path)


def test_records_have_the_differences_of_their_tables(records, tmp_path):
    games = features_of(tmp_path / "hands.jsonl")
    assert games.differences.shape == (2, 4)
    assert games.features.shape == (2, 4, FEATURES)
    again = run(
        Tournament(Spec("careless"), Spec("duck"), passing="left"), 2, workers=Workers(jobs=1)
    )
    assert games.differences.mean(axis=1) == pytest.approx([each.difference for each in again])


def test_weights_and_ratios_are_printed(records, capsys):
    main([records, records])
    weights, *files = capsys.readouterr().out.splitlines()
    assert len(weights.split(", ")) == FEATURES
    assert [line.split()[:2] for line in files] == [[records, "2"]] * 2
