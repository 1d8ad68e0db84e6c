"""The network in PyTorch: the same probabilities as in the kernels, the gradients of autograd."""

import numpy as np
import pytest

from hearts.engine.bridge.network import load_network, shipped
from hearts.game.records import Record
from hearts.game.rules import PASSING, PassDirection
from hearts.kernels.network.features import FEATURES
from hearts.kernels.network.inference import OUTPUTS, features_policy
from hearts.training.decisions import decisions_of
from hearts.training.hyperparameters import Imitation
from tests.hearts.play import random_deal

torch = pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train`")
pytestmark = pytest.mark.thorough

from hearts.training.neural.network import (  # noqa: E402  # needs PyTorch
    Bags,
    SparseNetwork,
    bags_of,
    log_policy,
    moves_of,
)


@pytest.fixture(scope="module")
def samples():
    deals = [random_deal(PASSING, 52, seed, PassDirection(seed % 4)) for seed in range(60)]
    records = [Record.of(deal) for deal in deals]
    return decisions_of(records, Imitation(), forgetful=0.3).samples


def probabilities(network: SparseNetwork, samples) -> np.ndarray:
    """The probabilities of all moves (n, 13)."""
    batch = np.arange(len(samples.seat))
    with torch.no_grad():
        outputs = network(bags_of(batch, samples.features, samples.sizes[:, 0], FEATURES))
        return log_policy(outputs, moves_of(batch, samples)).exp().numpy()


def test_both_forward_passes_give_the_same_probabilities(samples):
    """Floats here, integers in the kernel; it rounds down after the second layer."""
    network = SparseNetwork(FEATURES, OUTPUTS, (128, 32), seed=0)
    network.load_network(shipped())
    floats, n = probabilities(network, samples), len(samples.seat)
    assert n > 2000
    integers = np.zeros_like(floats, dtype=np.float64)
    hidden1, hidden2 = np.empty(128, dtype=np.float32), np.empty(32, dtype=np.float32)
    for k in range(n):
        total = features_policy(
            samples.features[k], samples.sizes[k, 0], samples.moves[k], samples.head[k],
            shipped().arrays, hidden1, hidden2, integers[k],
        )  # fmt: skip
        integers[k] /= total
    assert floats.sum(axis=1) == pytest.approx(np.ones(n), abs=1e-5)
    assert np.abs(floats - integers).max() < 0.02
    assert np.abs(floats - integers).mean() < 1e-4


def test_rounding_to_integers_keeps_the_probabilities(samples):
    network = SparseNetwork(FEATURES, OUTPUTS, (64, 16), seed=3)
    with torch.no_grad():
        network.out.weight *= 50  # a policy that is not uniform
    rounded = SparseNetwork(FEATURES, OUTPUTS, (64, 16), seed=4)
    rounded.load_network(network.network({}))
    one, other = probabilities(network, samples), probabilities(rounded, samples)
    assert one.max(axis=1).mean() > 0.25
    assert np.abs(one - other).max() < 0.05


def test_a_network_of_integers_survives_its_file(tmp_path):
    network = SparseNetwork(FEATURES, OUTPUTS, (16, 4), seed=1)
    stored = network.network({"command": "hearts network train"})
    stored.save(tmp_path / "network.npz")
    again = load_network(tmp_path / "network.npz")
    assert again.digest == stored.digest
    assert again.provenance == {"command": "hearts network train"}
    assert np.abs(stored.features / 256 - network.features.weight.detach().numpy()).max() <= 1 / 512


def test_gradients_are_those_of_an_embedding_bag():
    rng = np.random.default_rng(1)
    features = np.array([rng.permutation(40)[:9] for _ in range(30)], dtype=np.int16)
    sizes = rng.integers(0, 10, 30).astype(np.int16)
    bags: Bags = bags_of(np.array([4, 9, 29, 0, 13]), features, sizes, 40)
    network = SparseNetwork(40, 3, (8, 4), seed=2)
    network(bags).square().sum().backward()
    found = network.features.weight.grad.clone()
    network.zero_grad()
    first = network.features(bags.indices, bags.offsets[:-1])  # PyTorch's own, forward and backward
    hidden = torch.relu(network.hidden(torch.relu(first + network.bias)))
    network.out(hidden).square().sum().backward()
    assert found.any()
    assert torch.allclose(found, network.features.weight.grad, atol=1e-6)
