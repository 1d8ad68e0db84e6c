"""Networks and policies against each other, without search: thousands of hands a second."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.network import shipped
from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS
from hearts.game.rules import PASSING
from hearts.kernels.network.arrays import new_samples
from hearts.kernels.network.selfplay import play_hands
from hearts.training.population import Population, stacked

ALWAYS_KNOWN = np.uint64(0)  # no seat forgets its pass
NORMAL_95 = 1.96


@dataclass(frozen=True)
class Contest:
    """The result of duplicate deals, each played in all seatings."""

    deals: int
    difference: float  # points per hand, focus − others
    margin: float  # half of the 95% interval
    moons: tuple[float, float]  # made by focus and by others, per hand


def play_contest(focus: str, others: str, seats: int, deals: int, seed: int) -> Contest:
    """Play `focus` on `seats` seats (1 to 3) against `others`, with the passing cycle.

    Both are names of hearts.training.population.
    """
    population = Population.of(((focus, 1.0), (others, 1.0)))
    seatings = list(combinations(range(SEATS), seats))
    focused = np.zeros((len(seatings), SEATS), dtype=np.bool_)
    for row, seating in zip(focused, seatings, strict=True):
        row[list(seating)] = True
    kinds = np.where(focused, population.names.index(focus), population.names.index(others))
    points = _points(population, np.tile(kinds, (deals, 1)), len(seatings), seed)
    return _result(points.reshape(deals, len(seatings), SEATS), focused)


def _points(
    population: Population, kinds: NDArray[np.int64], seatings: int, seed: int
) -> NDArray[np.int64]:
    hands = len(kinds)
    points = np.empty((hands, SEATS), dtype=np.int64)
    numbers = np.arange(hands, dtype=np.uint64) // np.uint64(seatings)
    play_hands(
        np.uint64(seed), numbers, kinds, np.zeros((hands, SEATS), dtype=np.uint64),
        population.policies, population.networks, stacked((shipped(), *population.others)),
        ALWAYS_KNOWN, rules_word(PASSING), new_samples(1), points,
    )  # fmt: skip
    return points


def _result(points: NDArray[np.int64], focused: NDArray[np.bool_]) -> Contest:
    """The result of points (deals, seatings, 4)."""
    own = (points * focused).sum(axis=2) / focused.sum(axis=1)
    rest = (points * ~focused).sum(axis=2) / (~focused).sum(axis=1)
    by_deal = (own - rest).mean(axis=1)
    moons = (points == 0) & ((points == PASSING.total).sum(axis=2, keepdims=True) == SEATS - 1)
    tables = moons.shape[0] * moons.shape[1]
    return Contest(
        deals=len(points),
        difference=float(by_deal.mean()),
        margin=float(NORMAL_95 * by_deal.std(ddof=1) / len(by_deal) ** 0.5),
        moons=(float((moons & focused).sum() / tables), float((moons & ~focused).sum() / tables)),
    )
