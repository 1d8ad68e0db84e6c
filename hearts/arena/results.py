"""Results of single deals, and their summary with confidence intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from hearts.arena.referee import Prediction, Spending
from hearts.arena.statistics import Interval, bootstrap
from hearts.game.cards import SEATS
from hearts.game.scoring import NO_SCORES, Points, ranking

DIGITS = 6  # decimals of times in a journal: microseconds
TWELFTHS = 12  # in a point; differences of means over 1, 2 or 3 seats are whole twelfths


@dataclass(frozen=True)
class Table:
    """One seating of a deal: a hand, or the hands of a match."""

    focus: tuple[int, ...]  # the seats of the focus player
    points: tuple[Points, ...]  # of every hand, moon included
    shooters: tuple[int | None, ...]  # of every hand: the seat that shot the moon
    digest: int  # CRC of all passes and plays
    start: Points = NO_SCORES  # the scores before the first hand
    # What the focus seats expected of the moon in the last hand, if the tournament stores it.
    predictions: tuple[Prediction, ...] = ()

    @property
    def totals(self) -> list[int]:
        """The points of each seat over all hands."""
        return [sum(column) for column in zip(*self.points, strict=True)]

    @property
    def focus_total(self) -> int:
        """The points of the focus seats over all hands."""
        totals = self.totals
        return sum(totals[seat] for seat in self.focus)

    @property
    def others_total(self) -> int:
        """The points of the other seats over all hands."""
        return sum(self.totals) - self.focus_total

    @property
    def advantage(self) -> int:
        """Mean of the focus seats minus mean of the others, in twelfths of a point."""
        size = len(self.focus)
        return TWELFTHS // size * self.focus_total - TWELFTHS // (SEATS - size) * self.others_total

    @property
    def win_share(self) -> float:
        """The focus player's share of the first place; tied seats divide it."""
        places = ranking([sum(each) for each in zip(self.start, self.totals, strict=True)])
        return sum(places[seat] == 1 for seat in self.focus) / places.count(1)

    @property
    def beats(self) -> float:
        """1 if the focus side has fewer points per seat than the others, ½ for a tie, else 0."""
        return 0.5 if not self.advantage else float(self.advantage < 0)


@dataclass(frozen=True)
class DealResult:
    """A deal in all its seatings, with the spending of both sides."""

    deal: int
    tables: tuple[Table, ...]
    focus: Spending
    others: Spending
    records: tuple[Mapping[str, Any], ...] = field(default=(), compare=False, repr=False)
    adjusted: float | None = None  # the difference without luck, if that was estimated
    # What it was predicted from: see hearts.arena.adjustment.
    features: tuple[float, ...] = field(default=(), repr=False)

    @property
    def figure(self) -> float:
        """The adjusted difference, or the difference if it is not adjusted."""
        return self.difference if self.adjusted is None else self.adjusted

    @property
    def hands(self) -> int:
        """The number of hands."""
        return sum(len(table.points) for table in self.tables)

    @property
    def difference(self) -> float:
        """Points per hand, focus minus others: exactly 0 for a player against itself.

        It is the mean over the tables, whatever the number of focus seats.
        """
        return sum(table.advantage for table in self.tables) / (TWELFTHS * self.hands)

    @property
    def win_share(self) -> float:
        """The focus side's share of first places, over the seatings."""
        return sum(table.win_share for table in self.tables) / len(self.tables)

    @property
    def focus_points(self) -> float:
        """Points per hand of a focus seat: the mean over all focus seats of all tables."""
        played = sum(len(table.focus) * len(table.points) for table in self.tables)
        return sum(table.focus_total for table in self.tables) / played

    @property
    def others_points(self) -> float:
        """Points per hand of another seat: the mean over all other seats of all tables."""
        played = sum((SEATS - len(table.focus)) * len(table.points) for table in self.tables)
        return sum(table.others_total for table in self.tables) / played

    def moons(self, *, by_focus: bool) -> int:
        """The number of moons that one of the sides shot."""
        return sum(
            shooter is not None and (shooter in table.focus) == by_focus
            for table in self.tables
            for shooter in table.shooters
        )

    def without_hands(self) -> "DealResult":
        """The same result without its records."""
        return replace(self, records=())

    def as_object(self) -> dict[str, Any]:
        """The line of a journal, without records; `deal_result_of` reads it."""
        tables = [_table_object(table) for table in self.tables]
        spending = {side: _rounded(getattr(self, side)) for side in ("focus", "others")}
        luck = (
            {} if self.adjusted is None else {"adjusted": self.adjusted, "features": self.features}
        )
        return {"deal": self.deal, "tables": tables, **spending, **luck}


