"""Files of networks; the shipped one; commands where PyTorch is missing."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hearts.engine.bridge.network import Network, load_network, network_in_data, shipped
from hearts.game.cards import count
from hearts.game.errors import InvalidConfig
from hearts.game.records import read_records
from hearts.kernels.network.inference import features_policy
from hearts.training.decisions import decisions_of
from hearts.training.hyperparameters import Imitation
from server.cli import main
from tests.hearts.kernels.network.test_inference import random_network

DATA = Path(__file__).parents[2] / "data"


def test_what_is_no_network_is_refused(tmp_path):
    path = tmp_path / "network.npz"
    with pytest.raises(InvalidConfig, match="not a network"):
        load_network(path)
    path.write_bytes(b"no numbers")
    with pytest.raises(InvalidConfig, match="not a network"):
        load_network(path)
    for content in (b"PK\x03\x04garbage", b""):
        path.write_bytes(content)
        with pytest.raises(InvalidConfig, match="not a network"):
            load_network(path)
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(InvalidConfig, match="not a network"):
        load_network(tmp_path / "array.npy")
    network = random_network(1)
    odd = {"hidden": network.hidden[:-1], "hidden_bias": network.hidden_bias[:-1]}
    with pytest.raises(InvalidConfig, match="multiple of 4"):
        Network(**{**vars(network), **odd, "out": network.out[:, :-1]})
    with pytest.raises(InvalidConfig, match="features has shape"):
        Network(**{**vars(network), "features": network.features[:-1]})


def test_the_shipped_network_says_how_it_was_made():
    found = shipped().provenance
    assert found["command"].startswith("hearts network train")
    assert found["training"]["hands"] >= 1_000_000
    assert found["gap"] < -3


def test_the_command_shows_how_a_network_was_made(tmp_path):
    path = tmp_path / "network.npz"
    random_network(1).save(path)
    shown = CliRunner().invoke(main, ["network", "show", str(path)])
    assert json.loads(shown.output) == {}
    for wrong in (["network", "show", str(tmp_path / "none.npz")], ["network", "show", __file__]):
        refused = CliRunner().invoke(main, wrong)
        assert refused.exit_code == 1
        assert "not a network" in refused.output


def test_the_search_like_network_predicts_a_search_it_did_not_learn_from():
    records = list(read_records(DATA / "engine-dev.jsonl.gz"))[:40]
    found = decisions_of(records, Imitation(held_out=0.0), forgetful=0.0)
    samples, network = found.samples, network_in_data("search-like")
    plays = np.flatnonzero(samples.head == 0)
    hidden1, hidden2 = np.empty(128, dtype=np.float32), np.empty(32, dtype=np.float32)
    losses, uniform = [], []
    for k in plays:
        moves, policy = int(samples.moves[k]), np.empty(13)
        total = features_policy(
            samples.features[k], samples.sizes[k, 0], samples.moves[k], samples.head[k],
            network.arrays, hidden1, hidden2, policy,
        )  # fmt: skip
        place = count(moves & (int(samples.chosen[k]) - 1))
        losses.append(-np.log(policy[place] / total))
        uniform.append(np.log(count(moves)))
    assert np.mean(uniform) > 1.15
    assert np.mean(losses) < 1.0


@pytest.mark.parametrize("command", ["train", "imitate"])
def test_without_torch_the_extra_is_named(monkeypatch, tmp_path, command):
    for name in list(sys.modules):
        if name.split(".")[0] == "torch" or name.startswith("hearts.training.neural."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    records = [__file__] if command == "imitate" else []
    arguments = ["network", command, *records, "--out", str(tmp_path / "network.npz")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert "pip install hearts-ai[train]" in result.output
