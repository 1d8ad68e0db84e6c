"""Experiments: sets of tournaments that answer one question, with a table and a figure each.

Each cell of an experiment is a tournament of its own, kept in a journal of its own, so that an
experiment of hours can be interrupted and goes on where it was.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

from hearts.arena.ladder import ratings, wins_of
from hearts.arena.plot import plot_bars, plot_ladder, plot_lines
from hearts.arena.results import DealResult, Summary, summarize
from hearts.arena.runner import Keeping, Machines, Progress, run
from hearts.arena.tournament import Tournament, play_deal
from hearts.config import MAX_WORLDS
from hearts.players.registry import Spec, parse_spec

DETERMINIZATIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
AGGREGATIONS = {"visits": "total visits", "value": "average value", "vote": "single vote"}
LADDER = ("cautious", "easy", "medium", "hard", "expert")
EPSILONS = (0.0, 0.1, 0.3, 0.5)

Results = Mapping["Cell", Sequence[DealResult]]


@dataclass(frozen=True)
class Cell:
    """One tournament: a point at `at` on a line of the figure."""

    line: str
    at: float
    focus: Spec
    others: Spec
    seats: str = "single"

    def tournament(self, seed: int) -> Tournament:
        """The tournament of this cell."""
        return Tournament(self.focus, self.others, seed=seed, seats=self.seats)


@dataclass(frozen=True)
class Experiment:
    """Cells to play, how many deals of each, and how the result is drawn."""

    name: str  # of the files
    title: str
    cells: Sequence[Cell]
    deals: int
    draw: Callable[[Path, "Experiment", Results], None]
    notes: Callable[["Experiment", Results], list[str]] = field(default=lambda *_: [])


def determinizations(*, quick: bool, budget: int = 4000, **options: Any) -> Experiment:
    """How many worlds for a fixed budget, against three open-loop players, ismcts beside."""
    common = {"simulations": budget, "endgame": 0, **options}
    every = {"worlds": min(budget, MAX_WORLDS)}  # a new world every iteration
    baseline = _engine("open-loop", algorithm="open-loop", **every, **common)
    counts = DETERMINIZATIONS[1:7:2] if quick else DETERMINIZATIONS
    cells = [
        Cell(label, worlds, _pimc(aggregation, label, worlds, common), baseline)
        for aggregation, label in AGGREGATIONS.items()
        for worlds in counts
    ]
    ismcts = _engine("ismcts", algorithm="ismcts", **every, **common)
    cells.append(Cell("ismcts", 0, ismcts, baseline))
    return Experiment(
        name=f"determinizations-{budget}",
        title=f"{budget:,} iterations, against three open-loop players",
        cells=cells,
        deals=10 if quick else 250,
        draw=_draw_win_rates,
    )


def playouts(*, quick: bool, **options: Any) -> Experiment:
    """Which playouts, against cautious players and against the ε-greedy reference."""
    common = {"simulations": 500 if quick else 2000, **options}
    greedy = [
        _engine(f"ε = {epsilon}", playout="epsilon-greedy", epsilon=epsilon, **common)
        for epsilon in EPSILONS
    ]
    uniform = _engine("uniform", playout="uniform", **common)
    shoot_aware = _engine("shoot-aware", playout="shoot-aware", **common)
    reference = greedy[EPSILONS.index(0.1)]
    cells = [
        Cell(f"{focus}, against {others}", at, focus, others)
        for others in (Spec("cautious"), reference)
        for at, focus in enumerate((uniform, *greedy, shoot_aware))
    ]
    title = f"playouts, {common['simulations']:,} simulations"
    return Experiment("playouts", title, cells, 20 if quick else 400, _draw_differences)


def levels(*, quick: bool) -> Experiment:
    """Every two levels 2 against 2, with the rule-based player among them."""
    specs = [parse_spec(name) for name in LADDER]
    cells = [
        Cell(f"{specs[strong]} against {specs[weak]}", at, specs[strong], specs[weak], "pairs")
        for at, (weak, strong) in enumerate(combinations(range(len(specs)), 2))
    ]
    deals = 10 if quick else 200
    return Experiment("levels", "the levels, 2 against 2", cells, deals, _draw_ladder, _rungs)


def play_cell(
    cell: Cell, deals: int, seed: int, machines: Machines, place: Path, progress: Progress
) -> list[DealResult]:
    """The deals of one cell, resumed from its journal in the folder `place`."""
    tournament = cell.tournament(seed)
    place.mkdir(parents=True, exist_ok=True)
    key = crc32(repr(tournament).encode())
    keeping = Keeping(place / f"{key:08x}.jsonl")
    return run(tournament, deals, machines=machines, keeping=keeping, progress=progress)


def estimated_seconds(experiment: Experiment, deals: int, processes: int) -> float:
    """How long an experiment will take, from one deal of each cell played now."""
    play_deal(experiment.cells[0].tournament(0), 0)  # kernels compile or load
    start = perf_counter()
    for cell in experiment.cells:
        play_deal(cell.tournament(0), 1)
    return (perf_counter() - start) * deals / processes


def table(results: Results) -> str:
    """The figures of all cells as a Markdown table."""
    lines = [
        "| focus | against | points per hand, focus − others | win rate | ms per move |",
        "|---|---|---|---|---|",
    ]
    for cell, found in results.items():
        summary = summarize(found)
        lines.append(
            f"| {cell.focus} | {cell.others} | {summary.difference} | {_share(summary)} "
            f"| {summary.focus.ms_per_move:.1f} |"
        )
    return "\n".join(lines)


def _share(summary: Summary) -> str:
    rate = summary.win_rate
    return f"{rate.mean:.1%} ({rate.low:.1%} … {rate.high:.1%})"


def _engine(name: str, **options: Any) -> Spec:
    return Spec("engine", tuple(options.items()), name=name)


def _pimc(aggregation: str, label: str, worlds: int, common: Mapping[str, Any]) -> Spec:
    # The published single vote takes each tree's move of highest mean.
    chosen = {"aggregation": aggregation, "best_child": "max"}
    name = f"{worlds} worlds, {label}"
    return _engine(name, algorithm="pimc", worlds=worlds, **chosen, **common)


def _draw_win_rates(path: Path, experiment: Experiment, results: Results) -> None:
    lines: dict[str, dict[float, Any]] = {}
    for cell, found in results.items():
        lines.setdefault(cell.line, {})[cell.at] = summarize(found).win_rate
    plot_lines(path, lines, title=experiment.title, across="worlds", up="win rate of the focus")


def _draw_differences(path: Path, experiment: Experiment, results: Results) -> None:
    bars = {cell.line: summarize(found).difference for cell, found in results.items()}
    along = "points per hand, focus − others"
    plot_bars(path, bars, title=experiment.title, along=along)


def _ladder_of(results: Results) -> list[Any]:
    names = list(LADDER)
    pairs = {
        (names.index(str(cell.focus)), names.index(str(cell.others))): found
        for cell, found in results.items()
    }
    return ratings(names, wins_of(len(names), pairs))


def _draw_ladder(path: Path, experiment: Experiment, results: Results) -> None:
    plot_ladder(path, _ladder_of(results), experiment.title)


def _rungs(experiment: Experiment, results: Results) -> list[str]:
    """The ladder, and whether each level beats the one below."""
    lines = [
        f"- {each.player}: {each.rating.mean:+.0f} "
        f"({each.rating.low:+.0f} … {each.rating.high:+.0f})"
        for each in _ladder_of(results)
    ]
    for weak, strong in pairwise(LADDER[1:]):
        cell = next(c for c in results if (str(c.focus), str(c.others)) == (strong, weak))
        difference = summarize(results[cell]).difference
        verdict = "beats" if difference.high < 0 else "does not clearly beat"
        lines.append(f"- {strong} {verdict} {weak}: {difference}")
    return lines
