"""Statistics of players, levels and configs.

Points are averaged over seats. The confidence interval of the mean is computed from the variance
between hands, because the seats of one hand share its points. A finished game counts once for each
seat of a group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from sqlalchemy import Connection

from hearts.arena.plot import Target, plot_bars
from hearts.arena.statistics import Interval
from hearts.engine.config import SearchConfig, published
from server.storage.statistics import Choice, GroupTotals, group_totals

NORMAL = 1.959964  # the 97.5% quantile of the normal distribution
# The 97.5% quantiles of Student's t for few degrees of freedom, where the expansion is inexact.
FEW = {1: 12.706, 2: 4.303}
DRAWN = 50  # lines of a plot
EVERYTHING = Choice()


@dataclass(frozen=True)
class Line:
    """The statistics of one group."""

    kind: str  # human, client or engine
    name: str | None  # of a player
    level: str | None
    config: Mapping[str, Any] | None
    hands: int  # seats in finished hands
    points: float  # mean of a hand
    interval: Interval | None  # of that mean; None: a single hand
    games: int  # seats in finished games
    wins: int
    moons_tried: int
    moons_made: int
    moons_stopped: int
    queens: int
    passes: int
    ms_per_move: float | None
    belief_log_loss: float | None  # nats per hidden card

    @classmethod
    def of(cls, group: str, totals: GroupTotals) -> Line:
        """The statistics of a group of some kind: player, level or config."""
        return cls(
            kind=totals.kind,
            name=totals.name if group == "player" else None,
            level=totals.level if group == "level" else None,
            config=totals.config if group == "config" else None,
            hands=totals.seats,
            points=totals.points / totals.seats,
            interval=_interval(totals),
            games=totals.games,
            wins=totals.wins,
            moons_tried=totals.moon_tried,
            moons_made=totals.moon_made,
            moons_stopped=totals.moon_stopped,
            queens=totals.queen_taken,
            passes=totals.passed,
            ms_per_move=_ratio(totals.ms, totals.moves),
            belief_log_loss=_ratio(totals.belief_loss, totals.belief_cards),
        )

    @property
    def label(self) -> str:
        """The name of the group for people."""
        return self.name or self.level or (config_text(self.config) if self.config else self.kind)

    def as_object(self) -> dict[str, object]:
        """The statistics as JSON."""
        interval = self.interval
        return {
            "label": self.label,
            "kind": self.kind,
            "name": self.name,
            "level": self.level,
            "config": None if self.config is None else published(self.config),
            "hands": self.hands,
            "points": round(self.points, 4),
            "points_low": None if interval is None else round(interval.low, 4),
            "points_high": None if interval is None else round(interval.high, 4),
            "games": self.games,
            "win_rate": round(self.wins / self.games, 4) if self.games else None,
            "moons_tried": self.moons_tried,
            "moons_made": self.moons_made,
            "moons_stopped": self.moons_stopped,
            "queens": self.queens,
            "passes": self.passes,
            "ms_per_move": _rounded(self.ms_per_move),
            "belief_log_loss": _rounded(self.belief_log_loss),
        }


def statistics(connection: Connection, choice: Choice = EVERYTHING) -> list[Line]:
    """The statistics of each group, the groups with most hands first."""
    lines = [Line.of(choice.group, totals) for totals in group_totals(connection, choice)]
    return sorted(lines, key=lambda line: (-line.hands, line.label))


def plot_statistics(path: Target, lines: Sequence[Line]) -> None:
    """Plot the mean points of the groups with most hands, with their intervals."""
    bars: dict[str, Interval] = {}
    for line in lines[:DRAWN]:
        names = chain((line.label, f"{line.label} ({line.kind})"), _numbered(line.label))
        label = next(name for name in names if name not in bars)
        bars[label] = line.interval or Interval(line.points, line.points, line.points)
    along = "points per hand (mean, 95%)"
    plot_bars(path, bars, title="Points per hand", xlabel=along, reference=None)


def config_text(config: Mapping[str, Any]) -> str:
    """A config for people: the options that differ from the default."""
    default = published(vars(SearchConfig()))
    changed = {k: v for k, v in published(config).items() if default.get(k, v) != v}
    return " ".join(f"{key}={value}" for key, value in changed.items()) or "default"


def _numbered(label: str) -> Iterator[str]:
    """Distinct labels for groups with the same label and kind."""
    return (f"{label} ({number})" for number in count(2))


def _interval(totals: GroupTotals) -> Interval | None:
    """The 95% interval of the mean points, from the totals of each hand's seats."""
    hands, seats = totals.hands, totals.seats
    if hands < 2:
        return None
    mean = totals.points / seats
    deviation = (
        totals.points_squared - 2 * mean * totals.points_by_seats + mean**2 * totals.seats_squared
    )
    error = math.sqrt(max(deviation, 0) * hands / (hands - 1)) / seats
    width = _student(hands - 1) * error
    return Interval(mean, mean - width, mean + width)


def _student(freedom: int) -> float:
    """The 97.5% quantile of Student's t by its expansion in 1 / freedom, exact to 1%."""
    z = NORMAL
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return FEW.get(freedom) or z + first / freedom + second / freedom**2 + third / freedom**3


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
