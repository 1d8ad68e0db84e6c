"""Whether players expect as many moons as happen: predictions of a tournament, and outcomes.

The predictions are those of `Table.predictions`: for each card that the focus player chose, the
probability that it shoots the moon (`made`), and that another seat does (`conceded`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from hearts.arena.referee import Prediction
from hearts.arena.results import DealResult, Table
from hearts.arena.statistics import Interval, bootstrap_ratio

EVENTS = ("conceded", "made")
PER = 100  # figures are per so many hands
# The parts of a hand by the tricks left: 13 to 10, 9 to 6, 5 to 1.
PHASES = {"early": range(10, 14), "middle": range(6, 10), "late": range(1, 6)}
EDGES = (0.0, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)  # of the bins of predicted probability

# A prediction and how often the event happened: means of a hand, or of a single decision.
Pair = tuple[float, float]
PairsOf = Callable[[Table, str], list[Pair]]


@dataclass(frozen=True)
class Agreement:
    """Predicted and actual moons, per 100 hands or decisions, with intervals over deals."""

    count: int  # hands, or decisions
    predicted: Interval
    actual: Interval
    gap: Interval  # predicted − actual

    def as_object(self) -> dict[str, Any]:
        """The agreement as JSON."""
        return asdict(self)


def first_card(table: Table, event: str) -> list[Pair]:
    """The prediction at the first card that was chosen in a hand."""
    return [_pair(table, event, first) for first in table.predictions[:1]]


def mean_in(phase: str) -> PairsOf:
    """The mean of the predictions of a part of the hand; nothing if no card was chosen there."""

    def mean(table: Table, event: str) -> list[Pair]:
        found = [
            _pair(table, event, each)
            for each in table.predictions
            if each.tricks_left in PHASES[phase]
        ]
        if not found:
            return []
        return [(sum(predicted for predicted, _ in found) / len(found), found[0][1])]

    return mean


def every_card(low: float = 0.0, high: float = 1.0) -> PairsOf:
    """All predictions from `low` to less than `high`; 1 belongs to the last bin."""

    def chosen(table: Table, event: str) -> list[Pair]:
        pairs = (_pair(table, event, each) for each in table.predictions)
        return [pair for pair in pairs if low <= pair[0] < high or pair[0] == high == 1.0]

    return chosen


def agreement(results: Sequence[DealResult], event: str, pairs_of: PairsOf) -> Agreement:
    """How the pairs that `pairs_of` takes from each hand agree."""
    deals = [
        [pair for table in result.tables for pair in pairs_of(table, event)] for result in results
    ]
    counts = [len(pairs) for pairs in deals]

    def interval(value: Callable[[Pair], float]) -> Interval:
        totals = [PER * sum(map(value, pairs)) for pairs in deals]
        return bootstrap_ratio(totals, counts)

    return Agreement(
        count=sum(counts),
        predicted=interval(lambda pair: pair[0]),
        actual=interval(lambda pair: pair[1]),
        gap=interval(lambda pair: pair[0] - pair[1]),
    )


def reliability(results: Sequence[DealResult], event: str) -> Iterator[tuple[Pair, Agreement]]:
    """Each bin of predicted probability that has decisions, and how often the event happened."""
    for low, high in pairwise(EDGES):
        found = agreement(results, event, every_card(low, high))
        if found.count:
            yield (low, high), found


def _pair(table: Table, event: str, prediction: Prediction) -> Pair:
    shooter = table.shooters[-1]
    happened = shooter is not None and (shooter == prediction.seat) == (event == "made")
    return float(getattr(prediction, event)), float(happened)
