"""The rest of a match: what hands end with, and the probability of winning from some scores.

The shipped file, hearts/data/matches.npz, was computed by `hearts network matches` from hands among
four seats that play by the network. It has the results of hands with their frequencies, and the
win probabilities on a grid of scores (see hearts.kernels.core.winning).
"""

from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from itertools import combinations_with_replacement, permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LEVELS = 26  # of a score in the grid
STEP = 4  # points between two levels; the last is a point below the target
FARTHEST = 1 + STEP * (LEVELS - 1)  # distance of the first level from the target
UNIT = 2**16 - 1  # a probability of 1 in the file
# Where the grid does not reach the lowest score, the match is taken to be shorter, but the highest
# score stays this far from the target: it cannot get there in this hand.
LEAST_DISTANCE = 50


@dataclass(frozen=True)
class MatchModel:
    """How hands end, and what scores are worth."""

    sorted_results: NDArray[np.int8]  # (n, 4): the points of a hand, the lowest first
    counts: NDArray[np.int64]  # (n,): how many hands ended so
    # (LEVELS, triples): the probability of winning in units, by the level of the own score and
    # those of the others, the lowest first
    wins_by_triple: NDArray[np.uint16]

    @cached_property
    def results(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The points of a hand by seat (m, 4), all orders alike, and their probabilities (m,)."""
        found, shares = [], []
        for points, count in zip(self.sorted_results.tolist(), self.counts.tolist(), strict=True):
            orders = sorted(set(permutations(points)))
            found += orders
            shares += [count / len(orders)] * len(orders)
        probabilities = np.array(shares)
        return np.array(found, dtype=np.int64), probabilities / probabilities.sum()

    @cached_property
    def wins(self) -> NDArray[np.float32]:
        """The grid of win probabilities (LEVELS, LEVELS, LEVELS, LEVELS)."""
        probabilities = self.wins_by_triple.astype(np.float32) / np.float32(UNIT)
        return np.asarray(probabilities[:, _place_of_triple()])

    def save(self, path: Path) -> None:
        """Write the model to a file."""
        with path.open("wb") as file:  # np.savez would append .npz to a path
            np.savez_compressed(
                file, results=self.sorted_results, counts=self.counts, wins=self.wins_by_triple
            )


def model_of(
    results: NDArray[np.int8], counts: NDArray[np.int64], wins: NDArray[np.float32]
) -> MatchModel:
    """The model of a computed grid, rounded to units."""
    triples = tuple(np.array(_triples()).T)
    return MatchModel(results, counts, np.rint(wins[:, *triples] * UNIT).astype(np.uint16))


def load_model(path: Path) -> MatchModel:
    """Read a model from a file."""
    with np.load(path) as stored:
        return MatchModel(stored["results"], stored["counts"], stored["wins"])


@cache
def shipped_model() -> MatchModel:
    """The model that comes with the package."""
    with as_file(files("hearts") / "data" / "matches.npz") as path:
        return load_model(path)


def levels(target: int, scores: tuple[int, ...]) -> NDArray[np.float64]:
    """The level of a score by its distance to the target, as `MatchTables.levels` has it."""
    missing = max(0, target - min(scores) - FARTHEST)
    skipped = min(missing, max(0, target - max(scores) - LEAST_DISTANCE))
    distances = np.arange(FARTHEST + skipped + 1) - skipped
    return np.asarray(np.clip((FARTHEST - distances) / STEP, 0, LEVELS - 1))


def _triples() -> list[tuple[int, ...]]:
    """Levels of three scores, the lowest first."""
    return list(combinations_with_replacement(range(LEVELS), 3))


def _place_of_triple() -> NDArray[np.int64]:
    """The place of every three levels, in any order, among the sorted ones."""
    place = np.empty((LEVELS,) * 3, dtype=np.int64)
    for number, triple in enumerate(_triples()):
        for order in permutations(triple):
            place[order] = number
    return place
