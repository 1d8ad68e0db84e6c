"""Compare playout policies."""

from typing import Any

from hearts.arena.experiments.experiment import (
    Cell,
    Experiment,
    Results,
    engine,
    plain_options,
    plot_differences,
    verdicts,
)
from hearts.engine.config import PLAYOUTS
from hearts.players.spec import Spec

EPSILONS = (0.0, 0.1, 0.3, 0.5)
GREEDY, REFERENCE = "epsilon-greedy", "ε = 0.1"


def playouts(*, quick: bool, **options: Any) -> Experiment:
    """Compare all playout policies, ε-greedy with several ε."""
    common = plain_options(simulations=500 if quick else 2000, **options)
    kinds = [kind for kind in PLAYOUTS if kind != GREEDY]
    specs = {kind: engine(kind, **{**common, "playout": kind}) for kind in kinds}
    for epsilon in EPSILONS:
        name = f"ε = {epsilon}"
        specs[name] = engine(name, **{**common, "playout": GREEDY, "epsilon": epsilon})
    cells = [
        Cell(f"{focus}, against {others}", x, focus, others)
        for others in (Spec("cautious"), specs[REFERENCE])
        for x, focus in enumerate(specs.values())
        if focus != others  # against itself the difference is exactly 0
    ]
    title = f"playouts, {common['simulations']:,} simulations"
    return Experiment("playouts", title, cells, 20 if quick else 400, plot_differences, _notes)


def _notes(experiment: Experiment, results: Results) -> list[str]:
    """Which policies are better or worse than the reference."""
    return verdicts(results, lambda cell: str(cell.others) == REFERENCE)
