"""What every experiment has: cells, each a tournament with a journal of its own; table and figure.

An experiment of hours can be interrupted, and goes on where it was.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from hearts.arena.journal import whole_lines
from hearts.arena.keeping import Keeping
from hearts.arena.plot import plot_bars
from hearts.arena.results import DealResult, Summary, summarize
from hearts.arena.runner import Machines, Progress, run
from hearts.arena.statistics import Interval
from hearts.arena.tournament import SEATINGS, Tournament, play_deal
from hearts.engine.levels import PLAIN
from hearts.game.cards import SEATS
from hearts.players.registry import Spec

DIFFERENCE = "points per hand, focus − others"
WINS = "win rate above that of equals, points of a hundred"

Results = Mapping["Cell", Sequence[DealResult]]


@dataclass(frozen=True)
class Cell:
    """One tournament: a point at `at` on a line of the figure."""

    line: str
    at: float
    focus: Spec
    others: Spec
    seats: str = "single"
    unit: str = "hand"
    passing: str = "none"

    def tournament(self, seed: int) -> Tournament:
        """The tournament of this cell."""
        sides = (self.focus, self.others)
        return Tournament(*sides, seed=seed, seats=self.seats, unit=self.unit, passing=self.passing)

    @property
    def even(self) -> float:
        """The win rate of equal players."""
        return len(SEATINGS[self.seats][0]) / SEATS


@dataclass(frozen=True)
class Experiment:
    """Cells to play, how many deals of each, and how the result is drawn."""

    name: str  # of the files
    title: str
    cells: Sequence[Cell]
    deals: int
    draw: Callable[[Path, "Experiment", Results], None]
    notes: Callable[["Experiment", Results], list[str]] = field(default=lambda *_: [])
    # Finds out more about a cell, in so many processes, from the records of its hands, which are
    # kept for that; and tells it, for the data.
    look: Callable[[Cell, Sequence[Any], int], None] | None = None
    extra: Callable[[Cell], Mapping[str, Any]] = field(default=lambda _: {})

    def keeping(self, place: Path) -> Keeping:
        """What is kept of its cells, below a folder."""
        return Keeping(place, place / "hands" if self.look else None)


def engine(name: str, **options: Any) -> Spec:
    """The engine with some options, under a name for tables and figures."""
    return Spec("engine", tuple(options.items()), name=name)


def plain_options(**options: Any) -> dict[str, Any]:
    """Options on top of plain trees, all by name, so that no default changes an experiment."""
    plain = ("c", "opponents", "reward", "aggregation", "endgame")
    usual = {"belief": "OM-1", "worlds": 30, "playout": "epsilon-greedy", "epsilon": 0.1}
    return {option: getattr(PLAIN, option) for option in plain} | usual | options


def play_cell(
    cell: Cell, deals: int, seed: int, machines: Machines, keeping: Keeping, progress: Progress
) -> list[DealResult]:
    """The deals of one cell, resumed from its journal among those of the experiment."""
    tournament = cell.tournament(seed)
    own = keeping.of(tournament)
    return run(tournament, deals, machines=machines, keeping=own, progress=progress)


def look_at(experiment: Experiment, cell: Cell, seed: int, keeping: Keeping, jobs: int) -> None:
    """Find out more about a cell that was played, where the experiment wants that."""
    records = keeping.of(cell.tournament(seed)).records
    if experiment.look is not None and records is not None:
        experiment.look(cell, whole_lines(records), jobs)


def estimated_seconds(experiment: Experiment, deals: int, processes: int) -> float:
    """How long an experiment will take, from one deal of each cell played now."""
    play_deal(experiment.cells[0].tournament(0), 0)  # kernels compile or load
    start = perf_counter()
    for cell in experiment.cells:
        result = play_deal(cell.tournament(0), 1, keep=experiment.look is not None)
        if experiment.look is not None:
            experiment.look(cell, result.records, 1)
    return (perf_counter() - start) * deals / processes


def table(results: Results) -> str:
    """The figures of all cells as a Markdown table."""
    lines = [
        "| focus | against | points per hand, focus − others | win rate | CPU ms per move |",
        "|---|---|---|---|---|",
    ]
    for cell, found in results.items():
        summary = summarize(found)
        lines.append(
            f"| {cell.focus} | {cell.others} | {summary.difference} | {_share(summary)} "
            f"| {summary.focus.cpu_ms_per_move:.1f} |"
        )
    return "\n".join(lines)


def differences(results: Results) -> dict[Cell, Interval]:
    """The points per hand of every cell, focus minus others."""
    return {cell: summarize(found).difference for cell, found in results.items()}


def wins_above_even(results: Results) -> dict[Cell, Interval]:
    """The win rate of every cell in points of a hundred above that of equal players."""
    rates = {cell: summarize(found).win_rate for cell, found in results.items()}
    return {
        cell: Interval(*(100 * (each - cell.even) for each in (rate.mean, rate.low, rate.high)))
        for cell, rate in rates.items()
    }


def verdict(difference: Interval) -> str:
    """What the points per hand of a focus, less those of the others, say about the two."""
    if not difference.excludes_zero:
        return "cannot be told from"
    return "beats" if difference.mean < 0 else "is worse than"


def verdicts(results: Results, among: Callable[[Cell], bool] = lambda _: True) -> list[str]:
    """A line for some cells that says who is better."""
    return [
        f"- {cell.focus} {verdict(each)} {cell.others}: {each}"
        for cell, each in differences(results).items()
        if among(cell)
    ]


def by_line(figures: Mapping[Cell, Interval]) -> dict[str, dict[float, Interval]]:
    """The figures of cells as lines over what the cells are `at`."""
    lines: dict[str, dict[float, Interval]] = {}
    for cell, figure in figures.items():
        lines.setdefault(cell.line, {})[cell.at] = figure
    return lines


def draw_differences(path: Path, experiment: Experiment, results: Results) -> None:
    """One row per cell."""
    bars = {cell.line: figure for cell, figure in differences(results).items()}
    plot_bars(path, bars, title=experiment.title, along=DIFFERENCE)


def _share(summary: Summary) -> str:
    rate = summary.win_rate
    return f"{rate.mean:.1%} ({rate.low:.1%} … {rate.high:.1%})"
