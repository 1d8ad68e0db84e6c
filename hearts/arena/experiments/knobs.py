"""The options of `expert`, changed one at a time."""

from dataclasses import asdict
from typing import Any

from hearts.arena.experiments.experiment import (
    Cell,
    Experiment,
    engine,
    plot_differences,
    verdicts,
)
from hearts.engine.levels import LEVELS

REFERENCE = "reference"
# Fewer rollouts than `expert`, and no auxiliary tree, so that effects show in less time.
BUDGET = {"simulations": 1_000, "worlds": 100, "auxiliary_simulations": 0}
KNOBS: dict[str, dict[str, Any]] = {
    "relative reward": {"reward": "relative"},
    "own points alone": {"reward": "points"},
    "no endings solved": {"endgame": 0},
    "endings of 5 cards solved": {"endgame": 5},
    "30 worlds": {"worlds": 30},
    "300 worlds": {"worlds": 300},
    "the network's odds not counted": {"policy_weight": 0.0},
    "OM-1": {"belief": "OM-1"},
}
PASSING_KNOBS = {"passing by rule": {"passing": "rule"}}  # played with passing


def knobs(*, quick: bool) -> Experiment:
    """Change one option of expert at a time, and play it against the unchanged search in pairs."""
    common = asdict(LEVELS["expert"]) | BUDGET
    del common["seed"]
    if quick:
        common |= {"simulations": 100, "worlds": 20}
    reference = engine(REFERENCE, **common)
    cells = [
        Cell(name, 0, engine(name, **common | options), reference, "pairs", passing=passing)
        for variants, passing in ((KNOBS, "none"), (PASSING_KNOBS, "cycle"))
        for name, options in variants.items()
    ]
    title = f"one knob of the rollouts at a time, {common['simulations']:,} rollouts"
    return Experiment(
        name="knobs",
        title=title,
        cells=cells,
        deals=5 if quick else 100,
        plot=plot_differences,
        notes=lambda _, results: verdicts(results),
    )
