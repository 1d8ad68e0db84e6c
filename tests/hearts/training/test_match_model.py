"""The match model: results of hands, the grid of win probabilities, and its file."""

import numpy as np
import pytest
from click.testing import CliRunner

from hearts.engine.winning import FARTHEST, LEVELS, load_model, shipped_model
from hearts.training.match_model import match_model, solved_wins
from server.cli import main


def test_the_shipped_model_has_hands_of_all_kinds():
    results, probabilities = shipped_model().results
    assert probabilities.sum() == pytest.approx(1)
    assert {*results.sum(axis=1).tolist()} == {26, 78}
    assert 0.1 < probabilities[results.sum(axis=1) == 78].sum() < 0.25
    assert probabilities @ results == pytest.approx([probabilities @ results[:, 0]] * 4)
    assert len(np.unique(results, axis=0)) == len(results)


def test_the_shipped_grid_follows_from_its_results():
    model = shipped_model()
    assert solved_wins(*model.results) == pytest.approx(model.wins, abs=1e-4)
    assert model.wins[(LEVELS - 1,) * 4] == pytest.approx(0.25, abs=1e-3)
    assert FARTHEST > 100  # the grid has every score of a match to 100


def test_the_command_writes_a_model(tmp_path):
    out = tmp_path / "matches.npz"
    found = CliRunner().invoke(main, ["network", "matches", "--out", str(out), "--hands", "400"])
    assert found.exit_code == 0, found.output
    assert "400 hands" in found.output
    assert load_model(out).counts.sum() == 400
    again = match_model(400, 1)
    assert (again.wins == load_model(out).wins).all()
