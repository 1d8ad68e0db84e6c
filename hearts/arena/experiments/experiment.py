"""The framework for experiments: cells, each a tournament with a journal, and their results.

An interrupted experiment resumes from the journals of its cells.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from time import perf_counter
from typing import Any

from hearts.arena.journal import read_lines
from hearts.arena.outputs import Outputs
from hearts.arena.plot import plot_bars
from hearts.arena.results import DealResult, Summary, summarize
from hearts.arena.runner import Progress, Workers, run
from hearts.arena.statistics import Interval, bootstrap
from hearts.arena.tournament import SEATINGS, Tournament, play_deal
from hearts.engine.levels import PLAIN
from hearts.game.cards import SEATS
from hearts.players.spec import Spec

PRESENTATION = ("line", "x", "share")  # the fields of a cell that are not those of a tournament
DIFFERENCE = "points per hand, focus − others"
WINS = "win rate above that of equal players, percentage points"

Results = Mapping["Cell", Sequence[DealResult]]


@dataclass(frozen=True)
class Cell:
    """One tournament: a point of the plot, at `x` on the line named `line`."""

    line: str
    x: float
    focus: Spec
    others: Spec
    seats: str = "single"
    unit: str = "hand"
    passing: str = "none"
    from_score: int = 0
    earlier_hands: int = 0
    predictions: bool = False
    share: float = 1.0  # of the experiment's deals: less where players are slow

    def deals(self, deals: int) -> int:
        """The number of deals of this cell, if the experiment has some number; at least 2."""
        return max(2, round(self.share * deals))

    def tournament(self, seed: int) -> Tournament:
        """The tournament of this cell."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        options = {name: value for name, value in own.items() if name not in PRESENTATION}
        return Tournament(seed=seed, **options)

    @property
    def even_win_rate(self) -> float:
        """The expected win rate if both sides are equally strong."""
        seatings = SEATINGS[self.seats]
        return sum(map(len, seatings)) / (SEATS * len(seatings))


@dataclass(frozen=True)
class Experiment:
    """Cells to play, the number of deals, and how to present the results."""

    name: str  # names its files
    title: str
    cells: Sequence[Cell]
    deals: int
    plot: Callable[[Path, "Experiment", Results], None]
    notes: Callable[["Experiment", Results], list[str]] = field(default=lambda *_: [])
    # Analyses the records of a cell in a number of processes; `extra` adds its results to the data.
    # Records are written only if this is set.
    examine: Callable[[Cell, Sequence[Any], int], None] | None = None
    extra: Callable[[Cell], Mapping[str, Any]] = field(default=lambda _: {})
    # What the results of a cell add to the data.
    extra_of: Callable[[Cell, Results], Mapping[str, Any]] = field(default=lambda *_: {})
    # Names the folder of its journals, which experiments with common cells may share; None: `name`.
    journals: str | None = None

    def outputs(self, folder: Path) -> Outputs:
        """The outputs of all cells, in a folder."""
        return Outputs(folder, folder / "hands" if self.examine else None)


def engine(name: str, **options: Any) -> Spec:
    """The engine with some options, under a name for tables and plots."""
    return Spec("engine", tuple(options.items()), name=name)


def plain_options(**options: Any) -> dict[str, Any]:
    """All options that matter, with their values, so that a new default changes no experiment."""
    plain = ("c", "opponents", "reward", "aggregation", "endgame")
    usual = {"belief": "OM-1", "worlds": 30, "playout": "epsilon-greedy", "epsilon": 0.1}
    return {option: getattr(PLAIN, option) for option in plain} | usual | options


def play_cell(
    cell: Cell, deals: int, seed: int, workers: Workers, outputs: Outputs, progress: Progress
) -> list[DealResult]:
    """Play the deals of one cell, or resume them from its journal."""
    tournament = cell.tournament(seed)
    own = outputs.of(tournament)
    return run(tournament, deals, workers=workers, outputs=own, progress=progress)


def examine_cell(
    experiment: Experiment, cell: Cell, seed: int, outputs: Outputs, jobs: int
) -> None:
    """Examine the records of a cell after it was played, if the experiment asks for it."""
    records = outputs.of(cell.tournament(seed)).records
    if experiment.examine is not None and records is not None:
        experiment.examine(cell, read_lines(records), jobs)


def estimated_seconds(experiment: Experiment, deals: int, processes: int) -> float:
    """Estimate the duration of an experiment by playing one deal of each cell."""
    play_deal(experiment.cells[0].tournament(0), 0)  # compile or load the kernels
    seconds = 0.0
    for cell in experiment.cells:
        start = perf_counter()
        result = play_deal(cell.tournament(0), 1, keep_records=experiment.examine is not None)
        if experiment.examine is not None:
            experiment.examine(cell, result.records, 1)
        seconds += (perf_counter() - start) * cell.deals(deals)
    return seconds / processes


def table(results: Results) -> str:
    """The results of all cells as a Markdown table."""
    lines = [
        "| focus | against | points per hand, focus − others | win rate | CPU ms per move |",
        "|---|---|---|---|---|",
    ]
    for cell, deals in results.items():
        summary = summarize(deals)
        lines.append(
            f"| {cell.focus} | {cell.others} | {summary.difference} | {_share(summary)} "
            f"| {summary.focus.cpu_ms_per_move:.1f} |"
        )
    return "\n".join(lines)


def differences(results: Results) -> dict[Cell, Interval]:
    """The points per hand of every cell, focus minus others."""
    return {cell: summarize(deals).difference for cell, deals in results.items()}


def paired(before: Sequence[DealResult], after: Sequence[DealResult]) -> Interval:
    """The change of the difference, deal by deal; both played the same deals."""
    pairs = zip(before, after, strict=True)
    return bootstrap([later.difference - earlier.difference for earlier, later in pairs])


def wins_above_even(results: Results) -> dict[Cell, Interval]:
    """The win rate of every cell above that of equal players, in percentage points."""
    return {
        cell: _above(summarize(deals).win_rate, cell.even_win_rate)
        for cell, deals in results.items()
    }


def _above(share: Interval, even: float) -> Interval:
    return Interval(*(100 * (each - even) for each in (share.mean, share.low, share.high)))


def verdict(difference: Interval) -> str:
    """How focus compares with others, as a verb, from their difference in points per hand."""
    if not difference.excludes_zero:
        return "cannot be told from"
    return "beats" if difference.mean < 0 else "is worse than"


def verdicts(results: Results, among: Callable[[Cell], bool] = lambda _: True) -> list[str]:
    """A line for each cell that `among` selects: which player is better."""
    return [
        f"- {cell.focus} {verdict(each)} {cell.others}: {each}"
        for cell, each in differences(results).items()
        if among(cell)
    ]


def by_line(values: Mapping[Cell, Interval]) -> dict[str, dict[float, Interval]]:
    """The values of cells by line, then by `x`."""
    lines: dict[str, dict[float, Interval]] = {}
    for cell, value in values.items():
        lines.setdefault(cell.line, {})[cell.x] = value
    return lines


def plot_differences(path: Path, experiment: Experiment, results: Results) -> None:
    """Plot the difference of every cell, one per row."""
    bars = {cell.line: value for cell, value in differences(results).items()}
    plot_bars(path, bars, title=experiment.title, xlabel=DIFFERENCE)


def _share(summary: Summary) -> str:
    share = summary.win_rate
    return f"{share.mean:.1%} ({share.low:.1%} … {share.high:.1%})"
