"""Experiments: sets of tournaments that answer one question, with a table and a figure each.

One module per experiment: a function that returns its cells, given `quick` and options of its own.
Adding one is a module and an entry here; `hearts experiment` offers whatever is in this table.
"""

from collections.abc import Callable, Mapping

from hearts.arena.experiments.algorithms import algorithms
from hearts.arena.experiments.budgets import budgets
from hearts.arena.experiments.determinizations import determinizations
from hearts.arena.experiments.experiment import (
    Cell,
    Experiment,
    Results,
    estimated_seconds,
    look_at,
    play_cell,
    table,
)
from hearts.arena.experiments.knobs import knobs
from hearts.arena.experiments.levels import levels
from hearts.arena.experiments.matches import matches
from hearts.arena.experiments.mixture import mixture
from hearts.arena.experiments.playouts import playouts

EXPERIMENTS: Mapping[str, Callable[..., Experiment]] = {
    "algorithms": algorithms,
    "budgets": budgets,
    "determinizations": determinizations,
    "knobs": knobs,
    "levels": levels,
    "matches": matches,
    "mixture": mixture,
    "playouts": playouts,
}

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "Experiment",
    "Results",
    "algorithms",
    "budgets",
    "determinizations",
    "estimated_seconds",
    "knobs",
    "levels",
    "look_at",
    "matches",
    "mixture",
    "play_cell",
    "playouts",
    "table",
]
