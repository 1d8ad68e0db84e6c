"""Batches of samples against plain Python."""

import numpy as np
import pytest

from hearts.game.cards import members
from hearts.kernels.network.batches import count_active, gather_bags, gather_moves, transpose_bags

FEATURES = 30


@pytest.fixture
def sparse() -> tuple[np.ndarray, np.ndarray]:
    """Active features (20, 8) and their numbers; the rest of a row is noise."""
    rng = np.random.default_rng(4)
    features = np.array([rng.permutation(FEATURES)[:8] for _ in range(20)], dtype=np.int16)
    return features, rng.integers(0, 9, 20).astype(np.int16)


def test_bags_and_their_transpose_are_the_same_matrix(sparse):
    features, sizes = sparse
    batch = np.array([3, 17, 4, 11, 0, 8])
    total = count_active(batch, sizes)
    assert total == sizes[batch].sum()
    indices, transposed = np.empty((2, total), dtype=np.int32)
    offsets = np.empty(len(batch) + 1, dtype=np.int32)
    starts = np.empty(FEATURES + 1, dtype=np.int32)
    gather_bags(batch, features, sizes, indices, offsets)
    transpose_bags(indices, offsets, transposed, starts)
    expected, found, mirrored = np.zeros((3, len(batch), FEATURES))
    for i, k in enumerate(batch):
        expected[i, features[k, : sizes[k]]] = 1
        found[i, indices[offsets[i] : offsets[i + 1]]] = 1
    for column in range(FEATURES):
        mirrored[transposed[starts[column] : starts[column + 1]], column] = 1
    assert (found == expected).all()
    assert (mirrored == expected).all()


def test_moves_of_a_batch():
    moves = np.array([0b1011, 0b110, 1 << 60 | 1], dtype=np.uint64)
    chosen = np.array([0b0010, 0b110, 1 << 60], dtype=np.uint64)
    heads, batch = np.array([0, 64, 0], dtype=np.int16), np.array([2, 0, 1])
    outputs, missing = np.empty((3, 13), dtype=np.int64), np.empty((3, 13), dtype=np.bool_)
    targets = np.empty((3, 13), dtype=np.float32)
    gather_moves(batch, moves, heads, chosen, outputs, missing, targets)
    for i, k in enumerate(batch):
        cards = sorted(members(int(moves[k])))
        assert outputs[i, : len(cards)].tolist() == [heads[k] + card for card in cards]
        assert missing[i].tolist() == [place >= len(cards) for place in range(13)]
        right = [card in members(int(chosen[k])) for card in cards]
        assert targets[i, : len(cards)] == pytest.approx(np.array(right) / sum(right))
        assert not targets[i, len(cards) :].any()
