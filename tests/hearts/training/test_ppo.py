"""PPO: gradients against differences, GAE against plain Python, steps that can be repeated."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from hearts.engine.bridge.network import Network, load_network, quantised, shipped
from hearts.engine.bridge.state import rules_word
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PASSING
from hearts.kernels.network.arrays import Weights, new_samples
from hearts.kernels.network.gradients import batch_gradients, gae
from hearts.kernels.network.selfplay import HEURISTIC, MAX_DECISIONS, NETWORK, play_hands
from hearts.training.ppo import Trainer, Training, _new_scratch, gap
from server.cli import main

TINY = Training(
    hands=8 * 256, hands_per_step=256, batch_size=1024, hidden1_width=16, hidden2_width=4, seed=3
)


@pytest.fixture(scope="module")
def trainer():
    return Trainer(TINY)


@pytest.fixture(scope="module")
def played(trainer):
    """Hands of a network that was never trained, and their decisions."""
    worker = trainer._workers[0]
    worker.play(np.uint64(5), trainer.player, trainer.critic)
    return worker


def test_every_hand_is_played_by_the_rules(played):
    totals = played.points.sum(axis=1)
    assert set(totals.tolist()) <= {26, 78}
    assert (played.kinds == HEURISTIC).any()
    assert ((played.kinds == NETWORK).sum(axis=1) == 4).mean() > 0.6


def test_decisions_are_those_of_network_seats_with_a_choice(played):
    samples, n = played.samples, played.decisions
    assert 0 < n <= len(played.points) * MAX_DECISIONS
    seats, hands = samples.seat[:n], samples.hand[:n]
    assert (played.kinds[hands, seats] == NETWORK).all()
    chosen = np.uint64(1) << samples.chosen[:n].astype(np.uint64)
    assert (samples.moves[:n] & chosen).all()
    assert (samples.moves[:n] & (samples.moves[:n] - np.uint64(1))).all()
    # Three cards are passed by each network seat, in three hands of four.
    passing = samples.head[:n] > 0
    passed = np.arange(len(played.points)) % 4 > 0
    expected = 3 * (played.kinds[passed] == NETWORK).sum()
    assert passing.sum() == expected


def test_the_same_seed_plays_the_same_hands(trainer):
    scratch = [_new_scratch(TINY), _new_scratch(TINY)]
    results = []
    for _ in range(2):
        samples, points = new_samples(20 * MAX_DECISIONS), np.empty((20, 4), dtype=np.int64)
        n = play_hands(
            np.uint64(1), 0, np.uint64(16384), rules_word(PASSING), trainer.player, trainer.critic,
            *scratch, samples, np.empty((20, 4), dtype=np.int64), points,
        )  # fmt: skip
        results.append((n, points.tolist(), samples.chosen[:n].tolist()))
    assert results[0] == results[1]


def test_advantages_are_those_of_plain_python(played):
    n, gae_lambda = played.decisions, 0.8
    samples = played.samples
    returns = np.random.default_rng(1).normal(size=(len(played.points), 4)).astype(np.float32)
    advantages, value_targets = np.empty((2, n), dtype=np.float32)
    gae(n, samples, returns, np.float32(gae_lambda), advantages, value_targets)
    for hand, seat in [(0, 0), (3, 2), (17, 1), (len(returns) - 1, 3)]:
        mine = [k for k in range(n) if (samples.hand[k], samples.seat[k]) == (hand, seat)]
        values = [*(float(samples.value[k]) for k in mine), float(returns[hand, seat])]
        steps = np.diff(values)
        for i, k in enumerate(mine):
            expected = sum(gae_lambda**j * step for j, step in enumerate(steps[i:]))
            assert advantages[k] == pytest.approx(expected, abs=1e-5)
            assert value_targets[k] == pytest.approx(expected + values[i], abs=1e-5)


@pytest.mark.parametrize("which", ["player", "critic"])
def test_gradients_are_those_of_the_loss(trainer, played, which):
    """The derivative along a random direction, against a difference of losses in plain numpy."""
    rng = np.random.default_rng(2)
    batch = rng.permutation(played.decisions)[:200]
    advantages = rng.normal(size=played.decisions).astype(np.float32)
    value_targets = rng.normal(size=played.decisions).astype(np.float32)
    entropy_bonus = 0.1
    networks = {"player": trainer.player, "critic": trainer.critic}
    gradients = {
        name: Weights(*(np.zeros_like(each) for each in weights))
        for name, weights in networks.items()
    }
    batch_gradients(
        batch, played.samples, advantages, value_targets,
        np.float32(0.2), np.float32(entropy_bonus), *networks.values(), *gradients.values(),
        _new_scratch(TINY), _new_scratch(TINY), np.zeros(3),
    )  # fmt: skip
    weights = [each.astype(np.float64) for each in networks[which]]
    along = [rng.normal(size=each.shape) for each in weights]
    step = 1e-6

    def loss(sign: int) -> float:
        shifted = Weights(*(w + sign * step * a for w, a in zip(weights, along, strict=True)))
        if which == "critic":
            return sum(critic_loss(played.samples, k, value_targets[k], shifted) for k in batch)
        return sum(
            player_loss(played.samples, k, advantages[k], entropy_bonus, shifted) for k in batch
        )

    expected = (loss(1) - loss(-1)) / (2 * step)
    found = sum(float((a * g).sum()) for a, g in zip(along, gradients[which], strict=True))
    assert found == pytest.approx(expected, rel=2e-3)


def second_layer(active: np.ndarray, weights: Weights) -> np.ndarray:
    hidden1 = np.maximum(weights.bias + weights.features[active].sum(axis=0), 0)
    return np.maximum(weights.hidden @ hidden1 + weights.hidden_bias, 0)


def critic_loss(samples, k: int, target: float, weights: Weights) -> float:
    hidden2 = second_layer(samples.critic_features[k, : samples.sizes[k, 1]], weights)
    return 0.5 * float((weights.out @ hidden2 + weights.out_bias - target)[0]) ** 2


def player_loss(samples, k: int, advantage: float, entropy_bonus: float, weights: Weights) -> float:
    hidden2 = second_layer(samples.features[k, : samples.sizes[k, 0]], weights)
    cards = [card for card in range(64) if int(samples.moves[k]) >> card & 1]
    logits = (weights.out @ hidden2 + weights.out_bias)[[samples.head[k] + card for card in cards]]
    policy = np.exp(logits - logits.max())
    policy /= policy.sum()
    ratio = policy[cards.index(samples.chosen[k])] / np.exp(float(samples.log_policy[k]))
    clipped = min(max(ratio, 0.8), 1.2)
    entropy = -float((policy * np.log(policy)).sum())
    return -min(ratio * advantage, clipped * advantage) - entropy_bonus * entropy


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


def test_an_interrupted_training_comes_to_the_same(tmp_path):
    whole = Trainer(TINY)
    progress = list(whole.run())
    assert [each.step for each in progress] == list(range(1, 9))
    first = Trainer(TINY)
    for each in first.run():
        if each.step == 3:
            break
    first.save(tmp_path / "kept.npz")
    second = Trainer(TINY)
    second.load(tmp_path / "kept.npz")
    assert [each.step for each in second.run()] == list(range(4, 9))
    for one, other in zip(whole.arrays, second.arrays, strict=True):
        assert (one == other).all()
    with pytest.raises(InvalidConfig, match="another training"):
        Trainer(replace(TINY, seed=4)).load(tmp_path / "kept.npz")


def test_a_checkpoint_with_former_names_is_read(tmp_path, trainer):
    trainer.save(tmp_path / "kept.npz")
    with np.load(tmp_path / "kept.npz") as found:
        kept = dict(found)
    former = (
        "Training(hands=2048, seed=3, width=16, depth=4, step_hands=256, batch=1024, rounds=2, "
        "rate=(0.001, 0.0001), entropy=(0.01, 0.002), clip=0.2, decay=0.95, mixed=0.25)"
    )
    np.savez(tmp_path / "former.npz", **kept | {"training": np.array(former)})
    Trainer(TINY).load(tmp_path / "former.npz")
    with pytest.raises(InvalidConfig, match="another training"):
        Trainer(replace(TINY, gae_lambda=0.9)).load(tmp_path / "former.npz")


def test_a_network_is_stored_in_integers(tmp_path, trainer):
    network = trainer.network(command="hearts network train")
    network.save(tmp_path / "network.npz")
    again = load_network(tmp_path / "network.npz")
    for one, other in zip(network.arrays, again.arrays, strict=True):
        assert (one == other).all()
    assert again.provenance["command"] == "hearts network train"
    assert again.provenance["training"]["seed"] == TINY.seed
    assert (np.abs(network.features / 256 - trainer.player.features) <= 1 / 512).all()


def test_what_is_no_network_is_refused(tmp_path, trainer):
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
    network = trainer.network()
    odd = {"hidden": network.hidden[:-1], "hidden_bias": network.hidden_bias[:-1]}
    with pytest.raises(InvalidConfig, match="multiple of 4"):
        Network(**{**vars(network), **odd, "out": network.out[:, :-1]})
    with pytest.raises(InvalidConfig, match="features has shape"):
        Network(**{**vars(network), "features": network.features[:-1]})


def test_rounding_keeps_the_logits(trainer, played):
    weights = trainer.player
    network = quantised(weights._asdict(), {})
    for k in range(0, played.decisions, 97):
        active = played.samples.features[k, : played.samples.sizes[k, 0]]
        exact = weights.out @ second_layer(active, weights) + weights.out_bias
        hidden1 = np.maximum(network.bias + network.features[active].sum(axis=0), 0)
        hidden2 = np.maximum(network.hidden @ hidden1 + network.hidden_bias, 0) // 256
        whole = (network.out @ hidden2 + network.out_bias) / 65536
        assert whole == pytest.approx(exact, abs=0.05)


def test_the_gap_is_that_of_tables_with_both():
    points = np.array([[0, 10, 16, 0], [26, 0, 0, 0], [5, 5, 8, 8]])
    kinds = np.array([[0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
    assert gap(points, kinds) == -13
    assert gap(points[1:], kinds[1:]) == 0


def test_the_shipped_network_says_how_it_was_made():
    found = shipped().provenance
    assert found["command"].startswith("hearts network train")
    assert found["training"]["hands"] >= 1_000_000
    assert found["gap"] < -3


def test_the_command_trains_and_goes_on(tmp_path):
    out, kept = tmp_path / "network.npz", tmp_path / "kept.npz"
    arguments = ["network", "train", "--hands", "4096", "--checkpoint", str(kept), "--out"]
    found = CliRunner().invoke(main, [*arguments, str(out)])
    assert found.exit_code == 0, found.output
    assert kept.exists()
    assert "points per hand, network minus heuristic" in found.output
    again = CliRunner().invoke(main, [*arguments, str(tmp_path / "again.npz")])
    assert again.exit_code == 0, again.output
    assert "already complete" in again.output
    assert load_network(out).digest == load_network(tmp_path / "again.npz").digest
    shown = CliRunner().invoke(main, ["network", "show", str(out)])
    assert json.loads(shown.output)["training"]["hands"] == 4096
    kept.write_bytes(b"PK\x03\x04garbage")
    broken = CliRunner().invoke(main, [*arguments, str(out)])
    assert broken.exit_code == 1
    assert "cannot be read" in broken.output
    for wrong in (["network", "show", str(tmp_path / "none.npz")], ["network", "show", __file__]):
        refused = CliRunner().invoke(main, wrong)
        assert refused.exit_code == 1
        assert "not a network" in refused.output
