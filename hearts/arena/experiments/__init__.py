"""Experiments: sets of tournaments that answer one question, each with a table and a plot.

Every experiment is a function in its own module that takes `quick` and its own options, and returns
an Experiment. `hearts experiment` has a command for each of EXPERIMENTS.
"""

from collections.abc import Callable, Mapping

from hearts.arena.experiments.adaptation import adaptation
from hearts.arena.experiments.algorithms import algorithms
from hearts.arena.experiments.budgets import budgets
from hearts.arena.experiments.determinizations import determinizations
from hearts.arena.experiments.experiment import (
    Cell,
    Experiment,
    Results,
    estimated_seconds,
    examine_cell,
    play_cell,
    table,
)
from hearts.arena.experiments.exploit import exploit
from hearts.arena.experiments.knobs import knobs
from hearts.arena.experiments.levels import levels
from hearts.arena.experiments.matches import matches
from hearts.arena.experiments.mixture import mixture
from hearts.arena.experiments.moons import moons
from hearts.arena.experiments.playouts import playouts

EXPERIMENTS: Mapping[str, Callable[..., Experiment]] = {
    "adaptation": adaptation,
    "algorithms": algorithms,
    "budgets": budgets,
    "determinizations": determinizations,
    "exploit": exploit,
    "knobs": knobs,
    "levels": levels,
    "matches": matches,
    "mixture": mixture,
    "moons": moons,
    "playouts": playouts,
}

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "Experiment",
    "Results",
    "adaptation",
    "algorithms",
    "budgets",
    "determinizations",
    "estimated_seconds",
    "examine_cell",
    "exploit",
    "knobs",
    "levels",
    "matches",
    "mixture",
    "moons",
    "play_cell",
    "playouts",
    "table",
]
