"""Strength by the number of simulations."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from hearts.arena.experiments.experiment import (
    DIFFERENCE,
    Cell,
    Experiment,
    Results,
    by_line,
    differences,
    engine,
    verdicts,
)
from hearts.arena.plot import plot_lines
from hearts.players.spec import Spec

BUDGETS = (300, 1_000, 3_000, 10_000, 30_000)
BELOW = "against the rung below"


def budgets(*, quick: bool, **options: Any) -> Experiment:
    """Play each budget of simulations against cautious and against the next lower budget."""
    rungs = BUDGETS[:3] if quick else BUDGETS
    specs = [engine(f"{budget:,} simulations", simulations=budget, **options) for budget in rungs]
    cautious = Spec("cautious")
    cells = [
        Cell("against cautious", budget, focus, cautious)
        for budget, focus in zip(rungs, specs, strict=True)
    ]
    cells += [
        Cell(BELOW, budget, focus, others)
        for budget, (others, focus) in zip(rungs[1:], pairwise(specs), strict=True)
    ]
    title = f"{rungs[0]:,} to {rungs[-1]:,} simulations"
    return Experiment("budgets", title, cells, 20 if quick else 400, _plot, _notes)


def _plot(path: Path, experiment: Experiment, results: Results) -> None:
    lines = by_line(differences(results))
    labels = {"xlabel": "simulations", "ylabel": DIFFERENCE}
    plot_lines(path, lines, title=experiment.title, reference=0.0, **labels)


def _notes(experiment: Experiment, results: Results) -> list[str]:
    """Whether each budget is better than the next lower one."""
    return verdicts(results, lambda cell: cell.line == BELOW)
