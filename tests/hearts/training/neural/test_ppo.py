"""PPO in PyTorch: the loss against plain Python, steps that can be repeated, the command."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from hearts.engine.bridge.network import load_network, shipped
from hearts.game.errors import InvalidConfig
from hearts.training.hyperparameters import Training
from server.cli import main

torch = pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train`")
pytestmark = pytest.mark.thorough

from hearts.training.neural.ppo import Trainer  # noqa: E402  # needs PyTorch

TINY = Training(
    hands=8 * 256, hands_per_step=256, batch_size=1024, hidden1_width=16, hidden2_width=4, seed=3
)


@pytest.fixture(scope="module")
def trainer():
    """A trainer that has played hands, with arbitrary advantages."""
    trainer = Trainer(TINY)
    with torch.no_grad():
        trainer.player.out.weight *= 50
    trainer.play.play(trainer.player.network({}), np.random.default_rng(1))
    rng = np.random.default_rng(2)
    for array in (trainer.play.advantages, trainer.play.value_targets):
        array[:] = rng.normal(size=len(array))
    # As if some updates had passed since the hands were played: some ratios are clipped.
    trainer.play.samples.log_policy[:] += rng.normal(size=len(array)) * 0.2
    return trainer


def second_layer(active: np.ndarray, network) -> np.ndarray:
    weights = {name: each.detach().numpy() for name, each in network.weights().items()}
    hidden1 = np.maximum(weights["bias"] + weights["features"][active].sum(axis=0), 0)
    hidden2 = np.maximum(weights["hidden"] @ hidden1 + weights["hidden_bias"], 0)
    return weights["out"] @ hidden2 + weights["out_bias"]


def player_loss(trainer: Trainer, k: int, entropy_bonus: float) -> tuple[float, float]:
    """The loss of one decision, and its entropy."""
    samples, advantage = trainer.play.samples, trainer.play.advantages[k]
    outputs = second_layer(samples.features[k, : samples.sizes[k, 0]], trainer.player)
    cards = [card for card in range(64) if int(samples.moves[k]) >> card & 1]
    logits = outputs[[samples.head[k] + card for card in cards]]
    policy = np.exp(logits - logits.max())
    policy /= policy.sum()
    chosen = int(samples.chosen[k]).bit_length() - 1
    ratio = policy[cards.index(chosen)] / np.exp(float(samples.log_policy[k]))
    clipped = min(max(ratio, 0.8), 1.2)
    entropy = -float((policy * np.log(policy)).sum())
    return -min(ratio * advantage, clipped * advantage) - entropy_bonus * entropy, entropy


def test_the_loss_is_that_of_plain_python(trainer):
    batch = np.random.default_rng(3).permutation(trainer.play.decisions)[:200]
    loss, (entropy, clipped) = trainer._player_loss(batch, 0.1)
    expected = np.array([player_loss(trainer, k, 0.1) for k in batch])
    assert loss.item() == pytest.approx(expected[:, 0].mean(), rel=1e-3)
    assert entropy == pytest.approx(expected[:, 1].sum(), rel=1e-3)
    assert 0 < clipped < len(batch)
    samples, targets = trainer.play.samples, trainer.play.value_targets
    errors = [
        second_layer(samples.critic_features[k, : samples.sizes[k, 1]], trainer.critic)[0]
        - targets[k]
        for k in batch
    ]
    loss, (squared,) = trainer._critic_loss(batch)
    assert loss.item() == pytest.approx(0.5 * np.square(errors).mean(), rel=1e-3)
    assert squared == pytest.approx(np.square(errors).sum(), rel=1e-3)


def test_values_of_the_samples_are_those_of_the_critic(trainer):
    trainer._write_values()
    samples = trainer.play.samples
    for k in trainer.play.decisions[::997]:
        active = samples.critic_features[k, : samples.sizes[k, 1]]
        assert samples.value[k] == pytest.approx(second_layer(active, trainer.critic)[0], abs=1e-5)


def test_it_learns():
    """A few thousand hands turn a player of random cards into one that loses far less."""
    trainer = Trainer(
        Training(
            hands=24 * 512, hands_per_step=512, batch_size=1024, hidden1_width=32, hidden2_width=8
        )
    )
    gaps = [progress.gap for progress in trainer.run()]
    assert len(gaps) == 24
    assert np.mean(gaps[:4]) > 5
    assert np.mean(gaps[-4:]) < np.mean(gaps[:4]) - 1.5


def test_at_first_only_the_critic_learns():
    training = replace(TINY, hands=2 * 256, critic_steps=1)
    trainer = Trainer(training, start=None)
    before = trainer.network().digest
    steps = trainer.run()
    next(steps)
    assert trainer.network().digest == before
    next(steps)
    assert trainer.network().digest != before


def test_an_interrupted_training_comes_to_the_same(tmp_path):
    whole = Trainer(TINY)
    progress = list(whole.run())
    assert [each.step for each in progress] == list(range(1, 9))
    first = Trainer(TINY)
    for each in first.run():
        if each.step == 3:
            break
    first.save(tmp_path / "kept.pt")
    second = Trainer(TINY)
    second.load(tmp_path / "kept.pt")
    assert [each.step for each in second.run()] == list(range(4, 9))
    for one, other in zip(whole.player.parameters(), second.player.parameters(), strict=True):
        assert torch.equal(one, other)
    assert whole.network().provenance["training"]["seed"] == TINY.seed
    with pytest.raises(InvalidConfig, match="another training"):
        Trainer(replace(TINY, seed=4)).load(tmp_path / "kept.pt")


def test_the_command_trains_and_goes_on(tmp_path):
    out, kept = tmp_path / "network.npz", tmp_path / "kept.pt"
    arguments = ["network", "train", "--hands", "4096", "--checkpoint", str(kept), "--out"]
    found = CliRunner().invoke(main, [*arguments, str(out)])
    assert found.exit_code == 0, found.output
    assert kept.exists()
    assert "points per hand, network minus population" in found.output
    again = CliRunner().invoke(main, [*arguments, str(tmp_path / "again.npz")])
    assert again.exit_code == 0, again.output
    assert "already complete" in again.output
    assert load_network(out).digest == load_network(tmp_path / "again.npz").digest
    shown = CliRunner().invoke(main, ["network", "show", str(out)])
    assert json.loads(shown.output)["training"]["hands"] == 4096
    for garbage in (b"PK\x03\x04garbage", b"", b"no tensors"):
        kept.write_bytes(garbage)
        broken = CliRunner().invoke(main, [*arguments, str(out)])
        assert broken.exit_code == 1
        assert "cannot be read" in broken.output


def test_the_command_continues_a_network_among_others(tmp_path):
    out = tmp_path / "network.npz"
    options = ["--from", "shipped", "--population", "duck=2,shooter", "--population-share", "1"]
    arguments = ["network", "train", "--hands", "4096", "--out", str(out), *options]
    found = CliRunner().invoke(main, arguments)
    assert found.exit_code == 0, found.output
    made = load_network(out).provenance["training"]
    assert made["start"] == shipped().digest
    assert made["population"] == [["duck", 2], ["shooter", 1]]
    wrong = CliRunner().invoke(main, [*arguments[:6], "--population", "nobody"])
    assert wrong.exit_code == 1
    assert "not a network" in wrong.output
