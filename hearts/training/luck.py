"""Fit the weights by which tournaments predict results, on the records of tournaments.

    python -m hearts.training.luck FILE …

Each file has the records of one tournament (`hearts arena … --records`) whose others are a policy.
The weights minimise the variance of a deal's adjusted difference, summed over the files and
relative to the variance of the difference itself. Any weights are unbiased, so nothing but the
variance depends on this fit.
"""

import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.arena.adjustment import NETWORK_PROXY, Adjustment
from hearts.arena.results import TWELFTHS, Table
from hearts.arena.seeds import derive_seed
from hearts.arena.tournament import SEATINGS, Seating
from hearts.game.cards import SEATS
from hearts.game.records import Record, read_records
from hearts.game.scoring import points_of
from hearts.kernels.luck.values import FEATURES, RESULT, ROLLOUT

RIDGE = 5.0  # pulls the weights towards those of the plain rollout; in tables
DIGITS = 3  # of the weights that are written

Floats = NDArray[np.float64]


class Games(NamedTuple):
    """The tables of a tournament, in points."""

    differences: Floats  # (deals, tables)
    features: Floats  # (deals, tables, FEATURES)


def features_of(path: Path) -> Games:
    """The differences and features of a tournament's records."""
    differences, features = [], []
    for number, group in groupby(read_records(path), key=lambda record: record.extra["deal"]):
        records = list(group)
        (seatings,) = (each for each in SEATINGS.values() if len(each) == len(records))
        tables = [_table(record, seatings) for record in records]
        other = min(set(range(SEATS)) - set(tables[0].focus))
        adjustment = Adjustment(records[0].extra["players"][other], NETWORK_PROXY)
        differences.append([table.advantage / TWELFTHS for table in tables])
        features.append(
            [
                adjustment.features([(table, record.deal)], derive_seed(0, number))
                for table, record in zip(tables, records, strict=True)
            ]
        )
    return Games(np.array(differences), np.array(features))


def _table(record: Record, seatings: Sequence[Seating]) -> Table:
    """The table of a record, without the digest of its plays."""
    focus = seatings[record.extra["seating"]]
    return Table(focus, (points_of(record.deal),), (record.deal.shooter,), 0)


def fitted(sets: Sequence[Games], ridge: float = RIDGE) -> Floats:
    """The weights (FEATURES,) for some tournaments; RESULT has the weight 1."""
    plain = np.zeros(FEATURES)
    plain[[RESULT, ROLLOUT]] = 1.0
    free = np.arange(FEATURES) != RESULT
    normal, target = ridge * np.eye(FEATURES - 1), np.zeros(FEATURES - 1)
    for differences, features in sets:
        tables, scale = features.reshape(-1, FEATURES), differences.var()
        centred = tables - tables.mean(axis=0)
        normal += centred[:, free].T @ centred[:, free] / scale
        target -= centred[:, free].T @ (centred @ plain) / scale
    weights = plain.copy()
    weights[free] += np.linalg.solve(normal, target)
    return weights


def variance_ratio(games: Games, weights: Floats) -> float:
    """How much smaller the variance of a deal's difference is if it is adjusted."""
    adjusted = games.features.mean(axis=1) @ weights
    return float(games.differences.mean(axis=1).var() / adjusted.var())


def main(paths: Sequence[str]) -> None:
    """Write the weights, and the variance ratio of each file by weights fitted on the others."""
    sets = [features_of(Path(path)) for path in paths]
    weights = fitted(sets)
    write = sys.stdout.write
    write(", ".join(f"{weight:.{DIGITS}f}" for weight in weights) + "\n")
    for number, (path, one) in enumerate(zip(paths, sets, strict=True)):
        rest = fitted([*sets[:number], *sets[number + 1 :]])
        ratios = (variance_ratio(one, each) for each in (weights, rest))
        write(f"{path} {len(one.differences)} {' '.join(f'{ratio:.2f}' for ratio in ratios)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