def deal_result_of(line: Mapping[str, Any]) -> DealResult:
    """Read a result from the line of a journal."""
    tables = tuple(
        Table(
            tuple(table["focus"]),
            tuple(tuple(points) for points in table["points"]),
            tuple(table["shooters"]),
            table["digest"],
            tuple(table.get("start", NO_SCORES)),
            tuple(Prediction(*each) for each in table.get("predictions", ())),
        )
        for table in line["tables"]
    )
    focus, others = (Spending(**line[side]) for side in ("focus", "others"))
    features = tuple(line.get("features", ()))
    adjusted = line.get("adjusted")
    return DealResult(line["deal"], tables, focus, others, adjusted=adjusted, features=features)


@dataclass(frozen=True)
class Side:
    """The spending, moons and faults of one side."""

    ms_per_move: float  # wall time
    cpu_ms_per_move: float
    cpu_ms_per_hand: float  # over all its seats
    simulations_per_move: float
    moons: int
    faults: Mapping[str, int]  # by kind


@dataclass(frozen=True)
class Adjusted:
    """The difference without luck."""

    difference: Interval  # points per hand, focus minus others
    # Variance of a deal's difference, over that of its adjusted difference; None if that is 0.
    variance_ratio: float | None

    def __str__(self) -> str:
        ratio = self.variance_ratio
        narrower = "" if ratio is None else f", variance ÷ {ratio:.1f}"
        return f"{self.difference} points per hand{narrower}"


@dataclass(frozen=True)
class Summary:
    """The summary of a tournament, with 95% bootstrap intervals over deals."""

    deals: int
    hands: int
    difference: Interval  # points per hand, focus minus others: negative is better
    win_rate: Interval  # share of first places, of hands or of matches
    points_per_hand: float  # of a focus seat
    others_points_per_hand: float  # of another seat
    focus: Side
    others: Side
    adjusted: Adjusted | None = None  # if the tournament is adjusted

    def as_object(self) -> dict[str, Any]:
        """The summary as JSON; without `adjusted` if the tournament is not adjusted."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def summarize(results: Sequence[DealResult]) -> Summary:
    """Summarise one or more deals."""
    hands = sum(result.hands for result in results)
    focus, others = Spending(), Spending()
    for result in results:
        focus.add(result.focus)
        others.add(result.others)
    moons = [sum(result.moons(by_focus=side) for result in results) for side in (True, False)]
    return Summary(
        deals=len(results),
        hands=hands,
        difference=bootstrap([result.difference for result in results]),
        win_rate=bootstrap([result.win_share for result in results]),
        points_per_hand=float(np.mean([result.focus_points for result in results])),
        others_points_per_hand=float(np.mean([result.others_points for result in results])),
        focus=_side(focus, hands, moons[0]),
        others=_side(others, hands, moons[1]),
        adjusted=_adjusted(results),
    )


def _adjusted(results: Sequence[DealResult]) -> Adjusted | None:
    values = [result.adjusted for result in results if result.adjusted is not None]
    if len(values) < len(results):
        return None
    raw, variance = np.var([result.difference for result in results]), np.var(values)
    ratio = float(raw / variance) if variance else None
    return Adjusted(bootstrap(values), ratio)


def _side(spent: Spending, hands: int, moons: int) -> Side:
    moves = max(1, spent.moves)
    return Side(
        ms_per_move=1e3 * spent.seconds / moves,
        cpu_ms_per_move=1e3 * spent.cpu_seconds / moves,
        cpu_ms_per_hand=1e3 * spent.cpu_seconds / hands,
        simulations_per_move=spent.simulations / moves,
        moons=moons,
        faults=dict(spent.faults),
    )


def _table_object(table: Table) -> dict[str, Any]:
    """A table as JSON; without predictions if it has none."""
    values = asdict(table)
    if not table.predictions:
        del values["predictions"]
    return values


def _rounded(spent: Spending) -> dict[str, Any]:
    values = asdict(spent)
    times = ("seconds", "cpu_seconds")
    return values | {name: round(values[name], DIGITS) for name in times}
