"""Batches of samples as sparse matrices: the input of training.

A matrix of zeros and ones has a row for each decision and a column for each feature. As *bags*, row
r has ones in the columns `indices[offsets[r] : offsets[r + 1]]`; its transpose has the same form.
"""

import numpy as np

from hearts.kernels.core.bits import ONE, ZERO, lowest_bit_index, popcount
from hearts.kernels.core.jit import kernel


@kernel
def count_active(batch, sizes):
    """The number of active features of the decisions in a batch."""
    total = 0
    for k in batch:
        total += sizes[k]
    return total


@kernel
def gather_bags(batch, features, sizes, indices, offsets):
    """Write the active features of the decisions in a batch (n,) as bags."""
    end = 0
    offsets[0] = 0
    for i in range(batch.shape[0]):
        k = batch[i]
        for j in range(sizes[k]):
            indices[end + j] = features[k, j]
        end += sizes[k]
        offsets[i + 1] = end


@kernel
def transpose_bags(indices, offsets, transposed, starts):
    """Write the transpose: column c has ones in rows `transposed[starts[c] : starts[c + 1]]`."""
    starts[:] = 0
    for index in indices:
        starts[index + 1] += 1
    for column in range(starts.shape[0] - 1):
        starts[column + 1] += starts[column]
    end = starts.copy()
    for row in range(offsets.shape[0] - 1):
        for j in range(offsets[row], offsets[row + 1]):
            column = indices[j]
            transposed[end[column]] = row
            end[column] += 1


@kernel
def gather_moves(batch, moves, heads, chosen, outputs, missing, targets):
    """Write the moves of the decisions in a batch, from the lowest card, in rows of 13.

    `outputs` gets the network's output of each move, `missing` where a row has no further move, and
    `targets` the probability of each move: 1 for the chosen card, or the same for each of several.
    """
    for i in range(batch.shape[0]):
        k = batch[i]
        left, share = moves[k], np.float32(1) / np.float32(popcount(chosen[k]))
        for j in range(outputs.shape[1]):
            outputs[i, j], missing[i, j], targets[i, j] = 0, True, 0
            if left:
                card = left & (ZERO - left)
                left &= left - ONE
                outputs[i, j] = np.int64(heads[k]) + np.int64(lowest_bit_index(card))
                missing[i, j] = False
                targets[i, j] = share if card & chosen[k] else np.float32(0)
