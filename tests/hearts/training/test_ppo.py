"""Learning: slopes against differences, credit against plain Python, steps that can be repeated."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from hearts.engine.bridge.network import Network, load_network, rounded, shipped
from hearts.engine.bridge.state import rules_word
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PASSING
from hearts.kernels.network.gradients import Weights, judge, learn, new_samples
from hearts.kernels.network.selfplay import HEURISTIC, MOST_DECISIONS, NETWORK, play_hands
from hearts.training.ppo import Trainer, Training, _room, gap
from server.cli import main

TINY = Training(hands=8 * 256, step_hands=256, batch=1024, width=16, depth=4, seed=3)


@pytest.fixture(scope="module")
def trainer():
    return Trainer(TINY)


@pytest.fixture(scope="module")
def played(trainer):
    """Hands of a network that was never trained, and their decisions."""
    half = trainer._halves[0]
    half.play(np.uint64(5), trainer.player, trainer.critic)
    return half


def test_every_hand_is_played_by_the_rules(played):
    totals = played.points.sum(axis=1)
    assert set(totals.tolist()) <= {26, 78}
    assert (played.kinds == HEURISTIC).any()
    assert ((played.kinds == NETWORK).sum(axis=1) == 4).mean() > 0.6


def test_decisions_are_those_of_network_seats_with_a_choice(played):
    samples, n = played.samples, played.decisions
    assert 0 < n <= len(played.points) * MOST_DECISIONS
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
    rooms = [_room(TINY), _room(TINY)]
    results = []
    for _ in range(2):
        samples, points = new_samples(20 * MOST_DECISIONS), np.empty((20, 4), dtype=np.int64)
        n = play_hands(
            np.uint64(1), 0, np.uint64(16384), rules_word(PASSING), trainer.player, trainer.critic,
            *rooms, samples, np.empty((20, 4), dtype=np.int64), points,
        )  # fmt: skip
        results.append((n, points.tolist(), samples.chosen[:n].tolist()))
    assert results[0] == results[1]


def test_credit_is_that_of_plain_python(played):
    n, decay = played.decisions, 0.8
    samples = played.samples
    worth = np.random.default_rng(1).normal(size=(len(played.points), 4)).astype(np.float32)
    gains, outcomes = np.empty((2, n), dtype=np.float32)
    judge(n, samples, worth, np.float32(decay), gains, outcomes)
    for hand, seat in [(0, 0), (3, 2), (17, 1), (len(worth) - 1, 3)]:
        mine = [k for k in range(n) if (samples.hand[k], samples.seat[k]) == (hand, seat)]
        expected = [*(float(samples.value[k]) for k in mine), float(worth[hand, seat])]
        steps = np.diff(expected)
        for i, k in enumerate(mine):
            credit = sum(decay**j * step for j, step in enumerate(steps[i:]))
            assert gains[k] == pytest.approx(credit, abs=1e-5)
            assert outcomes[k] == pytest.approx(credit + expected[i], abs=1e-5)


@pytest.mark.parametrize("which", ["player", "critic"])
def test_slopes_are_those_of_the_loss(trainer, played, which):
    """The slope along a random direction, against a difference of losses in plain numpy."""
    rng = np.random.default_rng(2)
    order = rng.permutation(played.decisions)[:200]
    gains = rng.normal(size=played.decisions).astype(np.float32)
    outcomes = rng.normal(size=played.decisions).astype(np.float32)
    entropy = 0.1
    networks = {"player": trainer.player, "critic": trainer.critic}
    slopes = {
        name: Weights(*(np.zeros_like(each) for each in weights))
        for name, weights in networks.items()
    }
    learn(
        order, played.samples, gains, outcomes, np.float32(0.2), np.float32(entropy),
        *networks.values(), *slopes.values(), _room(TINY), _room(TINY), np.zeros(3),
    )  # fmt: skip
    weights = [each.astype(np.float64) for each in networks[which]]
    along = [rng.normal(size=each.shape) for each in weights]
    step = 1e-6

    def loss(sign: int) -> float:
        moved = Weights(*(w + sign * step * a for w, a in zip(weights, along, strict=True)))
        if which == "critic":
            return sum(critic_loss(played.samples, k, outcomes[k], moved) for k in order)
        return sum(player_loss(played.samples, k, gains[k], entropy, moved) for k in order)

    expected = (loss(1) - loss(-1)) / (2 * step)
    found = sum(float((a * s).sum()) for a, s in zip(along, slopes[which], strict=True))
    assert found == pytest.approx(expected, rel=2e-3)


def layers(rows: np.ndarray, weights: Weights) -> np.ndarray:
    inner = np.maximum(weights.bias + weights.rows[rows].sum(axis=0), 0)
    return np.maximum(weights.hidden @ inner + weights.hidden_bias, 0)


def critic_loss(samples, k: int, outcome: float, weights: Weights) -> float:
    outer = layers(samples.sight[k, : samples.sizes[k, 1]], weights)
    return 0.5 * float((weights.out @ outer + weights.out_bias - outcome)[0]) ** 2


def player_loss(samples, k: int, gain: float, entropy: float, weights: Weights) -> float:
    outer = layers(samples.rows[k, : samples.sizes[k, 0]], weights)
    cards = [card for card in range(64) if int(samples.moves[k]) >> card & 1]
    scores = (weights.out @ outer + weights.out_bias)[[samples.head[k] + card for card in cards]]
    odds = np.exp(scores - scores.max())
    odds /= odds.sum()
    ratio = odds[cards.index(samples.chosen[k])] / np.exp(float(samples.log_odds[k]))
    bounded = min(max(ratio, 0.8), 1.2)
    return -min(ratio * gain, bounded * gain) + entropy * float((odds * np.log(odds)).sum())


def test_it_learns():
    """A few thousand hands turn a player of random cards into one that loses far less."""
    trainer = Trainer(Training(hands=24 * 512, step_hands=512, batch=1024, width=32, depth=8))
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


def test_a_network_is_kept_in_whole_numbers(tmp_path, trainer):
    network = trainer.network(command="hearts network train")
    network.save(tmp_path / "network.npz")
    again = load_network(tmp_path / "network.npz")
    for one, other in zip(network.arrays, again.arrays, strict=True):
        assert (one == other).all()
    assert again.made["command"] == "hearts network train"
    assert again.made["training"]["seed"] == TINY.seed
    assert (np.abs(network.rows / 256 - trainer.player.rows) <= 1 / 512).all()


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
    with pytest.raises(InvalidConfig, match="rows has shape"):
        Network(**{**vars(network), "rows": network.rows[:-1]})


def test_rounding_keeps_the_scores(trainer, played):
    weights = trainer.player
    network = rounded(weights._asdict(), {})
    for k in range(0, played.decisions, 97):
        rows = played.samples.rows[k, : played.samples.sizes[k, 0]]
        exact = weights.out @ layers(rows, weights) + weights.out_bias
        inner = np.maximum(network.bias + network.rows[rows].sum(axis=0), 0)
        outer = np.maximum(network.hidden @ inner + network.hidden_bias, 0) // 256
        whole = (network.out @ outer + network.out_bias) / 65536
        assert whole == pytest.approx(exact, abs=0.05)


def test_the_gap_is_that_of_tables_with_both():
    points = np.array([[0, 10, 16, 0], [26, 0, 0, 0], [5, 5, 8, 8]])
    kinds = np.array([[0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
    assert gap(points, kinds) == -13
    assert gap(points[1:], kinds[1:]) == 0


def test_the_shipped_network_says_how_it_was_made():
    made = shipped().made
    assert made["command"].startswith("hearts network train")
    assert made["training"]["hands"] >= 1_000_000
    assert made["gap"] < -3


def test_the_command_trains_and_goes_on(tmp_path):
    out, kept = tmp_path / "network.npz", tmp_path / "kept.npz"
    arguments = ["network", "train", "--hands", "4096", "--checkpoint", str(kept), "--out"]
    found = CliRunner().invoke(main, [*arguments, str(out)])
    assert found.exit_code == 0, found.output
    assert kept.exists()
    assert "points per hand, network less heuristic" in found.output
    again = CliRunner().invoke(main, [*arguments, str(tmp_path / "again.npz")])
    assert again.exit_code == 0, again.output
    assert "at its end already" in again.output
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
