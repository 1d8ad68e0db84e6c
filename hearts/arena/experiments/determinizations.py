"""How many worlds a fixed budget should be spread over."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hearts.arena.experiments.experiment import (
    Cell,
    Experiment,
    Results,
    by_line,
    engine,
    plain_options,
)
from hearts.arena.plot import plot_lines
from hearts.arena.results import summarize
from hearts.config import MAX_WORLDS
from hearts.players.registry import Spec

DETERMINIZATIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
AGGREGATIONS = {"visits": "total visits", "value": "average value", "vote": "single vote"}


def determinizations(*, quick: bool, budget: int = 4000, **options: Any) -> Experiment:
    """How many worlds for a fixed budget: pimc and ismcts against three open-loop players."""
    common = plain_options(simulations=budget, **options)
    every = {"worlds": min(budget, MAX_WORLDS)}  # a new world every iteration
    baseline = engine("open-loop", algorithm="open-loop", **every, **common)
    counts = DETERMINIZATIONS[1:7:2] if quick else DETERMINIZATIONS
    cells = [
        Cell(label, worlds, _pimc(aggregation, label, worlds, common), baseline)
        for aggregation, label in AGGREGATIONS.items()
        for worlds in counts
    ]
    ismcts = engine("ismcts", algorithm="ismcts", **every, **common)
    cells.append(Cell("ismcts", 0, ismcts, baseline))
    return Experiment(
        name=f"determinizations-{budget}",
        title=f"{budget:,} iterations, against three open-loop players",
        cells=cells,
        deals=10 if quick else 250,
        draw=_draw,
    )


def _pimc(aggregation: str, label: str, worlds: int, common: Mapping[str, Any]) -> Spec:
    # The published single vote takes each tree's move of highest mean.
    chosen = {"aggregation": aggregation, "best_child": "max"}
    name = f"{worlds} worlds, {label}"
    return engine(name, algorithm="pimc", worlds=worlds, **{**common, **chosen})


def _draw(path: Path, experiment: Experiment, results: Results) -> None:
    lines = by_line({cell: summarize(found).win_rate for cell, found in results.items()})
    plot_lines(path, lines, title=experiment.title, across="worlds", up="win rate of the focus")
