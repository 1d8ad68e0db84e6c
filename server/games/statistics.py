"""Statistics of players, levels and configs: added up by the database, one row per group.

Everything is made of `results`, a row per seat and finished hand. Points are averaged over seats;
the interval of the mean comes from the spread between hands, since the seats of one hand share its
points. A game counts for the win rate once it is over, as often as a group has seats in it.
Anybody may post a game and say that an engine sat there: engines count where the service itself
played, at its tables, and elsewhere only for who asks for the games of one source.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping, func, select

from hearts.arena.plot import Target, plot_bars
from hearts.arena.statistics import Interval
from hearts.engine.config import SearchConfig, published
from server.storage.schema import GAMES, PLAYERS, RESULTS, SEATS
from server.storage.values import TABLE

NORMAL = 1.959964  # standard errors to either side that hold 95%, where there are many hands
FEW = {1: 12.706, 2: 4.303}  # by degrees of freedom, where the expansion below is not good yet
DRAWN = 50  # lines of a figure: more would take seconds, and nobody reads them
# Who belongs together, by columns of players. A config is compared as the text that is kept.
GROUPS: dict[str, tuple[sa.ColumnElement[Any], ...]] = {
    "player": (PLAYERS.c.kind, PLAYERS.c.name),
    "level": (PLAYERS.c.kind, PLAYERS.c.level),
    "config": (PLAYERS.c.kind, sa.cast(PLAYERS.c.config, sa.Text)),
}
_COUNTS = ("games", "wins")
_FLAGS = ("moon_tried", "moon_made", "moon_stopped", "queen_taken", "passed")
_SUMS = ("moves", "ms", "belief_loss", "belief_cards")


@dataclass(frozen=True)
class Choice:
    """Which hands count, and how they are grouped."""

    group: str = "player"
    since: datetime | None = None  # finished then, or later
    until: datetime | None = None  # finished before
    source: str | None = None  # of games
    player: str | None = None  # a name
    against: str | None = None  # a level that sits at another seat


EVERYTHING = Choice()


@dataclass(frozen=True)
class Line:
    """What is known of one group."""

    kind: str  # human, client or engine
    name: str | None  # of a player
    level: str | None
    config: dict[str, Any] | None
    hands: int  # seats in finished hands
    points: float  # mean of a hand
    interval: Interval | None  # of that mean; None: a single hand has none
    games: int  # seats in games that are over
    wins: int
    moons_tried: int
    moons_made: int
    moons_stopped: int
    queens: int
    passes: int
    ms_per_move: float | None
    belief_log_loss: float | None  # nats per hidden card

    @property
    def label(self) -> str:
        """A name for people."""
        return self.name or self.level or (config_text(self.config) if self.config else self.kind)

    def as_object(self) -> dict[str, Any]:
        """The line as JSON has it."""
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
    """A line for each group, those with most hands first."""
    rows = connection.execute(_by_group(choice)).mappings()
    lines = [_line(choice.group, row) for row in rows]
    return sorted(lines, key=lambda line: (-line.hands, line.label))


def plot_statistics(path: Target, lines: Sequence[Line]) -> None:
    """The mean points of each group with their intervals, of those with most hands."""
    bars: dict[str, Interval] = {}
    for line in lines[:DRAWN]:
        names = chain((line.label, f"{line.label} ({line.kind})"), _numbered(line.label))
        label = next(name for name in names if name not in bars)
        bars[label] = line.interval or Interval(line.points, line.points, line.points)
    along = "points per hand (mean, 95%)"
    plot_bars(path, bars, title="Points per hand", along=along, level=None)


def _numbered(label: str) -> Iterator[str]:
    """Names for those who have one name and one kind, as configs that read alike."""
    return (f"{label} ({number})" for number in count(2))


def config_text(config: Mapping[str, Any]) -> str:
    """A config for people: what it says beside the default."""
    default = published(vars(SearchConfig()))
    told = {k: v for k, v in published(config).items() if default.get(k, v) != v}
    return " ".join(f"{key}={value}" for key, value in told.items()) or "default"


def _by_group(choice: Choice) -> sa.Select[Any]:
    """Sums over the hands of each group, with a player that stands for it."""
    hands = _by_hand(choice).subquery()
    n, points = hands.c.seats, hands.c.points
    sums = [func.sum(hands.c[name]).label(name) for name in (*_COUNTS, *_FLAGS, *_SUMS)]
    totals = (
        select(
            hands.c.leader,
            func.count().label("hands"),
            func.sum(n).label("seats"),
            func.sum(points).label("points"),
            func.sum(n * n).label("seats_squared"),
            func.sum(points * n).label("points_by_seats"),
            func.sum(points * points).label("points_squared"),
            *sums,
        )
        .group_by(hands.c.leader)
        .subquery()
    )
    shown = (PLAYERS.c.kind, PLAYERS.c.name, PLAYERS.c.level, PLAYERS.c.config)
    return select(totals, *shown).join(PLAYERS, PLAYERS.c.id == totals.c.leader)


def _by_hand(choice: Choice) -> sa.Select[Any]:
    """What each group got in each hand, its seats together."""
    together = func.min(PLAYERS.c.id).over(partition_by=GROUPS[choice.group])
    known = PLAYERS.c.id, PLAYERS.c.kind, PLAYERS.c.name
    groups = select(*known, together.label("leader")).subquery()
    key = (groups.c.leader, RESULTS.c.game_id, RESULTS.c.hand)
    return (
        select(
            *key,
            func.count().label("seats"),
            func.sum(RESULTS.c.points).label("points"),
            func.count(RESULTS.c.won).label("games"),
            func.count(sa.case((RESULTS.c.won.is_(True), 1))).label("wins"),
            *(func.count(sa.case((RESULTS.c[f].is_(True), 1))).label(f) for f in _FLAGS),
            *(func.sum(RESULTS.c[name]).label(name) for name in _SUMS),
        )
        .join(groups, groups.c.id == RESULTS.c.player_id)
        .where(*_conditions(choice, groups))
        .group_by(*key)
    )


def _conditions(choice: Choice, groups: sa.Subquery) -> Iterator[sa.ColumnElement[bool]]:
    """Which results count."""
    if choice.since is not None:
        yield RESULTS.c.finished_at >= choice.since
    if choice.until is not None:
        yield RESULTS.c.finished_at < choice.until
    if choice.source is not None:
        yield RESULTS.c.game_id.in_(select(GAMES.c.id).where(GAMES.c.source == choice.source))
    else:
        tables = select(GAMES.c.id).where(GAMES.c.kind == TABLE)
        yield (groups.c.kind != "engine") | RESULTS.c.game_id.in_(tables)
    if choice.player is not None:
        yield groups.c.name == choice.player
    if choice.against is not None:
        yield sa.exists(
            select(SEATS.c.seat)
            .select_from(SEATS)
            .join(PLAYERS)
            .where(
                SEATS.c.game_id == RESULTS.c.game_id,
                SEATS.c.seat != RESULTS.c.seat,
                PLAYERS.c.level == choice.against,
            )
        )


def _line(group: str, row: RowMapping) -> Line:
    seats, points = int(row["seats"]), float(row["points"])
    return Line(
        kind=row["kind"],
        name=row["name"] if group == "player" else None,
        level=row["level"] if group == "level" else None,
        config=row["config"] if group == "config" else None,
        hands=seats,
        points=points / seats,
        interval=_interval(row),
        games=int(row["games"]),
        wins=int(row["wins"]),
        moons_tried=int(row["moon_tried"]),
        moons_made=int(row["moon_made"]),
        moons_stopped=int(row["moon_stopped"]),
        queens=int(row["queen_taken"]),
        passes=int(row["passed"]),
        ms_per_move=_share(row["ms"], row["moves"]),
        belief_log_loss=_share(row["belief_loss"], row["belief_cards"]),
    )


def _interval(row: RowMapping) -> Interval | None:
    """The interval of the mean points, from what the seats of each hand add up to."""
    hands, seats = int(row["hands"]), float(row["seats"])
    if hands < 2:
        return None
    mean = float(row["points"]) / seats
    spread = (
        float(row["points_squared"])
        - 2 * mean * float(row["points_by_seats"])
        + mean**2 * float(row["seats_squared"])
    )
    error = math.sqrt(max(spread, 0) * hands / (hands - 1)) / seats
    width = _student(hands - 1) * error
    return Interval(mean, mean - width, mean + width)


def _student(freedom: int) -> float:
    """The 97.5% quantile of Student's t, by its expansion in 1 / freedom: right to 1%."""
    z = NORMAL
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return FEW.get(freedom) or z + first / freedom + second / freedom**2 + third / freedom**3


def _share(above: float | None, below: float | None) -> float | None:
    return float(above) / float(below) if above is not None and below else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
