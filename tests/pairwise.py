"""Pairwise covers: few choices of options in which every pair of values appears."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

Options = dict[str, Any]


def cover(options: dict[str, tuple[Any, ...]], rng: Random) -> list[Options]:
    """Choices in which every pair of values of two options appears; greedy, from random ones."""
    missing = {
        (one, i, other, j)
        for one, other in combinations(options, 2)
        for i in range(len(options[one]))
        for j in range(len(options[other]))
    }
    chosen = []
    while missing:
        tries = [_row(options, rng.choice(sorted(missing)), rng) for _ in range(60)]
        best = max(tries, key=lambda row: len(_pairs(row) & missing))
        missing -= _pairs(best)
        chosen.append({option: options[option][i] for option, i in best.items()})
    return chosen


def _row(
    options: dict[str, tuple[Any, ...]], pair: tuple[str, int, str, int], rng: Random
) -> dict[str, int]:
    """A random choice that has a pair."""
    row = {option: rng.randrange(len(values)) for option, values in options.items()}
    return row | {pair[0]: pair[1], pair[2]: pair[3]}


def _pairs(row: dict[str, int]) -> set[tuple[str, int, str, int]]:
    return {(a, row[a], b, row[b]) for a, b in combinations(row, 2)}
