"""Strength by the number of worlds at a fixed budget."""

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
from hearts.engine.config import MAX_WORLDS
from hearts.players.spec import Spec

DETERMINIZATIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
AGGREGATIONS = {"visits": "total visits", "value": "average value", "vote": "single vote"}
# The players on the other three seats. Our open loop draws a new world every iteration; the
# published one keeps its world, so it is a single tree on one world.
OPEN_LOOP, ONE_WORLD = BASELINES = ("open-loop", "one-world")
USUAL_PLAYOUT = "epsilon-greedy"
EQUAL_PLAYERS = 0.25  # win rate of four equal players


def determinizations(
    *,
    quick: bool,
    budget: int = 4000,
    baseline: str = OPEN_LOOP,
    playout: str = USUAL_PLAYOUT,
    **options: Any,
) -> Experiment:
    """Compare numbers of worlds at a fixed budget, against three open-loop players."""
    common = plain_options(simulations=budget, playout=playout, **options)
    single_tree = {**common, "worlds": min(budget, MAX_WORLDS)}  # a new world every iteration
    if baseline == ONE_WORLD:
        others = engine("one world", algorithm="pimc", **{**common, "worlds": 1})
    else:
        others = engine("open-loop", algorithm="open-loop", **single_tree)
    counts = DETERMINIZATIONS[1:7:2] if quick else DETERMINIZATIONS
    cells = [
        Cell(label, worlds, _pimc(aggregation, label, worlds, common), others)
        for aggregation, label in AGGREGATIONS.items()
        for worlds in counts
    ]
    ismcts = engine("ismcts", algorithm="ismcts", **single_tree)
    cells.append(Cell("ismcts", 0, ismcts, others))
    changed = [each for each in (baseline, playout) if each not in (OPEN_LOOP, USUAL_PLAYOUT)]
    return Experiment(
        name="-".join(["determinizations", str(budget), *changed]),
        title=f"{budget:,} iterations, {playout} playouts, against three {others} players",
        cells=cells,
        deals=10 if quick else 250,
        plot=_plot,
    )


def _pimc(aggregation: str, label: str, worlds: int, common: Mapping[str, Any]) -> Spec:
    # In the published single vote, each tree votes for its move with the highest mean.
    chosen = {"worlds": worlds, "aggregation": aggregation, "best_child": "max"}
    name = f"{worlds} {'world' if worlds == 1 else 'worlds'}, {label}"
    return engine(name, algorithm="pimc", **{**common, **chosen})


def _plot(path: Path, experiment: Experiment, results: Results) -> None:
    lines = by_line({cell: summarize(deals).win_rate for cell, deals in results.items()})
    labels = {"xlabel": "worlds", "ylabel": "win rate of the focus"}
    plot_lines(path, lines, title=experiment.title, reference=EQUAL_PLAYERS, **labels)
