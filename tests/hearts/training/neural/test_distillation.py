"""Imitation: a network learns to decide as the players of records do."""

import numpy as np
import pytest
from click.testing import CliRunner

from hearts.arena.referee import Referee
from hearts.arena.seeds import deal_of
from hearts.engine.bridge.network import load_network, shipped
from hearts.game.records import Record, write_records
from hearts.game.rules import PASSING, PassDirection
from hearts.players.registry import shared_player
from hearts.players.spec import Spec
from hearts.training.decisions import decisions_of
from hearts.training.hyperparameters import Imitation
from server.cli import main

torch = pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train`")
pytestmark = pytest.mark.thorough

from hearts.training.neural.distillation import (  # noqa: E402  # needs PyTorch
    Imitator,
    fits_by_group,
)

QUICK = Imitation(epochs=6, batch_size=512, held_out=0.2)


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Hands of ducks at three seats and a shooter at the last one."""
    names = ["duck", "duck", "duck", "shooter"]
    referee = Referee([shared_player(Spec(name)) for name in names])
    deals = (deal_of(1, i, 0, PASSING, PassDirection(i % 4)) for i in range(150))
    return [
        Record.of(referee.play(deal, i), str(i), "test", players=names)
        for i, deal in enumerate(deals)
    ]


@pytest.mark.parametrize("start", [None, "shipped"])
def test_what_was_learned_predicts_other_hands(records, start):
    imitator = Imitator(QUICK, shipped() if start else None)
    found = decisions_of(records, QUICK, forgetful=0.3)
    learned, judged = found.chosen(), found.chosen(held_out=True)
    before = fits_by_group(imitator, found, judged)
    temperatures = imitator.temper(found.samples, learned)
    assert all(each >= 1 for each in temperatures.values())
    losses = list(imitator.learn(found.samples, learned))
    assert len(losses) == imitator.updates(len(learned))
    after = fits_by_group(imitator, found, judged)
    assert set(after) == {"plays", "passes", "duck", "shooter"}
    assert after["plays"].decisions == after["duck"].decisions + after["shooter"].decisions
    for name in ("plays", "duck", "passes"):
        assert after[name].log_loss < before[name].log_loss - 0.05


def test_a_temperature_makes_a_sure_network_less_sure(records):
    imitator = Imitator(QUICK, shipped())
    found = decisions_of(records, QUICK, forgetful=0.0)
    chosen = found.chosen()
    before, _ = imitator.evaluate(found.samples, chosen)
    temperatures = imitator.temper(found.samples, chosen)
    after, _ = imitator.evaluate(found.samples, chosen)
    assert temperatures["plays"] > 1
    assert after.mean() < before.mean()


def test_the_command_imitates(tmp_path, records):
    path, out = tmp_path / "records.jsonl", tmp_path / "network.npz"
    write_records(path, records[:60])
    arguments = ["network", "imitate", str(path), "--out", str(out), "--epochs", "2"]
    found = CliRunner().invoke(main, [*arguments, "--from", "shipped", "--player", "duck"])
    assert found.exit_code == 0, found.output
    assert "duck:" in found.output
    assert "shooter:" not in found.output
    made = load_network(out).provenance
    assert made["imitation"]["epochs"] == 2
    assert made["held_out"]["duck"]["decisions"] > 0
    assert np.isfinite(made["held_out"]["plays"]["log_loss"])
    wrong = CliRunner().invoke(main, [*arguments, "--player", "nobody"])
    assert wrong.exit_code == 1
    assert "too few decisions" in wrong.output
